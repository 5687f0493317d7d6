#include "lesson/step_table.h"

#include "base/text.h"
#include "catalog/toml_reader.h"
#include "trace/schedule.h"

#include <fmt/format.h>

#include <algorithm>

namespace lesson {
namespace {

constexpr size_t longest_text = 400;        // of one value, bytes
constexpr size_t most_values = 64;          // of one list or table
constexpr int largest_size = 1 << 14;       // that is executed
constexpr int largest_speed_size = 1 << 20; // that was measured

// One fenced block.
class TableReader : catalog::TomlReader {
public:
    TableReader(const std::string& path, uint32_t line) : TomlReader(path, line - 1), line_(line) {}

    base::Result<StepTable> step(const std::string& toml);
    base::Result<Question> question(const std::string& toml, const Scene& step);
    base::Result<FrontMatter> front_matter(const std::string& toml, bool translation);

private:
    std::string text(const toml::table& table, std::string_view key) {
        const toml::node* node = table.get(key);
        return node ? bounded(*node, key) : std::string();
    }
    std::string bounded(const toml::node& node, std::string_view key) {
        std::string text = text_of(node, key);
        if (text.size() > longest_text)
            fail(node.source(), base::say("\"{}\" has {} bytes", key, text.size()),
                 base::say("write at most {}", longest_text));
        return text;
    }
    int whole(const toml::table& table, std::string_view key, int otherwise, int least, int most) {
        const toml::node* node = table.get(key);
        if (!node) return otherwise;
        const int value = whole_number(*node, key);
        if (value < least || value > most)
            fail(node->source(), base::say("{} is {}", key, value),
                 base::say("write a number from {} to {}", least, most));
        return std::clamp(value, least, most);
    }
    double real(const toml::table& table, std::string_view key, double otherwise) {
        const toml::node* node = table.get(key);
        if (!node) return otherwise;
        if (const auto value = node->value<double>(); value && std::isfinite(*value)) return *value;
        fail(node->source(), base::say("\"{}\" should be a number", key), base::say("write {} = 0.5", key));
        return otherwise;
    }
    bool yes(const toml::table& table, std::string_view key) {
        const toml::node* node = table.get(key);
        if (!node) return false;
        if (const auto value = node->value_exact<bool>()) return *value;
        fail(node->source(), base::say("\"{}\" should be true or false", key), base::say("write {} = true", key));
        return false;
    }
    std::optional<Formula> formula(const toml::table& table, std::string_view key) {
        const toml::node* node = table.get(key);
        if (!node) return {};
        return formula_of(*node, key);
    }
    Formula formula_of(const toml::node& node, std::string_view key) {
        if (const auto number = node.value_exact<int64_t>()) return {std::to_string(*number), line_of(node)};
        if (node.is_floating_point()) return {fmt::format("{}", *node.value<double>()), line_of(node)};
        return {bounded(node, key), line_of(node)};
    }

    // Calls f(element) for each of a list.
    template <class F>
    void each(const toml::table& table, std::string_view key, F f) {
        const toml::node* node = table.get(key);
        if (!node) return;
        const toml::array* list = node->as_array();
        if (!list || list->size() > most_values) {
            fail(node->source(), base::say("\"{}\" should be a list of at most {} values", key, most_values),
                 base::say("write {} = [\"...\", \"...\"]", key));
            return;
        }
        for (const toml::node& element : *list) f(element);
    }
    std::vector<std::string> texts(const toml::table& table, std::string_view key) {
        std::vector<std::string> found;
        each(table, key, [&](const toml::node& element) { found.push_back(bounded(element, key)); });
        return found;
    }
    std::vector<Formula> formulas(const toml::table& table, std::string_view key) {
        std::vector<Formula> found;
        each(table, key, [&](const toml::node& element) { found.push_back(formula_of(element, key)); });
        return found;
    }

    KeyLines lines_of(const toml::table& table) const {
        KeyLines lines;
        for (auto&& [key, value] : table) lines[std::string(key.str())] = line_of(value);
        return lines;
    }
    void read_subject(const toml::table&, session::Subject&);
    void read_block(const toml::table&, base::Dim3&);
    void read_speed_size(const toml::table&, catalog::Problem&);

    uint32_t line_;
};

// Over what `subject` has.
void TableReader::read_subject(const toml::table& table, session::Subject& subject) {
    if (const toml::node* kernel = table.get("kernel")) {
        subject.kernel = bounded(*kernel, "kernel");
        subject.parameters.clear();
        subject.breaks.clear();
    }
    if (const toml::node* node = table.get("parameters")) {
        const toml::table* values = node->as_table();
        if (!values || values->size() > most_values)
            fail(node->source(), base::say("\"parameters\" should be a table of numbers"),
                 base::say("write parameters = {{ TILE = 32 }}"));
        else
            for (auto&& [name, value] : *values)
                subject.parameters[std::string(name.str())] = whole_number(value, name.str());
    }
    subject.problem.m = whole(table, "m", subject.problem.m, 1, largest_size);
    subject.problem.n = whole(table, "n", subject.problem.n, 1, largest_size);
    subject.problem.k = whole(table, "k", subject.problem.k, 1, largest_size);
    subject.alpha = real(table, "alpha", subject.alpha);
    subject.beta = real(table, "beta", subject.beta);
    subject.seed = static_cast<uint64_t>(whole(table, "seed", static_cast<int>(subject.seed), 0, 1 << 30));
    if (const toml::node* node = table.get("schedule")) {
        const auto schedule = trace::schedule_from_text(bounded(*node, "schedule"));
        if (schedule) subject.schedule = *schedule;
        else fail(node->source(), schedule.error().what, schedule.error().todo);
    }
    if (table.contains("engine")) {
        const std::string name = text(table, "engine");
        if (const auto engine = trace::engine_named(name)) subject.engine = *engine;
        else
            fail_at(line_, base::say("there is no engine {}", name),
                    base::say("write engine = \"machine\" or \"ptx\""));
    }
    if (table.contains("breaks")) {
        const auto names = texts(table, "breaks");
        subject.breaks = {names.begin(), names.end()};
    }
}

void TableReader::read_block(const toml::table& table, base::Dim3& block) {
    std::vector<uint32_t> index;
    each(table, "block", [&](const toml::node& element) {
        const int value = whole_number(element, "block");
        if (value < 0) fail(element.source(), base::say("block is {}", value), base::say("count blocks from 0"));
        index.push_back(static_cast<uint32_t>(std::max(value, 0)));
    });
    if (index.size() > 3)
        fail(table.get("block")->source(), base::say("a block has three coordinates"),
             base::say("write block = [x, y]"));
    index.resize(3);
    block = {index[0], index[1], index[2]};
}

// speed_size = 4096, or [M, N, K]
void TableReader::read_speed_size(const toml::table& table, catalog::Problem& size) {
    const toml::node* node = table.get("speed_size");
    if (node && !node->is_array()) {
        const int edge = whole(table, "speed_size", 4096, 1, largest_speed_size);
        size = {edge, edge, edge};
        return;
    }
    std::vector<int> edges;
    each(table, "speed_size", [&](const toml::node& element) { edges.push_back(whole_number(element, "speed_size")); });
    if (!node) return;
    const auto is_edge = [](int edge) { return edge >= 1 && edge <= largest_speed_size; };
    if (edges.size() != 3 || !std::all_of(edges.begin(), edges.end(), is_edge))
        fail(node->source(), base::say("\"speed_size\" should be a size"),
             base::say("write speed_size = 4096 or speed_size = [M, N, K]"));
    else size = {edges[0], edges[1], edges[2]};
}

base::Result<StepTable> TableReader::step(const std::string& toml) {
    const toml::table table = parse(toml);
    known_keys(table, {"kernel",   "parameters", "m",      "n",      "k",      "alpha", "beta",      "seed",
                       "schedule", "engine",     "breaks", "block",  "warp",   "lane",  "moment",    "views",
                       "number",   "label",      "before", "slider", "source", "check", "speed_size"});
    StepTable step;
    Scene& scene = step.scene;
    scene.lines = lines_of(table);
    if (const toml::node* kernel = need(table, "kernel", "kernel = \"shared_tile\""); kernel)
        read_subject(table, scene.subject);
    read_block(table, scene.block);
    scene.warp = whole(table, "warp", 0, 0, 31);
    scene.lane = whole(table, "lane", 0, 0, 31);
    scene.moment = text(table, "moment");
    scene.views = texts(table, "views");
    if (scene.views.size() > 2)
        fail(table.get("views")->source(), base::say("{} views", scene.views.size()), base::say("name one or two"));
    scene.slider = text(table, "slider");
    scene.source = text(table, "source");
    scene.number = formula(table, "number");
    scene.before = text(table, "before");
    read_speed_size(table, scene.speed_size);
    if (const toml::node* label = table.get("label")) {
        const catalog::Text both = both_languages(*label, "label");
        scene.label = {both.en, both.zh};
    }
    if (scene.number && scene.label.en.empty())
        fail(table.get("number")->source(), base::say("\"number\" has no \"label\""),
             base::say("add label = {{ en = \"wavefronts\", zh = \"wavefront\" }}"));
    step.checks = formulas(table, "check");
    if (error()) return *error();
    return step;
}

base::Result<Question> TableReader::question(const std::string& toml, const Scene& step) {
    const toml::table table = parse(toml);
    known_keys(table,
               {"kind",   "kernel", "parameters", "m",      "n",     "k",    "alpha", "beta", "seed",   "schedule",
                "engine", "breaks", "answer",     "within", "right", "lane", "by",    "over", "follow", "vary"});
    Question question;
    question.line = line_;
    question.lines = lines_of(table);
    question.subject = step.subject;
    read_subject(table, question.subject);
    const std::string kind = text(table, "kind");
    const auto known = std::find(Question::kinds.begin(), Question::kinds.end(), kind);
    if (known == Question::kinds.end())
        fail_at(line_, base::say("the question's kind is \"{}\"", kind),
                base::say("write kind = \"number\", \"choice\", \"lane\", \"order\" or \"curve\""));
    else question.kind = static_cast<Question::Kind>(known - Question::kinds.begin());
    question.answer = formula(table, "answer").value_or(Formula{});
    question.within = real(table, "within", 0);
    question.right = formulas(table, "right");
    question.lane = formula(table, "lane").value_or(Formula{});
    question.by = formulas(table, "by");
    question.over = text(table, "over");
    question.follow = yes(table, "follow");
    question.vary = texts(table, "vary");
    using Kind = Question::Kind;
    const auto required = [&](bool there, Kind of, const char* what) {
        if (!there && !error() && question.kind == of)
            fail_at(line_, base::say("{} is missing", what), base::say("add {}", what));
    };
    required(!question.answer.text.empty(), Kind::number, "answer = \"access.wavefronts\"");
    required(!question.answer.text.empty() || !question.right.empty(), Kind::choice, "answer = \"access.wavefronts\"");
    required(!question.lane.text.empty(), Kind::lane, "lane = \"bank == worst_bank\"");
    required(!question.by.empty(), Kind::order, "by = [\"...\", \"...\"]");
    required(!question.over.empty() && !question.answer.text.empty(), Kind::curve,
             "over = \"BK\" and answer = \"speed.tflops\"");
    if (error()) return *error();
    return question;
}

base::Result<FrontMatter> TableReader::front_matter(const std::string& toml, bool translation) {
    const toml::table table = parse(toml);
    if (translation) known_keys(table, {"title"});
    else known_keys(table, {"title", "minutes", "needs"});
    FrontMatter front;
    if (need(table, "title", "title = \"Bank conflicts\"")) front.title = text(table, "title");
    front.minutes = whole(table, "minutes", 10, 1, 600);
    front.needs = texts(table, "needs");
    if (const toml::node* needs = table.get("needs")) front.needs_line = line_of(*needs);
    if (error()) return *error();
    return front;
}

} // namespace

base::Result<StepTable> read_step(const std::string& toml, const std::string& path, uint32_t line) {
    return TableReader(path, line).step(toml);
}

base::Result<Question> read_question(const std::string& toml, const std::string& path, uint32_t line,
                                     const Scene& step) {
    return TableReader(path, line).question(toml, step);
}

base::Result<FrontMatter> read_front_matter(const std::string& toml, const std::string& path, uint32_t line,
                                            bool translation) {
    return TableReader(path, line).front_matter(toml, translation);
}

} // namespace lesson
