#include "views/champion_log.h"

#include "base/file.h"
#include "catalog/toml_reader.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace views {

namespace {

constexpr size_t most_bytes = 512 << 10, most_chapters = 64, most_steps = 64, most_figures = 8, most_text = 600,
                 most_values = 32;
constexpr int largest_size = 1 << 20, largest_executed = 1 << 14;

using catalog::Problem;
using catalog::Text;
using Units = std::map<std::string, Text, std::less<>>;

class LogReader : catalog::TomlReader {
public:
    explicit LogReader(const std::string& path) : TomlReader(path) {}

    base::Result<ChampionLog> read(const std::string& text) {
        if (text.size() > most_bytes)
            fail_at(0, base::say("the log has more than {} bytes", most_bytes), base::say("shorten it"));
        ChampionLog log;
        if (error()) return *error();
        const toml::table root = parse(text);
        known_keys(root, {"units", "chapter"});
        read_units(root);
        const auto chapters = tables(root, "chapter");
        bounded(root, "chapter", chapters.size(), most_chapters);
        for (const toml::table* table : chapters) {
            if (error()) break;
            log.push_back(chapter(*table));
        }
        if (error()) return *error();
        return log;
    }

private:
    std::string checked(const toml::node& node, std::string text) {
        if (text.size() > most_text)
            fail(node.source(), base::say("a text of the log has more than {} bytes", most_text),
                 base::say("say it in fewer sentences"));
        return text;
    }
    std::string line_of_text(const toml::table& table, std::string_view key, const std::string& otherwise = {}) {
        const toml::node* node = table.get(key);
        return node ? checked(*node, text_of(*node, key)) : otherwise;
    }
    std::string needed_line(const toml::table& table, std::string_view key, std::string_view example) {
        return need(table, key, example) ? line_of_text(table, key) : std::string();
    }
    Text both(const toml::table& table, std::string_view key) {
        const toml::node* node = table.get(key);
        if (!node) return {};
        const Text text = both_languages(*node, key);
        return {checked(*node, text.en), checked(*node, text.zh)};
    }
    Text needed_both(const toml::table& table, std::string_view key) {
        const std::string example = std::string(key) + " = { en = \"...\", zh = \"...\" }";
        return need(table, key, example) ? both(table, key) : Text{};
    }
    // 0: it is not there.
    double positive(const toml::table& table, std::string_view key) {
        const toml::node* node = table.get(key);
        if (!node) return 0;
        const auto value = node->value<double>();
        if (value && std::isfinite(*value) && *value > 0) return *value;
        fail(node->source(), base::say("\"{}\" should be a positive number", key), base::say("write {} = 54.2", key));
        return 0;
    }
    // size = 4096, or size = [M, N, K]
    Problem size_of(const toml::table& table, std::string_view key, int most, Problem otherwise) {
        const toml::node* node = table.get(key);
        if (!node) return otherwise;
        const toml::array* list = node->as_array();
        std::vector<int> edges;
        if (!list) edges.assign(3, whole_number(*node, key));
        else if (list->size() == 3)
            for (const toml::node& element : *list) edges.push_back(whole_number(element, key));
        const auto is_edge = [&](int edge) { return edge >= 1 && edge <= most; };
        if (edges.size() == 3 && std::all_of(edges.begin(), edges.end(), is_edge))
            return {edges[0], edges[1], edges[2]};
        fail(node->source(), base::say("\"{}\" should be a size of at most {}", key, most),
             base::say("write {0} = 4096 or {0} = [M, N, K]", key));
        return otherwise;
    }

    void read_units(const toml::table& root) {
        const toml::node* node = root.get("units");
        if (!node) return;
        const toml::table* table = node->as_table();
        if (!table) {
            fail(node->source(), base::say("\"units\" should be a table"), base::say("write [units]"));
            return;
        }
        if (!bounded(*table, "units", table->size(), most_values)) return;
        for (auto&& [key, value] : *table) {
            const Text text = both_languages(value, key.str());
            units_[std::string(key.str())] = {checked(value, text.en), checked(value, text.zh)};
        }
    }
    LogFigure figure(const toml::table&, const LogChapter&, const std::string& date);
    void read_scene(const toml::table& step, const LogChapter&, LogScene&);
    bool outcome(const toml::table&);
    LogStep step(const toml::table&, const LogChapter&);
    LogChapter chapter(const toml::table&);

    Units units_;
    std::set<std::string, std::less<>> ids_; // of steps, in the whole file
};

LogFigure LogReader::figure(const toml::table& table, const LogChapter& chapter, const std::string& date) {
    known_keys(table, {"tflops", "ratio", "value", "unit", "before", "cublas", "size", "of", "device", "date"});
    LogFigure figure;
    constexpr std::array<std::pair<const char*, LogFigure::Kind>, 3> kinds{
        {{"tflops", LogFigure::Kind::tflops}, {"ratio", LogFigure::Kind::ratio}, {"value", LogFigure::Kind::other}}};
    int told = 0;
    for (const auto& [key, kind] : kinds)
        if (table.contains(key)) ++told, figure.kind = kind, figure.value = positive(table, key);
    if (told != 1)
        fail(table.source(), base::say("a figure has one of tflops, ratio and value"),
             base::say("write {{ tflops = 54.2, size = 4096 }}"));
    figure.before = positive(table, "before");
    figure.cublas = positive(table, "cublas");
    const std::string unit = line_of_text(table, "unit");
    const auto known = units_.find(unit);
    if (figure.kind == LogFigure::Kind::other && known == units_.end())
        fail(table.source(), base::say("the unit \"{}\" is not among [units]", unit),
             base::say("add it there, in both languages"));
    else if (figure.kind == LogFigure::Kind::other) figure.unit = known->second;
    if (figure.cublas > 0 && figure.kind != LogFigure::Kind::tflops)
        fail(table.source(), base::say("cublas stands beside tflops"), base::say("leave it out"));
    figure.size = size_of(table, "size", largest_size, {4096, 4096, 4096});
    figure.of = both(table, "of");
    figure.device = line_of_text(table, "device", chapter.device);
    figure.date = line_of_text(table, "date", date);
    return figure;
}

void LogReader::read_scene(const toml::table& step, const LogChapter& chapter, LogScene& scene) {
    const toml::node* node = need(step, "scene", "scene = { view = \"timeline\" }");
    const toml::table* table = node ? node->as_table() : nullptr;
    if (!table) {
        if (node) fail(node->source(), base::say("\"scene\" should be a table"), base::say("write scene = {{ ... }}"));
        return;
    }
    known_keys(*table, {"kernel", "parameters", "size", "view", "baseline", "machine", "source", "look"});
    scene.kernel = line_of_text(*table, "kernel", chapter.kernel);
    scene.view = needed_line(*table, "view", "view = \"timeline\"");
    scene.baseline = line_of_text(*table, "baseline");
    scene.source = line_of_text(*table, "source");
    scene.size = size_of(*table, "size", largest_executed, {});
    scene.look = needed_both(*table, "look");
    if (const toml::node* machine = table->get("machine")) {
        if (const auto yes = machine->value_exact<bool>()) scene.machine = *yes;
        else
            fail(machine->source(), base::say("\"{}\" should be true or false", "machine"),
                 base::say("write {} = true", "machine"));
    }
    const toml::node* values = table->get("parameters");
    if (!values) return;
    if (!values->is_table() || values->as_table()->size() > most_values)
        return fail(values->source(), base::say("\"parameters\" should be a table of numbers"),
                    base::say("write parameters = {{ TILE = 32 }}"));
    for (auto&& [name, value] : *values->as_table())
        scene.parameters[std::string(name.str())] = whole_number(value, name.str());
}

// Whether the step was kept.
bool LogReader::outcome(const toml::table& table) {
    const std::string said = needed_line(table, "outcome", "outcome = \"kept\" or \"dead end\"");
    if (said == "kept" || said == "dead end" || error()) return said == "kept";
    fail(table.get("outcome")->source(), base::say("there is no outcome \"{}\"", said),
         base::say("write \"kept\" or \"dead end\""));
    return true;
}

LogStep LogReader::step(const toml::table& table, const LogChapter& chapter) {
    known_keys(table,
               {"id", "title", "setting", "hypothesis", "predicted", "measured", "cause", "outcome", "scene", "date"});
    LogStep step;
    step.line = line_of(table);
    step.id = needed_line(table, "id", "id = \"fences\"");
    if (!ids_.insert(step.id).second)
        fail(table.source(), base::say("there are two steps \"{}\"", step.id), base::say("rename one"));
    step.title = needed_both(table, "title");
    step.setting = both(table, "setting");
    step.hypothesis = needed_both(table, "hypothesis");
    step.predicted = both(table, "predicted");
    step.cause = both(table, "cause");
    step.kept = outcome(table);
    const std::string date = line_of_text(table, "date", chapter.date);
    const auto figures = tables(table, "measured");
    bounded(table, "measured", figures.size(), most_figures);
    if (figures.empty())
        fail(table.source(), base::say("the step \"{}\" has no measured figure", step.id),
             base::say("add measured = [{{ tflops = 54.2, size = 4096 }}], or tell it in the step that was measured"));
    for (const toml::table* one : figures)
        if (!error()) step.measured.push_back(figure(*one, chapter, date));
    read_scene(table, chapter, step.scene);
    return step;
}

LogChapter LogReader::chapter(const toml::table& table) {
    known_keys(table, {"id", "kernel", "operands", "title", "how", "device", "driver", "compiler", "date", "step"});
    LogChapter chapter;
    chapter.id = needed_line(table, "id", "id = \"fp32\"");
    chapter.kernel = needed_line(table, "kernel", "kernel = \"champion\"");
    chapter.title = needed_both(table, "title");
    chapter.how = needed_both(table, "how");
    chapter.device = needed_line(table, "device", "device = \"NVIDIA H200\"");
    chapter.driver = needed_line(table, "driver", "driver = \"580.159.04\"");
    chapter.compiler = needed_line(table, "compiler", "compiler = \"nvcc 13.0\"");
    chapter.date = needed_line(table, "date", "date = \"2026-11-22\"");
    const std::string operands = needed_line(table, "operands", "operands = \"f32\"");
    if (const auto known = catalog::operand_type_named(operands)) chapter.operands = *known;
    else if (!error())
        fail(table.get("operands")->source(), base::say("there are no operands \"{}\"", operands),
             base::say("write f32, tf32, bf16 or f64"));
    const auto steps = tables(table, "step");
    bounded(table, "step", steps.size(), most_steps);
    for (const toml::table* one : steps)
        if (!error()) chapter.steps.push_back(step(*one, chapter));
    return chapter;
}

double ratio_of(const LogFigure& figure, double value) {
    if (figure.kind == LogFigure::Kind::ratio) return value;
    return figure.kind == LogFigure::Kind::tflops && figure.cublas > 0 ? value / figure.cublas : 0;
}

} // namespace

double LogFigure::ratio() const { return ratio_of(*this, value); }
double LogFigure::ratio_before() const { return ratio_of(*this, before); }

base::Result<ChampionLog> parse_log(const std::string& text, const std::string& path) {
    return LogReader(path).read(text);
}

base::Result<ChampionLog> read_log(const std::filesystem::path& path) {
    const auto text = base::read_file(path);
    if (!text) return text.error();
    return parse_log(*text, path.string());
}

std::vector<LogEntry> entries(const ChampionLog& log, std::optional<catalog::OperandType> operands) {
    std::vector<LogEntry> found;
    for (const LogChapter& chapter : log)
        for (size_t i = 0; i < chapter.steps.size(); ++i)
            if (!operands || chapter.operands == *operands) found.push_back({&chapter, &chapter.steps[i], i + 1});
    return found;
}

std::optional<LogEntry> find_step(const ChampionLog& log, std::string_view id) {
    for (const LogChapter& chapter : log)
        for (size_t i = 0; i < chapter.steps.size(); ++i)
            if (chapter.steps[i].id == id) return LogEntry{&chapter, &chapter.steps[i], i + 1};
    return std::nullopt;
}

bool tells_of(const LogEntry& entry, std::string_view kernel) {
    return entry.chapter->kernel == kernel || entry.step->scene.kernel == kernel;
}

Text text_of(const LogEntry& entry) {
    const auto& [chapter, step, number] = entry;
    Text all;
    const auto add = [&all](const Text& text) { all.en += text.en, all.zh += text.zh; };
    for (const Text* text : {&chapter->title, &chapter->how, &step->title, &step->setting, &step->hypothesis,
                             &step->predicted, &step->cause, &step->scene.look})
        add(*text);
    for (const LogFigure& figure : step->measured)
        add(figure.unit), add(figure.of), add({figure.device, figure.device}), add({figure.date, figure.date});
    return all;
}

} // namespace views
