#include "session/view.h"

#include "base/json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <cmath>
#include <concepts>
#include <cstdlib>
#include <limits>

namespace session {
namespace {

using Json = nlohmann::ordered_json;

// Names of enumerators in the file, in the order of the enumeration.
constexpr std::array language_names{"en", "zh"};
constexpr std::array theme_names{"dark", "light"};
constexpr std::array middle_names{"banks",   "sectors", "timeline", "shared", "registers",
                                  "compare", "result",  "blocks",   "stream"};
constexpr std::array result_field_names{"c", "error"};
constexpr std::array block_colour_names{"none", "wave", "multiprocessor"};
constexpr std::array code_names{"source", "ptx", "machine"};
constexpr std::array plot_names{"sizes", "ladder", "parameter", "roofline", "errors", "device"};
constexpr std::array digit_names{"natural", "real", "integer", "hex"};

// 0.16f as 0.16, not as 0.1599999964237213: the shortest decimal that reads back as the same float.
double tidy(float value) { return std::strtod(fmt::format("{}", value).c_str(), nullptr); }

Json to_json(const Subject& subject) {
    Json parameters = Json::object();
    for (const auto& [name, value] : subject.parameters) parameters[name] = value;
    return {{"kernel", subject.kernel}, {"parameters", parameters},
            {"m", subject.problem.m},   {"n", subject.problem.n},
            {"k", subject.problem.k},   {"alpha", subject.alpha},
            {"beta", subject.beta},     {"arch", subject.arch},
            {"seed", subject.seed},     {"schedule", trace::to_text(subject.schedule)}};
}

Json to_json(const Selection& selection) {
    return {{"block", {selection.block.x, selection.block.y, selection.block.z}},
            {"warp", selection.warp},
            {"lane", selection.lane},
            {"event", selection.event}};
}

Json to_json(const Layout& layout) {
    return {{"left", tidy(layout.left)},     {"right", tidy(layout.right)},   {"map", tidy(layout.map)},
            {"middle", tidy(layout.middle)}, {"code", tidy(layout.code)},     {"ladder", layout.ladder},
            {"map_panel", layout.map_panel}, {"banks", layout.banks},         {"plot", layout.plot},
            {"code_panel", layout.code_panel}, {"numbers", layout.numbers}};
}

// Reads the members of one JSON object. The first wrong one is kept as the error; what follows it is not read.
class Reader {
public:
    Reader(const Json& object, std::string path, std::optional<base::Error>& error)
        : object_(object), path_(std::move(path)), error_(error) {
        if (!object_.is_object()) wrong(path_.empty() ? "the state" : path_, "is not an object");
    }

    void read(const char* key, std::string& into) {
        if (const Json* found = find(key)) {
            if (found->is_string()) into = found->get<std::string>();
            else wrong(name(key), "is not a text");
        }
    }

    void read(const char* key, trace::Schedule& into) {
        std::string text;
        if (!find(key)) return;
        read(key, text);
        if (error_) return;
        if (auto schedule = trace::schedule_from_text(text)) into = *schedule;
        else wrong(name(key), "is no schedule: " + schedule.error().sentence());
    }

    void read(const char* key, bool& into) {
        if (const Json* found = find(key)) {
            if (found->is_boolean()) into = found->get<bool>();
            else wrong(name(key), "is neither true nor false");
        }
    }

    template <std::floating_point Real>
    void read(const char* key, Real& into, double least, double most) {
        const Json* found = find(key);
        if (!found) return;
        double value = found->is_number() ? found->get<double>() : std::nan("");
        if (!(value >= least && value <= most)) {
            return wrong(name(key), fmt::format("is not a number from {} to {}", least, most));
        }
        into = static_cast<Real>(value);
    }

    template <std::integral Integer>
    void read(const char* key, Integer& into, uint64_t least, uint64_t most) {
        if (const Json* found = find(key)) integer(*found, name(key), into, least, most);
    }

    void read(const char* key, base::Dim3& into) {
        const Json* found = find(key);
        if (!found) return;
        if (!found->is_array() || found->size() != 3) return wrong(name(key), "is not an array of three numbers");
        constexpr uint64_t most = std::numeric_limits<uint32_t>::max();
        integer((*found)[0], name(key), into.x, 0, most);
        integer((*found)[1], name(key), into.y, 0, most);
        integer((*found)[2], name(key), into.z, 0, most);
    }

    template <class Enum, size_t count>
    void read(const char* key, Enum& into, const std::array<const char*, count>& names) {
        const Json* found = find(key);
        if (!found) return;
        std::string all;
        for (size_t i = 0; i < count; ++i) {
            if (found->is_string() && found->get_ref<const std::string&>() == names[i]) {
                into = static_cast<Enum>(i);
                return;
            }
            all += (i ? ", " : "") + std::string(names[i]);
        }
        wrong(name(key), "is none of " + all);
    }

    void read(const char* key, std::set<std::string>& into) {
        const Json* found = find(key);
        if (!found) return;
        if (!found->is_array()) return wrong(name(key), "is not an array");
        into.clear();
        for (const Json& text : *found) {
            if (!text.is_string()) return wrong(name(key), "is not an array of texts");
            into.insert(text.get<std::string>());
        }
    }

    void read(const char* key, catalog::Values& into) {
        const Json* found = find(key);
        if (!found) return;
        if (!found->is_object()) return wrong(name(key), "is not an object");
        into.clear();
        constexpr int most = std::numeric_limits<int>::max();
        for (const auto& [parameter, value] : found->items()) {
            const double number = value.is_number_integer() ? value.get<double>() : std::nan("");
            if (!(std::abs(number) <= most)) {
                return wrong(name(key) + "." + parameter, "is not a whole number");
            }
            into[parameter] = value.get<int>();
        }
    }

    // The object at `key`, nullptr where it is missing or null.
    const Json* child(const char* key) const {
        const Json* found = find(key);
        return found && !found->is_null() ? found : nullptr;
    }
    std::string name(const char* key) const { return path_.empty() ? key : path_ + "." + key; }

private:
    const Json* find(const char* key) const {
        if (error_ || !object_.is_object()) return nullptr;
        auto found = object_.find(key);
        return found == object_.end() ? nullptr : &*found;
    }

    template <class Integer>
    void integer(const Json& value, const std::string& field, Integer& into, uint64_t least, uint64_t most) {
        bool natural = value.is_number_unsigned() || (value.is_number_integer() && value.get<int64_t>() >= 0);
        if (!natural || value.get<uint64_t>() < least || value.get<uint64_t>() > most) {
            return wrong(field, fmt::format("is not a whole number from {} to {}", least, most));
        }
        into = static_cast<Integer>(value.get<uint64_t>());
    }

    void wrong(const std::string& field, const std::string& reason) {
        if (!error_) error_ = base::Error{base::Failure::usage, field + " " + reason, {}, {}};
    }

    const Json& object_;
    std::string path_;
    std::optional<base::Error>& error_;
};

constexpr int largest_stream = 1 << 20; // of one dimension, as for a GPU run
constexpr int int_max = std::numeric_limits<int>::max();
constexpr double float_max = std::numeric_limits<float>::max();

void read(const Json& json, const std::string& path, Subject& subject, std::optional<base::Error>& error) {
    Reader in(json, path, error);
    in.read("kernel", subject.kernel);
    in.read("parameters", subject.parameters);
    in.read("m", subject.problem.m, 1, int_max);
    in.read("n", subject.problem.n, 1, int_max);
    in.read("k", subject.problem.k, 1, int_max);
    in.read("alpha", subject.alpha, -float_max, float_max);
    in.read("beta", subject.beta, -float_max, float_max);
    in.read("arch", subject.arch);
    in.read("seed", subject.seed, 0, std::numeric_limits<uint64_t>::max());
    in.read("schedule", subject.schedule);
}

void read(const Json& json, Selection& selection, std::optional<base::Error>& error) {
    Reader in(json, "selection", error);
    in.read("block", selection.block);
    in.read("warp", selection.warp, 0, 31);
    in.read("lane", selection.lane, 0, 31);
    in.read("event", selection.event, 0, std::numeric_limits<uint32_t>::max());
}

void read(const Json& json, Layout& layout, std::optional<base::Error>& error) {
    Reader in(json, "layout", error);
    for (auto [key, fraction] : {std::pair{"left", &layout.left}, {"right", &layout.right}, {"map", &layout.map},
                                 {"middle", &layout.middle}, {"code", &layout.code}}) {
        in.read(key, *fraction, 0, 1);
    }
    for (auto [key, shown] : {std::pair{"ladder", &layout.ladder}, {"map_panel", &layout.map_panel},
                              {"banks", &layout.banks}, {"plot", &layout.plot},
                              {"code_panel", &layout.code_panel}, {"numbers", &layout.numbers}}) {
        in.read(key, *shown);
    }
}

void read(const Json& json, View& view, std::optional<base::Error>& error) {
    Reader in(json, {}, error);
    if (const Json* subject = in.child("subject")) read(*subject, "subject", view.subject, error);
    if (const Json* selection = in.child("selection")) read(*selection, view.selection, error);
    if (const Json* baseline = in.child("baseline")) {
        read(*baseline, "baseline", view.baseline.emplace(), error);
    }
    in.read("language", view.language, language_names);
    in.read("theme", view.theme, theme_names);
    in.read("projector", view.projector);
    in.read("scale", view.scale, 0, 8);
    in.read("middle_tab", view.middle_tab, middle_names);
    in.read("code_tab", view.code_tab, code_names);
    in.read("plot_tab", view.plot_tab, plot_names);
    in.read("parameter", view.parameter);
    in.read("digits", view.digits, digit_names);
    if (const Json* layout = in.child("layout")) read(*layout, view.layout, error);
    in.read("open_families", view.open_families);
    in.read("search", view.search);
    in.read("map_zoom", view.map_zoom, 1e-6, 1e6);
    in.read("map_x", view.map_x, -float_max, float_max);
    in.read("map_y", view.map_y, -float_max, float_max);
    in.read("block_colours", view.block_colours, block_colour_names);
    in.read("result_field", view.result_field, result_field_names);
    in.read("result_zoom", view.result_zoom, 1, 1e6);
    in.read("result_x", view.result_x, -float_max, float_max);
    in.read("result_y", view.result_y, -float_max, float_max);
    if (in.child("marked")) in.read("marked", view.marked.emplace(), 0, std::numeric_limits<uint32_t>::max());
    for (auto [key, size] : {std::pair{"stream_m", &view.stream_problem.m},
                             {"stream_n", &view.stream_problem.n},
                             {"stream_k", &view.stream_problem.k}}) {
        in.read(key, *size, 1, largest_stream);
    }
    if (in.child("stream_moment")) in.read("stream_moment", view.stream_moment.emplace(), 0, 1);
    in.read("playing", view.playing);
    in.read("events_per_second", view.events_per_second, 0.01, 1e6);
    in.read("table", view.table);
}

template <class Enum, size_t count>
const char* text(Enum value, const std::array<const char*, count>& names) {
    return names[static_cast<size_t>(value)];
}

} // namespace

std::string to_json(const View& view) {
    Json json{{"subject", to_json(view.subject)},
              {"selection", to_json(view.selection)},
              {"baseline", view.baseline ? to_json(*view.baseline) : Json()},
              {"language", text(view.language, language_names)},
              {"theme", text(view.theme, theme_names)},
              {"projector", view.projector},
              {"scale", tidy(view.scale)},
              {"middle_tab", text(view.middle_tab, middle_names)},
              {"code_tab", text(view.code_tab, code_names)},
              {"plot_tab", text(view.plot_tab, plot_names)},
              {"parameter", view.parameter},
              {"digits", text(view.digits, digit_names)},
              {"layout", to_json(view.layout)},
              {"open_families", view.open_families},
              {"search", view.search},
              {"map_zoom", tidy(view.map_zoom)},
              {"map_x", tidy(view.map_x)},
              {"map_y", tidy(view.map_y)},
              {"block_colours", text(view.block_colours, block_colour_names)},
              {"result_field", text(view.result_field, result_field_names)},
              {"result_zoom", tidy(view.result_zoom)},
              {"result_x", tidy(view.result_x)},
              {"result_y", tidy(view.result_y)},
              {"marked", view.marked ? Json(*view.marked) : Json()},
              {"stream_m", view.stream_problem.m},
              {"stream_n", view.stream_problem.n},
              {"stream_k", view.stream_problem.k},
              {"stream_moment", view.stream_moment ? Json(tidy(*view.stream_moment)) : Json()},
              {"playing", view.playing},
              {"events_per_second", tidy(view.events_per_second)},
              {"table", view.table}};
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

base::Result<View> view_from_json(std::string_view text) {
    auto parsed = base::parse_json(text);
    if (!parsed) return base::Error{base::Failure::usage, "the state is " + parsed.error().what, {}, {}};
    const Json json(*parsed); // the readers below are of this kind
    View view;
    std::optional<base::Error> error;
    read(json, view, error);
    if (error) return *error;
    return view;
}

} // namespace session
