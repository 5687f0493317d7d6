// The window (no command) and render: which view, and the options that override it.
#include "base/file.h"
#include "base/number.h"
#include "cli/json.h"
#include "cli/sizes.h"
#include "cli/source.h"
#include "exercise/hand_in.h"
#include "lesson/class_files.h"
#include "lesson/lesson.h"
#include "session/nearest.h"
#include "session/open_file.h"
#include "session/own_kernels.h"
#include "session/system_theme.h"
#include "timing/switches.h"
#include "views/page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace cli {
namespace {

using base::Error;
using base::Failure;
namespace fs = std::filesystem;

struct Look { // options of window and render
    std::string file, state, theme, probe, worker, student;
    std::vector<std::string> answers;
    bool projector = false, desktop = false;
};

void add_look_options(Options& app, Look& look) {
    app.add_option("--state", look.state, "restore the view from FILE.json, and save it there").type_name("FILE.json");
    app.add_option("--theme", look.theme, "dark or light (at the first start, the desktop's)")
        .one_of({"dark", "light"})
        .type_name("THEME");
    app.add_flag("--projector", look.projector, "large type");
    app.add_option("--class", look.answers, "students' answers, a file or a folder of them, to show as histograms")
        .type_name("PATH")
        .one_value();
}

void take_look(session::View& view, const Look& look, const Common& common) {
    if (!common.language.empty())
        view.language = common.language == "zh" ? session::Language::zh : session::Language::en;
    if (!look.theme.empty()) view.theme = look.theme == "light" ? session::Theme::light : session::Theme::dark;
    if (look.projector) view.projector = true;
}

// Of --class. What holds no answers inside a folder is left out; what is named must hold some.
base::Result<std::vector<fs::path>> class_places(const Look& look) {
    std::vector<fs::path> places(look.answers.begin(), look.answers.end());
    for (const fs::path& place : places)
        if (const auto one = lesson::read_class({place}); one.students.empty()) return one.left_out.front();
    return places;
}

base::Result<session::Options> session_options(const Common& common, fs::path& assets) {
    auto folders = kernel_folders(common);
    if (!folders) return folders.error();
    auto found = base::resource_folder("assets");
    if (!found) return found.error();
    assets = *found;
    session::Options options;
    options.kernel_folders = std::move(*folders);
    options.assets = assets;
    return options;
}

// A state file that the user names must be there and whole; the program's own may be neither.
base::Result<session::View> named_state(const std::string& file) {
    auto text = base::read_named(file);
    if (!text) return text.error();
    auto view = session::view_from_json(*text);
    if (!view)
        return Error{view.error().failure, view.error().what, file,
                     base::say("correct the file, or start without --state")};
    return view;
}

// A file that describes itself, as a further kernel, or in place of one with its name.
base::Result<std::string> add_kernel(const catalog::Kernel& kernel, session::Options& options) {
    const fs::path file = fs::absolute(kernel.path);
    options.kernel_folders.push_back(file);
    const catalog::Catalog catalog = catalog::load(options.kernel_folders);
    const auto is_about_it = [&](const Error& problem) { return problem.where.starts_with(file.string()); };
    const auto problem = std::find_if(catalog.problems.begin(), catalog.problems.end(), is_about_it);
    if (problem != catalog.problems.end()) return *problem; // a family that does not exist
    return kernel.id;
}

// SRC of a picture: a catalogue kernel, or such a file.
base::Result<std::string> kernel_of(const std::string& source, session::Options& options) {
    if (!source.ends_with(".cu")) return source;
    auto text = base::read_file(source);
    if (!text) return text.error();
    auto kernel = catalog::parse(*text, source);
    if (!kernel) return kernel.error();
    return add_kernel(*kernel, options);
}

base::Status take_file(const std::string& file, WindowRequest& request) {
    auto opened = session::open_file(file);
    if (!opened) return opened.error();
    if (auto* view = std::get_if<session::View>(&*opened)) {
        request.view = std::move(*view);
        return base::Done{};
    }
    auto id = add_kernel(std::get<catalog::Kernel>(*opened), request.options);
    if (!id) return id.error();
    request.view.subject.kernel = std::move(*id);
    request.view.subject.parameters.clear();
    request.view.selection.event = 0;
    return base::Done{};
}

base::Status take_named(const std::string& file, WindowRequest& request) {
    if (!file.ends_with(".gemm")) return take_file(file, request);
    if (auto work = exercise::read_hand_in(file); !work) return work.error();
    request.hand_in = fs::absolute(file);
    return base::Done{};
}

std::string logged_in() {
    for (const char* name : {"USER", "LOGNAME"})
        if (const char* const value = std::getenv(name); value && *value) return value;
    return "student";
}

base::Status open_window(const Look& look, const Common& common) {
    WindowRequest request;
    auto options = session_options(common, request.assets);
    if (!options) return options.error();
    request.options = std::move(*options);
    auto lessons = lesson_folders(common);
    if (!lessons) return lessons.error();
    request.lessons = std::move(*lessons);
    auto answers = class_places(look);
    if (!answers) return answers.error();
    request.answers = std::move(*answers);
    request.student = look.student.empty() ? logged_in() : look.student;
    if (look.state.empty()) {
        request.options.state_file = base::state_folder() / "view.json";
        std::error_code error;
        const bool remembered = fs::exists(request.options.state_file, error);
        request.first_start = look.file.empty() && !remembered;
        session::Restored restored = session::restore(request.options.state_file);
        request.view = std::move(restored.view);
        if (!remembered && look.theme.empty())
            request.view.theme = session::system_theme(session::own_desktop()).value_or(request.view.theme);
        if (!remembered) request.view.language = session::system_language(session::own_desktop());
        if (!restored.notice.empty()) request.options.notices.push_back(restored.notice);
    } else {
        auto view = named_state(look.state);
        if (!view) return view.error();
        request.view = std::move(*view);
        request.options.state_file = look.state;
    }
    if (!look.file.empty()) {
        const base::Status opened = take_named(look.file, request);
        if (!opened && !look.desktop) return opened.error();
        if (!opened) request.options.notices.push_back(opened.error().said());
    }
    take_look(request.view, look, common);
    request.probe_file = look.probe;
    request.options.worker = look.worker;
    request.options.own_sweeps = session::own_sweeps();
    request.options.machines = session::own_machines();
    request.options.own_kernels = session::own_kernels();
    request.options.interactive = true;
    return common.frontend->window(request);
}

struct RenderOptions {
    SourceOptions source;
    Look look;
    std::string what, png, size = "1600x900", baseline, speed_size, parameter, step, lane, warp, block, field, lesson,
                           steps, pace = "250";
    std::vector<std::string> what_if;
    std::string axis;
    bool answered = false, caption = false;
    bool table = false, csv = false, json = false; // in place of the picture, or beside it
    bool as_text() const { return table || csv || json; }
};

base::Status check_view(const std::string& what, const std::vector<std::string>& views) {
    if (std::find(views.begin(), views.end(), what) != views.end()) return base::Done{};
    std::string meant = session::nearest(what, views);
    return Error{Failure::usage,
                 base::say("there is no view {}", what),
                 {},
                 meant.empty() ? base::say("choose one of {}", base::names(views))
                               : base::say("did you mean {}?", meant)};
}

base::Status take_size(RenderRequest& request, const std::string& size) {
    const size_t cross = std::min(size.find('x'), size.size() - (size.empty() ? 0 : 1));
    auto width = base::parse_integer(size.substr(0, cross), "--size width", 64, 16384);
    if (!width) return width.error();
    auto height = base::parse_integer(size.substr(std::min(cross + 1, size.size())), "--size height", 64, 16384);
    if (!height) return height.error();
    request.width = static_cast<int>(*width), request.height = static_cast<int>(*height);
    return base::Done{};
}

base::Status take_selection(RenderRequest& request, const RenderOptions& options) {
    session::Selection& selection = request.view.selection;
    if (!options.block.empty()) {
        auto block = parse_dim3(options.block, "--at", 0);
        if (!block) return block.error();
        selection.block = *block;
    }
    for (auto [text, name, into] :
         {std::tuple{&options.warp, "--warp", &selection.warp}, {&options.lane, "--lane", &selection.lane}}) {
        if (text->empty()) continue;
        auto value = base::parse_integer(*text, name, 0, 31);
        if (!value) return value.error();
        *into = static_cast<int>(*value);
    }
    if (options.step.empty()) return base::Done{};
    auto step = base::parse_integer(options.step, "--step", 0, std::numeric_limits<uint32_t>::max() - 1);
    if (!step) return step.error();
    selection.event = static_cast<uint32_t>(*step);
    request.options.keep_event = true;
    return base::Done{};
}

// Of the plot of one parameter, not of the map of two.
base::Status take_parameter(session::View& view, const catalog::Kernel& kernel, const std::string& name) {
    if (!catalog::find_parameter(kernel, name))
        return Error{Failure::usage,
                     base::say("--parameter {}: {} has no such parameter", name, kernel.id),
                     {},
                     kernel.parameters.empty()
                         ? base::say("leave it out")
                         : base::say("choose one of {}", base::names(catalog::parameter_names(kernel)))};
    view.parameter = name;
    view.second_parameter = "-";
    return base::Done{};
}

std::vector<std::string> switch_names() {
    std::vector<std::string> names;
    for (const timing::Switch& one : timing::switches()) names.emplace_back(one.name);
    return names;
}

base::Status take_what_if(session::View& view, const std::vector<std::string>& names) {
    for (const std::string& name : names) {
        const timing::Switch* found = timing::find_switch(name);
        if (!found)
            return Error{Failure::usage,
                         base::say("--what-if {} is no switch", name),
                         {},
                         base::say("choose one of {}", base::names(switch_names()))};
        found->turn(view.what_if, true);
    }
    return base::Done{};
}

// The id of a lesson, or its file, which joins those that are known.
base::Result<std::shared_ptr<const lesson::Lesson>> lesson_of(RenderRequest& request, const std::string& name) {
    if (name.ends_with(".md")) {
        auto read = lesson::read(name);
        if (!read) return read.error();
        request.lessons.emplace_back(name);
        return std::make_shared<const lesson::Lesson>(std::move(*read));
    }
    std::vector<fs::path> places{request.assets / "lessons"};
    places.insert(places.end(), request.lessons.begin(), request.lessons.end());
    const lesson::Lessons known = lesson::load(places);
    if (auto found = known.find(name)) return found;
    for (const Error& problem : known.problems) // that lesson may be the one that could not be read
        if (problem.where.find("/" + name + ".") != std::string::npos) return problem;
    return Error{Failure::usage,
                 base::say("there is no lesson \"{}\"", name),
                 {},
                 base::say("\"gemmscope lesson\" lists them; for your own add --lessons FOLDER, or name its file")};
}

// Counted from 1, or by its id.
base::Result<size_t> step_of(const lesson::Lesson& lesson, const std::string& text) {
    std::vector<std::string> ids;
    for (const lesson::Step& step : lesson.steps) {
        if (step.id == text) return ids.size();
        ids.push_back(step.id);
    }
    const auto number = base::parse_integer(text, "--lesson ID:STEP", 1, std::ssize(lesson.steps));
    if (number) return static_cast<size_t>(*number) - 1;
    return Error{Failure::usage,
                 base::say("there is no step \"{}\" in lesson \"{}\"", text, lesson.id),
                 {},
                 base::say("count from 1 to {}, or name one of {}", ids.size(), base::names(ids))};
}

// "04_bank_conflicts:3", "04_bank_conflicts:sixteen" or "my_lesson.md:see". What its step cannot show is no picture.
base::Status take_lesson(RenderRequest& request, const RenderOptions& options, const catalog::Catalog& catalog) {
    const size_t colon = options.lesson.rfind(':');
    request.answered = options.answered;
    if (options.lesson.substr(0, colon).empty())
        return Error{Failure::usage,
                     base::say("a picture of a lesson needs --lesson ID:STEP"),
                     {},
                     base::say("\"gemmscope lesson\" lists them")};
    const auto lesson = lesson_of(request, options.lesson.substr(0, colon));
    if (!lesson) return lesson.error();
    request.lesson = (*lesson)->id;
    const auto step = colon == std::string::npos ? base::Result<size_t>(size_t{0})
                                                 : step_of(**lesson, options.lesson.substr(colon + 1));
    if (!step) return step.error();
    request.lesson_step = static_cast<uint32_t>(*step);
    const session::Subject& subject = (*lesson)->steps[*step].scene.subject;
    if (const auto job = session::resolve(catalog, subject); !job) {
        Error error = job.error();
        if (!catalog.find(subject.kernel))
            error.todo = base::say("{}; if it is yours, add --kernels FOLDER", error.todo);
        return error;
    }
    return base::Done{};
}

// The view's text twin on standard output.
base::Status print_tables(const RenderRequest& request, const RenderOptions& options, const Frontend& frontend) {
    auto tables = frontend.tables(request);
    if (!tables) return tables.error();
    if (options.json) {
        Json all = Json::array();
        for (const views::Table& table : *tables) all.push_back(to_json(table));
        print(line({{"view", request.what}, {"tables", all}}));
    }
    for (size_t i = 0; !options.json && i < tables->size(); ++i)
        print(options.csv ? comma_separated((*tables)[i]) : (i ? "\n" : "") + aligned_text((*tables)[i]));
    return base::Done{};
}

// "200..260" or "barrier", into a file of frames.
base::Status take_steps(RenderRequest& request, const RenderOptions& options) {
    const bool into_frames = options.png.ends_with(".apng") || options.png.ends_with(".gif");
    if (options.steps.empty() && !into_frames) return base::Done{};
    if (options.steps.empty() || !into_frames)
        return Error{Failure::usage,
                     base::say("an animation needs --steps and a file name that ends in .apng or .gif"),
                     {},
                     base::say("give --steps barrier -o FILE.apng")};
    request.animated = true;
    auto pace = base::parse_integer(options.pace, "--pace", 20, 10000);
    if (!pace) return pace.error();
    request.milliseconds = static_cast<int>(*pace);
    if (options.steps == "barrier") return base::Done{};
    constexpr int64_t most = std::numeric_limits<uint32_t>::max() - 1;
    const size_t dots = options.steps.find("..");
    auto first = base::parse_integer(options.steps.substr(0, dots), "--steps FROM..TO, or barrier; FROM", 0, most);
    if (!first) return first.error();
    const std::string behind = dots == std::string::npos ? "" : options.steps.substr(dots + 2);
    auto last = base::parse_integer(behind, "--steps FROM..TO; TO", *first, most);
    if (!last) return last.error();
    request.steps = {static_cast<uint32_t>(*first), static_cast<uint32_t>(*last)};
    return base::Done{};
}

// To hand out: the view, or of the window every view, each with its text twin.
base::Status write_page(RenderRequest request, const std::string& kernel, const Frontend& frontend) {
    auto strings = views::Strings::load(request.assets / "i18n");
    if (!strings) return strings.error();
    strings->use(request.view.language);
    PicturesRequest pictures{request.options, request.assets, 1280, 720, {}};
    pictures.options.keep_event = true;
    session::View printed = request.view;
    printed.theme = session::Theme::light;
    for (const std::string& panel : frontend.panels)
        if (request.what == panel || request.what == "window") pictures.views.push_back({printed, panel});
    if (pictures.views.empty())
        return Error{Failure::usage,
                     base::say("{} is no view of a kernel", request.what),
                     {},
                     base::say("a lesson is written by gemmscope lesson --handout FILE.html")};
    auto drawn = frontend.pictures(pictures);
    if (!drawn) return drawn.error();
    auto tables = frontend.tables(request);
    if (!tables) return tables.error();
    std::vector<views::PageView> shown;
    for (views::Table& table : *tables) { // every view has some, which have its title
        if (shown.empty() || shown.back().tables.front().title != table.title) shown.emplace_back();
        shown.back().tables.push_back(std::move(table));
    }
    for (size_t i = 0; i < shown.size() && i < drawn->size(); ++i) shown[i].picture = std::move((*drawn)[i]);
    return base::write_file(request.png, views::to_html(kernel, shown, *strings));
}

base::Status render(const RenderOptions& options, const Common& common) {
    RenderRequest request;
    if (auto known = check_view(options.what, common.frontend->views); !known) return known;
    if (options.table + options.csv + options.json > 1)
        return Error{Failure::usage,
                     base::say("--table, --csv and --json exclude each other"),
                     {},
                     base::say("give one of them")};
    if (options.csv && options.what == "window")
        return Error{Failure::usage,
                     base::say("a CSV file holds one table, and the window has several"),
                     {},
                     base::say("name one view, or take --json")};
    if (options.png.empty() && !options.as_text())
        return Error{Failure::usage,
                     base::say("-o is missing"),
                     {},
                     base::say("give -o FILE.png for a picture, or --table for its text")};
    if (auto taken = take_steps(request, options); !taken) return taken;
    const bool page = options.png.ends_with(".html");
    if (!request.animated && !page && !options.png.empty() && !options.png.ends_with(".png") &&
        !options.png.ends_with(".svg")) {
        return Error{Failure::usage,
                     base::say("-o {} is not a picture", options.png),
                     {},
                     base::say("give a file name that ends in .png, .svg or .html")};
    }
    auto session_ready = session_options(common, request.assets);
    if (!session_ready) return session_ready.error();
    request.options = std::move(*session_ready);
    auto lessons = lesson_folders(common);
    if (!lessons) return lessons.error();
    request.lessons = std::move(*lessons);
    auto answers = class_places(options.look);
    if (!answers) return answers.error();
    request.answers = std::move(*answers);
    if (!options.look.state.empty()) {
        auto view = named_state(options.look.state);
        if (!view) return view.error();
        request.view = std::move(*view);
        request.options.keep_event = true;
    }
    if (!options.source.source.empty()) {
        auto kernel = kernel_of(options.source.source, request.options);
        if (!kernel) return kernel.error();
        auto subject = to_subject(options.source, *kernel);
        if (!subject) return subject.error();
        request.view.subject = std::move(*subject);
    }
    if (!options.baseline.empty()) {
        auto kernel = kernel_of(options.baseline, request.options);
        if (!kernel) return kernel.error();
        session::Subject& baseline = request.view.baseline.emplace(request.view.subject); // of the same launch
        baseline.kernel = std::move(*kernel);
        baseline.parameters.clear();
        baseline.breaks.clear();
    }
    const catalog::Catalog catalog = catalog::load(request.options.kernel_folders);
    if (const auto job = session::resolve(catalog, request.view.subject); !job) return job.error();
    if (const auto& baseline = request.view.baseline; baseline && !options.baseline.empty())
        if (const auto job = session::resolve(catalog, *baseline); !job) return job.error();
    if (auto sized = take_size(request, options.size); !sized) return sized;
    if (auto selected = take_selection(request, options); !selected) return selected;
    if (!options.parameter.empty())
        if (auto taken = take_parameter(request.view, *catalog.find(request.view.subject.kernel), options.parameter);
            !taken)
            return taken;
    if (!options.speed_size.empty()) {
        auto speed = parse_one_size(options.speed_size, "--speed-size");
        if (!speed) return speed.error();
        request.view.speed_problem = *speed;
    }
    if (options.what == "lesson")
        if (auto taken = take_lesson(request, options, catalog); !taken) return taken;
    take_look(request.view, options.look, common);
    if (!options.axis.empty())
        request.view.time_axis = options.axis == "order" ? session::TimeAxis::order : session::TimeAxis::cycles;
    if (auto taken = take_what_if(request.view, options.what_if); !taken) return taken;
    if (options.field == "error") request.view.result_field = session::ResultField::error;
    request.what = options.what;
    request.png = options.png;
    request.caption = options.caption;
    if (options.as_text())
        if (auto told = print_tables(request, options, *common.frontend); !told) return told;
    if (page) {
        const catalog::Text title = catalog.find(request.view.subject.kernel)->title;
        return write_page(request, session::Language::zh == request.view.language ? title.zh : title.en,
                          *common.frontend);
    }
    return options.png.empty() ? base::Status(base::Done{}) : common.frontend->render(request);
}

} // namespace

Action define_window(Options& app, const Common& common) {
    auto look = std::make_shared<Look>();
    add_look_options(app, *look);
    app.add_option(
        "FILE", look->file,
        "what to open: a kernel that describes itself (.cu), a saved view (.json, or a picture with one) or a hand-in (.gemm)");
    app.add_option("--probe", look->probe, "write what can be seen and clicked to FILE after every frame, for tests")
        .type_name("FILE");
    app.add_option("--worker", look->worker, worker_help).type_name("NAME|CMD");
    app.add_flag("--desktop", look->desktop,
                 "started by a click: the window also opens where FILE cannot be opened, and says why");
    app.add_option("--student", look->student, "your student number, for hand-ins (the login name)").type_name("ID");
    return [look, &common] { return open_window(*look, common); };
}

Action define_render(Options& app, const Common& common) {
    auto options = std::make_shared<RenderOptions>();
    app.add_option("VIEW", options->what, fmt::format("{}", fmt::join(common.frontend->views, ", "))).required();
    app.add_option("SRC", options->source.source,
                   "a kernel of the catalogue, or a .cu file that describes itself (double_buffer)");
    app.add_option(
           "-o", options->png,
           "the picture, as pixels, shapes or frames; or a page with the picture and its text, of window all views")
        .type_name("FILE.png|.svg|.apng|.gif|.html");
    app.add_flag(
        "--caption", options->caption,
        "add a line below the picture: kernel, tiles, size, what is counted; gemmscope FILE.png shows its view again");
    app.add_flag("--table", options->table, "print what the view shows as text; needs no OpenGL");
    app.add_flag("--csv", options->csv, "print it as CSV (RFC 4180)");
    app.add_flag("--json", options->json, "print it as JSON: docs/json.md");
    app.add_option("--size", options->size, "in pixels (1600x900)").type_name("WxH");
    app.add_option("--baseline", options->baseline,
                   "the kernel that is shown beside it, at the same size, as in compare")
        .type_name("KERNEL");
    app.add_option("--speed-size", options->speed_size, "the size at which speed is shown (4096)").type_name("N|MxNxK");
    app.add_option("--parameter", options->parameter,
                   "for parameter: show the values of NAME alone (the map of two parameters)")
        .type_name("NAME");
    app.add_option("--lesson", options->lesson, "for lesson: its id or file, and the step's id or number, from 1")
        .type_name("ID:STEP");
    app.add_flag("--answered", options->answered, "for lesson: show the answer to the step's question");
    app.add_option("--step", options->step, "event of the traced block to show (an interesting one)").type_name("N");
    app.add_option("--steps", options->steps,
                   "animate the selected warp's steps: events of the block, or from the previous barrier to the next")
        .type_name("FROM..TO|barrier");
    app.add_option("--pace", options->pace, "milliseconds for each step (250)").type_name("MS");
    app.add_option("--lane", options->lane, "the selected lane (0)").type_name("N");
    app.add_option("--warp", options->warp, "the selected warp (0)").type_name("N");
    app.add_option("--field", options->field, "for result: C, or its error against the float64 reference (c)")
        .one_of({"c", "error"})
        .type_name("c|error");
    app.add_option("--axis", options->axis,
                   "for timeline: execution order, or predicted cycles where they are known (cycles)")
        .one_of({"order", "cycles"})
        .type_name("order|cycles");
    app.add_option(
           "--what-if", options->what_if,
           fmt::format("predict the time of a multiprocessor that no GPU has: {}", fmt::join(switch_names(), ", ")))
        .type_name("NAME")
        .one_value();
    app.add_option("--at", options->block, "the traced block's index (0,0,0)").type_name("x,y,z");
    add_subject_options(app, options->source);
    add_break_option(app, options->source);
    add_schedule_option(app, options->source);
    add_engine_option(app, options->source);
    add_look_options(app, options->look);
    app.note(own_folders);
    return [options, &common] { return render(*options, common); };
}

} // namespace cli
