// lesson: lists lessons, prints one with its figures, checks it without a window, shows what a class answered, exports questions.
#include "base/file.h"
#include "base/number.h"
#include "cli/command.h"
#include "cli/table.h"
#include "lesson/check.h"
#include "lesson/class_answers.h"
#include "lesson/class_files.h"
#include "lesson/handout.h"
#include "lesson/quiz.h"
#include "lesson/tell.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <thread>

namespace cli {

base::Result<lesson::Lessons> load_lessons(const Common& common) {
    std::vector<std::filesystem::path> places;
    if (auto assets = base::resource_folder("assets")) places.push_back(*assets / "lessons");
    auto folders = lesson_folders(common);
    if (!folders) return folders.error();
    places.insert(places.end(), folders->begin(), folders->end());
    return lesson::load(places);
}

base::Result<lesson::Executions> lesson_executions(const Common& common) {
    auto catalog = load_catalog(common);
    if (!catalog) return catalog.error();
    auto assets = base::resource_folder("assets");
    if (!assets) return assets.error();
    auto recorded = std::make_shared<lesson::Recorded>(*assets, *catalog);
    const int threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    return lesson::Executions(std::move(*catalog), std::move(recorded), threads);
}

namespace {

using base::Error;
using base::Failure;
using session::Language;

struct LessonOptions {
    std::string lesson;
    std::vector<std::string> collect;
    std::string csv, html, moodle, gift, students = "1", seed = "1";
    std::string handout;
    bool check = false, answers = false;
};

// A file, or the id of one that is known.
base::Result<std::shared_ptr<const lesson::Lesson>> find_lesson(const LessonOptions& options, const Common& common) {
    std::error_code ignored;
    if (options.lesson.ends_with(".md") || std::filesystem::is_regular_file(options.lesson, ignored)) {
        auto read = lesson::read(options.lesson);
        if (!read) return read.error();
        return std::make_shared<const lesson::Lesson>(std::move(*read));
    }
    auto known = load_lessons(common);
    if (!known) return known.error();
    if (auto found = known->find(options.lesson)) return found;
    for (const Error& problem : known->problems) // that lesson may be the one that could not be read
        if (problem.where.find("/" + options.lesson + ".") != std::string::npos) return problem;
    std::vector<std::string> ids;
    for (const auto& one : known->lessons) ids.push_back(one->id);
    return Error{Failure::usage,
                 base::say("there is no lesson \"{}\"", options.lesson),
                 {},
                 base::say("give a file, or one of {}", base::names(ids))};
}

base::Status list_lessons(const Common& common, Language language) {
    auto known = load_lessons(common);
    if (!known) return known.error();
    Table table({Table::Align::left, Table::Align::left, Table::Align::right, Table::Align::right});
    for (const auto& one : known->lessons)
        table.row({one->id, one->title.in(language), fmt::format("{} steps", one->steps.size()),
                   fmt::format("{} minutes", one->minutes)});
    print(table.text());
    for (const Error& problem : known->problems)
        print_aside(fmt::format("gemmscope: left out: {}\n", problem.sentence()));
    return base::Done{};
}

std::string answer_text(const lesson::Question& question, const lesson::ToldQuestion& told, Language language) {
    using Kind = lesson::Question::Kind;
    const lesson::Answer& answer = told.answer;
    std::vector<std::string> parts;
    if (question.kind == Kind::number) parts.push_back(lesson::number_text(answer.number));
    if (question.kind == Kind::lane)
        for (int lane = 0; lane < trace::warp_size; ++lane)
            if (answer.lanes >> lane & 1) parts.push_back(std::to_string(lane));
    for (const size_t item : answer.items) parts.push_back(lesson::plain_text(told.items[item].in(language), " "));
    for (const auto& point : answer.curve)
        parts.push_back(fmt::format("{} {}: {}", question.over, point.x, lesson::number_text(point.y)));
    return fmt::format("{}", fmt::join(parts, ", "));
}

std::string question_text(const lesson::Question& question, const lesson::ToldQuestion& told, Language language) {
    std::string text = fmt::format("? {}\n", lesson::plain_text(told.title.in(language)));
    if (!told.ask.in(language).empty()) text += "  " + lesson::plain_text(told.ask.in(language), "\n  ") + "\n";
    for (const lesson::Text& item : told.items) text += "  - " + lesson::plain_text(item.in(language), " ") + "\n";
    text += fmt::format("= {}\n", answer_text(question, told, language));
    return text + "  " + lesson::plain_text(told.explanation.in(language), "\n  ") + "\n";
}

std::string step_text(const lesson::Step& step, const lesson::Told& told, Language language) {
    std::string text =
        fmt::format("\n## {}\n{}\n", step.title.in(language), lesson::plain_text(told.text.in(language)));
    if (told.number)
        text += fmt::format("> {}{} {}\n", told.before ? told.before->text + " -> " : "", told.number->text,
                            step.scene.label.in(language));
    if (step.question && told.question) text += question_text(*step.question, *told.question, language);
    return text;
}

base::Status print_lesson(const lesson::Lesson& lesson, const Common& common, Language language) {
    auto engine = lesson_executions(common);
    if (!engine) return engine.error();
    print(fmt::format("# {}\n", lesson.title.in(language)));
    std::vector<Error> problems;
    for (size_t i = 0; i < lesson.steps.size(); ++i) {
        const lesson::Step& step = lesson.steps[i];
        const lesson::Told told = lesson::tell(*engine, lesson, i, step.scene.subject);
        print(step_text(step, told, language));
        problems.insert(problems.end(), told.problems.begin(), told.problems.end());
    }
    if (const lesson::Prose& sheet = lesson.teachers.in(language); !sheet.empty())
        print(fmt::format("\n----\n{}\n", lesson::plain_text(sheet, "\n")));
    if (problems.empty()) return base::Done{};
    for (const Error& problem : problems) print_aside(fmt::format("{}\n", problem.sentence()));
    return Error{Failure::check_failed,
                 base::say("{} could not be computed, see above", problems.size()),
                 lesson.path.string(),
                 {}};
}

base::Status check_lessons(const LessonOptions& options, const Common& common) {
    std::vector<Error> faults;
    auto known = load_lessons(common);
    if (!known) return known.error();
    std::vector<std::string> ids;
    for (const auto& one : known->lessons) ids.push_back(one->id);
    lesson::Lessons all;
    if (options.lesson.empty()) {
        all = std::move(*known);
        faults = all.problems;
    } else {
        auto one = find_lesson(options, common);
        if (one) all.lessons = {*one};
        else if (one.error().where.empty()) return one.error();
        else faults = {one.error()};
    }
    auto engine = lesson_executions(common);
    if (!engine) return engine.error();
    size_t steps = 0, questions = 0;
    for (const auto& one : all.lessons) {
        const auto found = lesson::check(*engine, *one, common.frontend->panels, ids);
        faults.insert(faults.end(), found.begin(), found.end());
        steps += one->steps.size();
        for (const lesson::Step& step : one->steps) questions += step.question.has_value();
    }
    for (const Error& fault : faults) print(fault.sentence() + "\n");
    if (!faults.empty())
        return Error{Failure::check_failed,
                     base::say("{} fault{} in lessons", faults.size(), faults.size() == 1 ? "" : "s"),
                     {},
                     {}};
    print(fmt::format("{} lesson{}, {} steps, {} questions: all hold\n", all.lessons.size(),
                      all.lessons.size() == 1 ? "" : "s", steps, questions));
    return base::Done{};
}

base::Status write(const std::string& file, const std::string& text) {
    return file.empty() ? base::Status(base::Done{}) : base::write_file(file, text);
}

// Each file is a student's; one that holds no answers is left out.
base::Status collect(const LessonOptions& options, const Common& common, Language language) {
    auto known = load_lessons(common);
    if (!known) return known.error();
    const lesson::ClassFiles files = lesson::read_class({options.collect.begin(), options.collect.end()});
    if (files.students.empty()) return files.left_out.front();
    for (const Error& problem : files.left_out)
        print_aside(fmt::format("gemmscope: left out: {}\n", problem.sentence()));
    const lesson::Class all = lesson::class_of(files.students, *known);
    if (auto written = write(options.csv, lesson::to_csv(all, language)); !written) return written;
    if (auto written = write(options.html, lesson::to_html(all, language)); !written) return written;
    if (options.csv.empty() && options.html.empty()) print(lesson::to_text(all, language));
    return base::Done{};
}

base::Status export_quiz(const lesson::Lesson& lesson, const LessonOptions& options, const Common& common,
                         Language language) {
    auto students = base::parse_integer(options.students, "--students", 1, 500);
    if (!students) return students.error();
    auto seed = base::parse_integer(options.seed, "--seed", 0, int64_t{1} << 53);
    if (!seed) return seed.error();
    auto engine = lesson_executions(common);
    if (!engine) return engine.error();
    const lesson::Quiz quiz =
        lesson::quiz_of(*engine, lesson, static_cast<size_t>(*students), static_cast<uint64_t>(*seed));
    for (const std::string& note : quiz.notes) print_aside(fmt::format("gemmscope: {}\n", note));
    for (const Error& problem : quiz.problems) print_aside(fmt::format("{}\n", problem.sentence()));
    if (quiz.questions.empty() && quiz.problems.empty())
        return Error{Failure::usage, base::say("the lesson has no question to export"), lesson.path.string(),
                     base::say("\"gemmscope lesson\" lists others")};
    if (auto written = write(options.moodle, to_moodle(quiz, language)); !written) return written;
    if (auto written = write(options.gift, to_gift(quiz, language)); !written) return written;
    if (quiz.problems.empty()) return base::Done{};
    return Error{Failure::check_failed, base::say("questions without an answer were left out"), lesson.path.string(),
                 base::say("see gemmscope lesson --check")};
}

// Each view of each step, in light colours and large type: on A4 a line of it is as high as one of the text.
base::Result<cli::PicturesRequest> handout_pictures(const lesson::Lesson& lesson,
                                                    const std::vector<lesson::HandoutStep>& steps, const Common& common,
                                                    Language language) {
    PicturesRequest request;
    request.width = 1280, request.height = 640; // two steps find room on a page
    auto folders = kernel_folders(common);
    if (!folders) return folders.error();
    auto assets = base::resource_folder("assets");
    if (!assets) return assets.error();
    request.options.kernel_folders = std::move(*folders);
    request.options.assets = request.assets = *assets;
    request.options.keep_event = true;
    session::View readers;
    readers.language = language;
    readers.theme = session::Theme::light;
    readers.projector = true;
    for (size_t i = 0; i < steps.size(); ++i) {
        session::View view = lesson::scene(lesson, i, readers);
        const lesson::Told& told = steps[i].told;
        view.selection.event = told.event;
        view.stage.shown = false;
        for (const std::string& what : {view.stage.first, view.stage.second})
            if (!what.empty()) request.views.push_back({view, what, told.first_line, told.last_line});
    }
    return request;
}

base::Status write_handout(const lesson::Lesson& lesson, const LessonOptions& options, const Common& common,
                           Language language) {
    auto engine = lesson_executions(common);
    if (!engine) return engine.error();
    auto assets = base::resource_folder("assets");
    if (!assets) return assets.error();
    auto strings = views::Strings::load(*assets / "i18n");
    if (!strings) return strings.error();
    strings->use(language);
    std::vector<lesson::HandoutStep> steps;
    for (size_t i = 0; i < lesson.steps.size(); ++i) {
        const lesson::Step& step = lesson.steps[i];
        lesson::Told told = lesson::tell(*engine, lesson, i, step.scene.subject);
        if (!told.problems.empty()) return told.problems.front();
        steps.push_back({std::move(told), lesson::facts(*engine, lesson, step, *strings), {}});
    }
    auto request = handout_pictures(lesson, steps, common, language);
    if (!request) return request.error();
    auto drawn = common.frontend->pictures(*request);
    if (!drawn) return drawn.error();
    size_t next = 0;
    for (size_t i = 0; i < steps.size(); ++i)
        for (size_t j = std::max<size_t>(lesson.steps[i].scene.views.size(), 1); j > 0 && next < drawn->size(); --j)
            steps[i].pictures.push_back(std::move((*drawn)[next++]));
    return base::write_file(options.handout, lesson::to_handout(lesson, steps, *strings, options.answers));
}

} // namespace

Action define_lesson(Options& app, const Common& common) {
    auto options = std::make_shared<LessonOptions>();
    app.add_option("LESSON", options->lesson, "FILE.md, or the id of a lesson; without it, all are listed");
    app.add_flag("--check", options->check,
                 "compute every figure and answer, in each language; exit 1 with the faults, if any");
    app.add_option("--collect", options->collect, "count answers: one file per student, or folders of such files")
        .type_name("PATH...");
    app.add_option("--csv", options->csv, "write the counts as a table").needs("--collect").type_name("FILE");
    app.add_option("--html", options->html, "write the counts as a page").needs("--collect").type_name("FILE");
    app.add_option("--handout", options->handout,
                   "write the lesson as a page to print, with its pictures and questions")
        .type_name("FILE.html");
    app.add_flag("--answers", options->answers, "with --handout: add the answers and the sheet for teachers");
    app.add_option("--moodle", options->moodle, "write the lesson's questions and answers as Moodle XML")
        .type_name("FILE.xml");
    app.add_option("--gift", options->gift, "write the questions and answers as GIFT").type_name("FILE");
    app.add_option("--students", options->students, "number of settings to draw for each question (1)").type_name("N");
    app.add_option("--seed", options->seed, "seed of the draw (1)").type_name("N");
    app.note(own_folders);
    return [options, &common]() -> base::Status {
        const Language language = common.language == "zh" ? Language::zh : Language::en;
        if (!options->collect.empty()) return collect(*options, common, language);
        if (options->check) return check_lessons(*options, common);
        const bool exports = !options->moodle.empty() || !options->gift.empty() || !options->handout.empty();
        if (options->lesson.empty() && exports)
            return Error{Failure::usage,
                         base::say("no lesson is named"),
                         {},
                         base::say("give the id or file of the one to export")};
        if (options->lesson.empty()) return list_lessons(common, language);
        if (options->answers && options->handout.empty())
            return Error{
                Failure::usage, base::say("--answers without a handout"), {}, base::say("add --handout FILE.html")};
        auto lesson = find_lesson(*options, common);
        if (!lesson) return lesson.error();
        if (!options->handout.empty())
            if (auto written = write_handout(**lesson, *options, common, language); !written) return written;
        if (!options->moodle.empty() || !options->gift.empty())
            return export_quiz(**lesson, *options, common, language);
        if (exports) return base::Done{};
        return print_lesson(**lesson, common, language);
    };
}

} // namespace cli
