// grade: whether a student's kernel solves an exercise, and what a class's hand-ins are worth by a sheet, on the CPU alone.
#include "base/file.h"
#include "base/number.h"
#include "cli/command.h"
#include "cli/grade_race.h"
#include "cli/grade_sheet.h"
#include "cli/json.h"
#include "cli/table.h"
#include "cli/words.h"
#include "exercise/sheet_grade.h"
#include "exercise/verdict_words.h"

#include <fmt/format.h>

#include <thread>

namespace cli {
namespace {

using base::Error;
using base::Failure;
using exercise::Judged;

struct GradeCommand { // as typed
    std::string file, work, exercise, seed, limit = "60";
    std::string student, csv, html, junit;
    RaceOptions race;
    bool json = false, key = false;
};

base::Result<exercise::Exercises> known_exercises() {
    auto assets = base::resource_folder("assets");
    if (!assets) return assets.error();
    return exercise::load({*assets / "exercises"});
}

// A folder, or the id of an exercise that comes with the program.
base::Result<std::shared_ptr<const exercise::Exercise>> find_exercise(const std::string& name) {
    std::error_code ignored;
    if (name.find('/') != name.npos || std::filesystem::is_directory(name, ignored)) {
        auto read = exercise::read(name);
        if (!read) return read.error();
        return std::make_shared<const exercise::Exercise>(std::move(*read));
    }
    auto known = known_exercises();
    if (!known) return known.error();
    if (auto found = known->find(name)) return found;
    for (const Error& problem : known->problems)
        if (problem.where.find("/" + name + "/") != std::string::npos) return problem;
    std::vector<std::string> ids;
    for (const auto& one : known->exercises) ids.push_back(one->id);
    return Error{Failure::usage,
                 base::say("there is no exercise \"{}\"", name),
                 {},
                 base::say("give its folder, or one of {}", base::names(ids))};
}

Json judged_json(const exercise::Exercise& exercise, const Judged& judged, const views::Strings& tr) {
    using Standing = Judged::Standing;
    const bool known = judged.standing == Standing::passed || judged.standing == Standing::failed;
    Json json{{"step", judged.rule ? Json(exercise.steps[judged.step].title.en) : Json()},
              {"rule", exercise::rule_text(judged, tr)},
              {"wanted", judged.bound ? number_json(*judged.bound) : Json(judged.wanted.english())},
              {"got", judged.value         ? number_json(*judged.value)
                      : judged.got.empty() ? Json()
                                           : Json(judged.got.english())},
              {"passed", known ? Json(judged.standing == Standing::passed) : Json()},
              {"hint", exercise::hint_text(judged, tr)},
              {"points", judged.rule ? judged.rule->points : 0}};
    if (!judged.look) return json;
    const exercise::Look& look = *judged.look;
    json["look"] = {{"text", look.text.english()},
                    {"file", look.file.empty() ? Json() : Json(look.file)},
                    {"line", look.line > 0 ? Json(look.line) : Json()},
                    {"view", look.view.empty() ? Json() : Json(look.view)},
                    {"command", exercise::see_command(look, "")}};
    return json;
}

Json verdict_json(const exercise::Exercise& exercise, const exercise::Verdict& verdict, const views::Strings& tr) {
    Json rules = Json::array();
    for (const Judged& judged : verdict.rules) rules.push_back(judged_json(exercise, judged, tr));
    return {{"exercise", exercise.id},
            {"file", verdict.file},
            {"passed", verdict.passed()},
            {"points", verdict.points()},
            {"most_points", verdict.most_points()},
            {"rules", std::move(rules)},
            {"counted", verdict.of_machine_code ? "machine" : "ptx"},
            {"findings", verdict.listing ? to_json(verdict.findings, *verdict.listing) : Json::array()},
            {"wall_s", verdict.wall_s}};
}

base::Status list_exercises(const views::Strings& tr) {
    auto known = known_exercises();
    if (!known) return known.error();
    Table table({Table::Align::left, Table::Align::left, Table::Align::right, Table::Align::right});
    for (const auto& one : known->exercises)
        table.row({one->id, tr(one->title), fmt::format("{} steps", one->steps.size()),
                   fmt::format("{} minutes", one->minutes)});
    print(table.text());
    for (const Error& problem : known->problems)
        print_aside(fmt::format("gemmscope: left out: {}\n", problem.sentence()));
    return base::Done{};
}

base::Result<double> limit_of(const GradeCommand& command) {
    auto limit = base::parse_number(command.limit, "--limit");
    if (!limit) return limit.error();
    if (*limit >= 1 && *limit <= 3600) return *limit;
    return Error{Failure::usage, base::say("--limit is {}", command.limit), {}, base::say("give 1 to 3600 seconds")};
}

base::Status grade_file(const GradeCommand& command, const Common& common, const views::Strings& tr,
                        exercise::GradeOptions options) {
    if (command.exercise.empty() && !command.race.given())
        return Error{Failure::usage,
                     base::say("no exercise is named"),
                     {},
                     base::say("give its folder or id with --exercise; gemmscope grade lists those of the program")};
    auto exercise = command.race.given() ? mending_of(command.race, common) : find_exercise(command.exercise);
    if (!exercise) return exercise.error();
    auto source = base::read_named(command.file);
    if (!source) return source.error();
    options.seed = command.seed;
    const exercise::Verdict verdict = exercise::grade(**exercise, *source, command.file, options);
    if (!command.junit.empty())
        if (auto written = base::write_file(command.junit, to_junit(**exercise, verdict, tr)); !written) return written;
    print(command.json ? line(verdict_json(**exercise, verdict, tr)) : exercise::verdict_text(**exercise, verdict, tr));
    const Judged* first = verdict.first();
    if (!first) return base::Done{};
    const bool unknown = first->standing == Judged::Standing::unknown;
    views::Strings english = tr; // as every error of the command line
    english.use(session::Language::en);
    return Error{unknown ? Failure::missing : Failure::check_failed,
                 base::say("not passed: {}", exercise::rule_text(*first, english)),
                 first->look ? exercise::place_text(*first->look) : std::string(),
                 {}};
}

base::Status grade_work(const GradeCommand& command, const Common& common) {
    auto tr = english();
    if (!tr) return tr.error();
    if (common.language == "zh" && !command.json) tr->use(session::Language::zh);
    if (command.race.given() && command.file.empty()) return grade_race(command.race, command.json, common, *tr);
    if (command.file.empty()) return list_exercises(*tr);
    auto limit = limit_of(command);
    if (!limit) return limit.error();
    const int threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    if (!command.file.ends_with(".toml")) return grade_file(command, common, *tr, {{}, *limit, threads});
    auto known = known_exercises();
    if (!known) return known.error();
    auto sheet = exercise::read_sheet(command.file, *known);
    if (!sheet) return sheet.error();
    auto catalog = load_catalog(common);
    if (!catalog) return catalog.error();
    lesson::Executions executions(std::move(*catalog), nullptr, threads);
    return grade_sheet({*sheet, executions, *tr, *limit, threads},
                       {command.work, command.student, command.seed, command.csv, command.html, command.junit,
                        command.json, command.key});
}

} // namespace

Action define_grade(Options& app, const Common& common) {
    auto command = std::make_shared<GradeCommand>();
    app.add_option("FILE", command->file,
                   "a kernel to grade, FILE.cu, or a sheet, SHEET.toml; without it, exercises are listed");
    app.add_option("WORK", command->work,
                   "hand-ins for the sheet: FILE.gemm, a folder with answers.toml and .cu files, or a folder of those; "
                   "without it, the student's sheet is printed");
    app.add_option("--exercise", command->exercise,
                   "for a kernel: the exercise, as a folder or as the id of one that comes with the program")
        .type_name("DIR");
    app.add_option("--seed", command->seed, "any text, a teacher's secret: hidden sizes are drawn from it")
        .type_name("TEXT");
    app.add_option("--student", command->student, "for a sheet: the student's number, from which the items are drawn")
        .type_name("ID");
    app.add_flag("--key", command->key, "print the sheet with the answers");
    app.add_option("--csv", command->csv, "write the points of a class as a table").type_name("FILE");
    app.add_option("--html", command->html, "write the points, or the student's sheet, as a page").type_name("FILE");
    app.add_option("--junit", command->junit, "write the results as JUnit XML, for a course's CI").type_name("FILE");
    app.add_option("--limit", command->limit, "seconds that grading a kernel may take (60)").type_name("S");
    add_race_options(app, command->race);
    app.add_flag("--json", command->json, "print one JSON object; for a class, one per hand-in");
    return [command, &common] { return grade_work(*command, common); };
}

} // namespace cli
