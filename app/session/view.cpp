#include "session/view_fields.h"

#include "base/json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <concepts>
#include <cstdlib>
#include <functional>
#include <limits>

namespace session {
namespace {

using Json = nlohmann::ordered_json;

// 0.16f as 0.16, not as 0.1599999964237213: the shortest decimal that reads back as the same float.
double tidy(float value) { return std::strtod(fmt::format("{}", value).c_str(), nullptr); }

Json written(const auto& value) { return value; }
Json written(float value) { return tidy(value); }
Json written(const base::Dim3& value) { return {value.x, value.y, value.z}; }
Json written(const trace::Schedule& value) { return trace::to_text(value); }
Json written(const catalog::Values& values) {
    Json object = Json::object();
    for (const auto& [name, value] : values) object[name] = value;
    return object;
}
template <class Enum>
requires std::is_enum_v<Enum> Json written(const Enum& value) { return names_of(value)[static_cast<size_t>(value)]; }
template <Structure T>
Json written(const T& structure);
template <class T>
Json written(const std::optional<T>& value) {
    return value ? written(*value) : Json();
}
template <Structure T>
Json written(const T& structure) {
    Json object = Json::object();
    each_field(structure, [&object](const auto& field) { object[field.key] = written(field.value); });
    return object;
}

template <Structure T>
void read_into(T&, const Json&, std::string path, std::optional<base::Error>&);

// Reads the members of one JSON object. The first wrong one is kept as the error; what follows it is not read.
class FieldReader {
public:
    FieldReader(const Json& object, std::string path, std::optional<base::Error>& error)
        : object_(object), path_(std::move(path)), error_(error) {
        if (!object_.is_object()) wrong(path_.empty() ? "the state" : path_, base::say("is not an object"));
    }

    template <class T>
    void read(const Field<T>& field) {
        if (const Json* found = find(field.key)) take(*found, name(field.key), field.value, field.range);
    }

private:
    using Limits = std::optional<Range>;

    void take(const Json& json, const std::string& name, std::string& into, Limits) {
        if (json.is_string()) into = json.get<std::string>();
        else wrong(name, base::say("is not a text"));
    }

    void take(const Json& json, const std::string& name, trace::Schedule& into, Limits) {
        std::string text;
        take(json, name, text, {});
        if (error_) return;
        if (auto schedule = trace::schedule_from_text(text)) into = *schedule;
        else wrong(name, base::say("is not a schedule: {}", schedule.error().said()));
    }

    void take(const Json& json, const std::string& name, bool& into, Limits) {
        if (json.is_boolean()) into = json.get<bool>();
        else wrong(name, base::say("is neither true nor false"));
    }

    template <std::floating_point Real>
    void take(const Json& json, const std::string& name, Real& into, Limits limits) {
        constexpr double most = std::numeric_limits<float>::max();
        const Range range = limits.value_or(Range{-most, most});
        const double value = json.is_number() ? json.get<double>() : std::nan("");
        if (!(value >= range.least && value <= range.most)) {
            return wrong(name, base::say("is not a number from {} to {}", range.least, range.most));
        }
        into = static_cast<Real>(value);
    }

    template <std::integral Integer>
    void take(const Json& json, const std::string& name, Integer& into, Limits limits) {
        const uint64_t least = limits ? static_cast<uint64_t>(limits->least) : 0;
        const uint64_t most =
            limits ? static_cast<uint64_t>(limits->most) : uint64_t{std::numeric_limits<Integer>::max()};
        const bool natural = json.is_number_unsigned() || (json.is_number_integer() && json.get<int64_t>() >= 0);
        if (!natural || json.get<uint64_t>() < least || json.get<uint64_t>() > most) {
            return wrong(name, base::say("is not a whole number from {} to {}", least, most));
        }
        into = static_cast<Integer>(json.get<uint64_t>());
    }

    void take(const Json& json, const std::string& name, base::Dim3& into, Limits) {
        if (!json.is_array() || json.size() != 3) return wrong(name, base::say("is not an array of three numbers"));
        take(json[0], name, into.x, {});
        take(json[1], name, into.y, {});
        take(json[2], name, into.z, {});
    }

    template <class Enum>
    requires std::is_enum_v<Enum>
    void take(const Json& json, const std::string& name, Enum& into, Limits) {
        constexpr auto names = names_of(Enum{});
        for (size_t i = 0; i < names.size(); ++i) {
            if (!json.is_string() || json.get_ref<const std::string&>() != names[i]) continue;
            into = static_cast<Enum>(i);
            return;
        }
        wrong(name, base::say("is not one of {}", base::names(names)));
    }

    void take(const Json& json, const std::string& name, std::set<std::string>& into, Limits) {
        if (!json.is_array()) return wrong(name, base::say("is not an array"));
        into.clear();
        for (const Json& text : json) {
            if (!text.is_string()) return wrong(name, base::say("is not an array of texts"));
            into.insert(text.get<std::string>());
        }
    }

    void take(const Json& json, const std::string& name, catalog::Values& into, Limits) {
        if (!json.is_object()) return wrong(name, base::say("is not an object"));
        into.clear();
        constexpr int most = std::numeric_limits<int>::max();
        for (const auto& [parameter, value] : json.items()) {
            const double number = value.is_number_integer() ? value.get<double>() : std::nan("");
            if (!(std::abs(number) <= most)) return wrong(name + "." + parameter, base::say("is not a whole number"));
            into[parameter] = value.get<int>();
        }
    }

    template <class T>
    void take(const Json& json, const std::string& name, std::optional<T>& into, Limits limits) {
        if (!json.is_null()) take(json, name, into.emplace(), limits);
    }

    template <Structure T>
    void take(const Json& json, const std::string& name, T& into, Limits) {
        if (!json.is_null()) read_into(into, json, name, error_);
    }

    std::string name(const char* key) const { return path_.empty() ? key : path_ + "." + key; }

    const Json* find(const char* key) const {
        if (error_ || !object_.is_object()) return nullptr;
        auto found = object_.find(key);
        return found == object_.end() ? nullptr : &*found;
    }

    void wrong(const std::string& field, const base::Sentence& reason) {
        if (!error_) error_ = base::Error{base::Failure::usage, base::say("{} {}", field, reason), {}, {}};
    }

    const Json& object_;
    std::string path_;
    std::optional<base::Error>& error_;
};

template <Structure T>
void read_into(T& structure, const Json& json, std::string path, std::optional<base::Error>& error) {
    FieldReader in(json, std::move(path), error);
    each_field(structure, [&in](const auto& field) { in.read(field); });
}

} // namespace

// Of what tells launches apart that are asked for together.
size_t hash_of(const Subject& subject) {
    size_t hash = std::hash<std::string>()(subject.kernel);
    const auto add = [&](int number) { hash = (hash ^ static_cast<size_t>(number)) * 0x9E3779B97F4A7C15u; };
    for (const auto& [name, value] : subject.parameters) add(value);
    for (const int size : {subject.problem.m, subject.problem.n, subject.problem.k}) add(size);
    return hash;
}

std::string to_json(const View& view) {
    return written(view).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

base::Result<View> view_from_json(std::string_view text) {
    auto parsed = base::parse_json(text);
    if (!parsed) return base::Error{base::Failure::usage, base::say("the state is {}", parsed.error().what), {}, {}};
    const Json json(*parsed); // the readers below are of this kind
    View view;
    std::optional<base::Error> error;
    read_into(view, json, {}, error);
    if (error) return *error;
    return view;
}

} // namespace session
