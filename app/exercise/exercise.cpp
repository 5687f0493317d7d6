#include "exercise/exercise.h"

#include "base/file.h"
#include "catalog/catalog.h"
#include "catalog/expression.h"
#include "catalog/toml_reader.h"
#include "lesson/figures.h"
#include "lesson/formula.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

namespace exercise {
namespace {

namespace fs = std::filesystem;

constexpr size_t largest_file = 128 << 10; // bytes
constexpr size_t most_steps = 16, most_rules = 16, most_sizes = 16, most_schedules = 16, most_parameters = 16;
constexpr double most_products = 512.0 * 512 * 512; // of one size: what is executed whole, some tenths of a second

class Reader : catalog::TomlReader {
public:
    explicit Reader(const fs::path& folder) : TomlReader((folder / "exercise.toml").string()) {
        exercise_.folder = folder;
        // "exercises/coalesced/" has an empty last part
        exercise_.id = (folder.has_filename() ? folder : folder.parent_path()).filename().string();
        if (exercise_.id == "." || exercise_.id == "..") {
            std::error_code ignored;
            exercise_.id = fs::weakly_canonical(folder, ignored).filename().string();
        }
    }

    base::Result<Exercise> read(const std::string& toml) {
        if (toml.size() > largest_file)
            return base::Error{base::Failure::usage, base::say("the file has {} bytes", toml.size()), path(),
                               base::say("an exercise may have {}", largest_file)};
        read_root(TomlReader::parse(toml));
        if (error()) return *error();
        return std::move(exercise_);
    }

private:
    void read_root(const toml::table& root) {
        if (error()) return;
        known_keys(root, {"title", "text", "minutes", "order", "lesson", "step"});
        if (const auto* title = need(root, "title", "title = { en = \"...\", zh = \"...\" }"))
            exercise_.title = both_languages(*title, "title");
        if (const auto* text = need(root, "text", "text = { en = \"...\", zh = \"...\" }"))
            exercise_.text = both_languages(*text, "text");
        if (const auto* minutes = root.get("minutes")) exercise_.minutes = whole_number(*minutes, "minutes");
        if (const auto* order = root.get("order")) exercise_.order = whole_number(*order, "order");
        optional_text(root, "lesson", exercise_.lesson);
        const auto steps = tables(root, "step");
        if (steps.empty()) fail(root.source(), base::say("the exercise has no step"), base::say("add [[step]]"));
        bounded(root, "step", steps.size(), most_steps);
        for (const toml::table* step : steps) read_step(*step);
    }

    void read_step(const toml::table& table) {
        known_keys(table, {"title", "rule"});
        Step step;
        if (const auto* title = need(table, "title", "title = { en = \"...\", zh = \"...\" }"))
            step.title = both_languages(*title, "title");
        const auto rules = tables(table, "rule");
        if (rules.empty())
            fail(table.source(), base::say("the step has no rule"), base::say("add [[step.rule]] below it"));
        if (!bounded(table, "rule", rules.size(), most_rules)) return;
        for (const toml::table* rule : rules) step.rules.push_back(read_rule(*rule));
        exercise_.steps.push_back(std::move(step));
    }

    Rule read_rule(const toml::table& table) {
        known_keys(table, {"check", "figure", "moment", "most", "least", "sizes", "parameters", "schedules", "alpha",
                           "beta", "say", "hint", "view", "points"});
        Rule rule;
        rule.line = line_of(table);
        read_kind(table, rule);
        read_sizes(table, rule);
        read_parameters(table, rule);
        if (const auto* say = table.get("say")) rule.say = both_languages(*say, "say");
        if (const auto* hint = need(table, "hint", "hint = { en = \"...\", zh = \"...\" }"))
            rule.hint = both_languages(*hint, "hint");
        optional_text(table, "view", rule.view);
        read_factor(table, "alpha", rule.alpha);
        read_factor(table, "beta", rule.beta);
        if (const auto* points = table.get("points")) {
            rule.points = whole_number(*points, "points");
            if (rule.points < 0 || rule.points > 1000)
                fail(points->source(), base::say("{} points", rule.points), base::say("write 0 to 1000"));
        }
        return rule;
    }

    void read_kind(const toml::table& table, Rule& rule) {
        const toml::node *check = table.get("check"), *figure = table.get("figure");
        if ((check != nullptr) == (figure != nullptr))
            return fail(table.source(), base::say("a rule has a check or a figure"),
                        base::say("write check = \"result\", check = \"findings\" or figure = \"...\""));
        if (figure) return read_figure(table, *figure, rule);
        const std::string name = text_of(*check, "check");
        if (name != "result" && name != "findings")
            return fail(check->source(), base::say("unknown check \"{}\"", name),
                        base::say("write \"result\" or \"findings\""));
        if (name == "result") return;
        rule.kind = Rule::Kind::findings;
        for (const std::string& text : texts(table, "schedules", most_schedules)) {
            auto schedule = trace::schedule_from_text(text);
            if (!schedule) return fail(table.get("schedules")->source(), schedule.error().what, schedule.error().todo);
            rule.schedules.push_back(*schedule);
        }
        if (rule.schedules.empty()) rule.schedules.push_back({});
    }

    void read_figure(const toml::table& table, const toml::node& node, Rule& rule) {
        rule.kind = Rule::Kind::figure;
        rule.figure = text_of(node, "figure");
        optional_text(table, "most", rule.most);
        optional_text(table, "least", rule.least);
        if (rule.most.empty() && rule.least.empty())
            fail(node.source(), base::say("the figure has no bound"),
                 base::say("write most = \"...\", least = \"...\" or both"));
        check_bound(table, "most", rule.most);
        check_bound(table, "least", rule.least);
        need(table, "say", "say = { en = \"...\", zh = \"...\" }");
        if (lesson::is_measured(rule.figure))
            return fail(node.source(), base::say("a speed is not graded: it depends on the machine"),
                        base::say("bound a count"));
        optional_text(table, "moment", rule.moment);
        const auto known = lesson::Figures::names();
        for (const std::string& name : lesson::names_in(rule.figure))
            if (name == in_flight && rule.moment.empty())
                fail(node.source(), base::say("{} is a figure of a moment", name),
                     base::say("add moment = \"first fma in k-tile 2\""));
            else if (name != in_flight && std::find(known.begin(), known.end(), name) == known.end())
                fail(node.source(), base::say("there is no figure \"{}\"", name),
                     base::say("see the list of figures in docs/lessons.md"));
    }

    void check_bound(const toml::table& table, const char* key, const std::string& text) {
        if (text.empty()) return;
        static const std::array<std::string, 3> names{"M", "N", "K"};
        if (auto parsed = catalog::Expression::parse(text, names); !parsed)
            fail(table.get(key)->source(), parsed.error().what, base::say("use M, N, K and whole numbers"));
    }

    void read_sizes(const toml::table& table, Rule& rule) {
        for (const std::string& text : texts(table, "sizes", most_sizes)) {
            auto size = parse_size(text);
            if (!size) return fail(table.get("sizes")->source(), size.error().what, size.error().todo);
            const catalog::Problem largest = size->largest();
            if (static_cast<double>(largest.m) * largest.n * largest.k > most_products)
                return fail(table.get("sizes")->source(), base::say("{} takes too long", size_text(largest)),
                            base::say("choose M, N and K of at most 512 x 512 x 512 multiply-adds"));
            rule.sizes.push_back(std::move(*size));
        }
        if (rule.sizes.empty() && !error())
            fail(table.source(), base::say("\"{}\" is missing", "sizes"),
                 base::say("add {}", "sizes = [\"256x256x256\"]"));
    }

    void read_parameters(const toml::table& table, Rule& rule) {
        const toml::node* node = table.get("parameters");
        if (!node) return;
        const toml::table* given = node->as_table();
        if (!given)
            return fail(node->source(), base::say("\"parameters\" should be a table of numbers"),
                        base::say("write parameters = {{ TILE = 32 }}"));
        if (!bounded(table, "parameters", given->size(), most_parameters)) return;
        for (const auto& [name, value] : *given)
            rule.parameters[std::string(name.str())] = whole_number(value, name.str());
    }

    void read_factor(const toml::table& table, const char* key, double& into) {
        const toml::node* node = table.get(key);
        if (!node) return;
        const auto value = node->value<double>();
        if (value && std::abs(*value) <= 1000) into = *value;
        else fail(node->source(), base::say("\"{}\" should be a number", key), base::say("write -1000 to 1000"));
    }

    Exercise exercise_;
};

} // namespace

base::Result<Exercise> parse(const std::string& toml, const fs::path& folder) { return Reader(folder).read(toml); }

base::Result<Exercise> read(const fs::path& folder) {
    auto toml = base::read_file(folder / "exercise.toml");
    if (!toml) return toml.error();
    auto exercise = parse(*toml, folder);
    if (!exercise) return exercise;
    const fs::path file = folder / (exercise->id + ".cu");
    auto source = base::read_file(file);
    if (!source) return source.error();
    auto starter = catalog::parse(*source, file);
    if (!starter) return starter.error();
    exercise->starter = std::make_shared<const catalog::Kernel>(std::move(*starter));
    return exercise;
}

std::shared_ptr<const Exercise> Exercises::find(std::string_view id) const {
    const auto found = std::find_if(exercises.begin(), exercises.end(), [&](const auto& one) { return one->id == id; });
    return found == exercises.end() ? nullptr : *found;
}

Exercises load(const std::vector<fs::path>& folders) {
    Exercises all;
    for (const fs::path& folder : folders) {
        std::error_code error;
        std::vector<fs::path> found;
        for (fs::directory_iterator each(folder, error), end; !error && each != end; each.increment(error))
            if (std::error_code ignored; fs::is_regular_file(each->path() / "exercise.toml", ignored))
                found.push_back(each->path());
        std::sort(found.begin(), found.end());
        for (const fs::path& one : found) {
            auto exercise = read(one);
            if (exercise) all.exercises.push_back(std::make_shared<const Exercise>(std::move(*exercise)));
            else all.problems.push_back(exercise.error());
        }
    }
    std::stable_sort(all.exercises.begin(), all.exercises.end(), [](const auto& a, const auto& b) {
        return std::tie(a->order, a->id) < std::tie(b->order, b->id);
    });
    return all;
}

} // namespace exercise
