#include "base/file.h"
#include "ui/course/classroom.h"
#include "ui/opengl/offscreen.h"
#include "ui/opengl/picture.h"
#include "ui/speed/sliders.h"
#include "ui/window/frame.h"
#include "ui/window/gui.h"
#include "ui/window/window.h"
#include "views/run_words.h"

#include <backends/imgui_impl_opengl3.h>
#include <fmt/format.h>
#include <glad/gl.h>

#include <algorithm>
#include <utility>

namespace ui {

namespace {

// Nothing where the picture is of other sizes, and says of which.
std::optional<catalog::Problem> problem_of(const session::View& view, const PanelRow& row) {
    if (row.draw == draw_stream) return view.stream_problem;
    const bool at_own_sizes = row.draw == draw_ladder || row.draw == draw_plot;
    if (at_own_sizes) return std::nullopt;
    return view.subject.problem;
}

// One panel alone, below a line that says what it shows.
void draw_alone(Context& context, const PanelRow& row) {
    const Style& style = context.style;
    const session::Subject& subject = context.session.view().subject;
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize(ImGui::GetIO().DisplaySize);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {4 * style.unit, 3 * style.unit});
    ImGui::PushStyleColor(ImGuiCol_WindowBg, style.colour.panel);
    ImGui::PushFont(style.text);
    ImGui::Begin("alone", nullptr,
                 ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings);
    std::string remark;
    if (const auto kernel = context.session.kernel()) {
        const catalog::Values values = values_in_force(context, *kernel);
        for (const auto& parameter : kernel->parameters)
            remark += fmt::format("{} {}  ", parameter.name, values.at(parameter.name));
        if (const auto problem = problem_of(context.session.view(), row)) {
            remark += fmt::format("\u00b7  {}\u00d7{}", problem->m, problem->n);
            if (catalog::has_argument(kernel->operation, 'K')) remark += fmt::format("\u00d7{}", problem->k);
        }
        remark += fmt::format("  \u00b7  {}", subject.arch);
        if (subject.schedule != trace::Schedule{}) remark += "  \u00b7  " + schedule_text(context.tr, subject.schedule);
        heading(context, context.tr(kernel->title), remark);
    } else {
        heading(context, subject.kernel);
    }
    ImGui::BeginChild("panel");
    row.draw(context);
    ImGui::EndChild();
    ImGui::End();
    ImGui::PopFont();
    ImGui::PopStyleColor();
    ImGui::PopStyleVar();
}

base::Error unknown_view(std::string_view name) {
    return {base::Failure::usage, base::say("there is no view \"{}\"", name), "",
            base::say("choose one of {}", base::names(rendered_views()))};
}

Page page_named(std::string_view name) {
    return name == "start" ? Page::start : name == "lessons" ? Page::lessons : Page::none;
}

base::Status lesson_exists(const lesson::Lessons& lessons, const LessonPicture& picture) {
    const auto lesson = lessons.find(picture.lesson);
    if (!lesson)
        return base::Error{base::Failure::usage, base::say("there is no lesson \"{}\"", picture.lesson), "",
                           base::say("\"gemmscope lesson\" lists them")};
    if (picture.step < lesson->steps.size()) return base::Done{};
    return base::Error{base::Failure::usage,
                       base::say("lesson \"{}\" has {} steps", picture.lesson, lesson->steps.size()), "",
                       base::say("count from 1")};
}

// In the first frame the step is set, and a third of all frames later its question is answered.
void tell_lesson(Context& context, const LessonPicture& picture, int frame) {
    if (frame == 0) {
        context.view.course = {picture.lesson, picture.step};
        context.classroom->come_back(context);
    }
    constexpr int until_told = 4;
    if (frame == until_told && picture.answered) context.classroom->give_up(context);
    if (frame == until_told && context.classroom->students() > 0) context.classroom->show_class(context);
}

void clear(int width, int height, ImU32 colour) {
    const ImVec4 c = ImGui::ColorConvertU32ToFloat4(colour);
    glViewport(0, 0, width, height);
    glClearColor(c.x, c.y, c.z, 1);
    glClear(GL_COLOR_BUFFER_BIT);
}

// A picture larger than it is designed for is looked at from as far: its type grows with it. A panel alone is a slide, whose type
// is larger than in a window of eight panels.
float scale_for(const PanelRow* alone, int width, int height) {
    const float designed_width = alone ? alone->slide_width : 1600, designed_height = designed_width * 9 / 16;
    return std::max(1.0f,
                    std::min(static_cast<float>(width) / designed_width, static_cast<float>(height) / designed_height));
}

// A size that was asked for is that of the schedule; nothing so large is executed here.
void take_stream_size(session::View& view) {
    if (view.subject.problem != catalog::Problem{}) view.stream_problem = std::exchange(view.subject.problem, {});
}

// A comparison that names no baseline is with the rung below.
void pin_rung_below(session::View& view, const session::Session& session) {
    if (view.middle_tab != session::MiddleTab::compare || view.baseline) return;
    const auto below = session.catalog().beside(view.subject.kernel, -1);
    if (!below) return;
    view.baseline = view.subject;
    view.baseline->kernel = below->id;
    view.baseline->parameters.clear();
}

// The session moves a selection that does not exist to one that does; here it was asked for by number.
base::Status selection_exists(const session::View& view, const session::Session& session) {
    const session::Selection& asked = view.selection;
    const auto& block = session.products().block.value;
    if (!block) return base::Done{};
    const trace::Trace& trace = block->trace;
    const auto inside = [](uint32_t at, uint32_t size) { return at < size; };
    if (!inside(asked.block.x, trace.grid.x) || !inside(asked.block.y, trace.grid.y) ||
        !inside(asked.block.z, trace.grid.z))
        return base::Error{base::Failure::usage,
                           base::say("there is no block {},{},{} in a grid of {} x {} x {}", asked.block.x,
                                     asked.block.y, asked.block.z, trace.grid.x, trace.grid.y, trace.grid.z),
                           "", base::say("count from 0")};
    const uint64_t warps = (trace.block.count() + trace::warp_size - 1) / trace::warp_size;
    const trace::Schedule schedule = view.subject.schedule;
    const uint64_t first = schedule.kind == trace::Schedule::Kind::warp_first ? schedule.number : 0;
    for (const uint64_t warp : {static_cast<uint64_t>(asked.warp), first})
        if (warp >= warps)
            return base::Error{base::Failure::usage, base::say("there is no warp {} in a block of {}", warp, warps), "",
                               base::say("count from 0")};
    if (asked.event > 0 && asked.event >= trace.events.size())
        return base::Error{base::Failure::usage,
                           base::say("there is no step {} in a trace of {}", asked.event, trace.events.size()), "",
                           base::say("count from 0")};
    return base::Done{};
}

// ImGui's OpenGL objects, gone before its context and OpenGL's are.
struct Backend {
    bool ready = ImGui_ImplOpenGL3_Init("#version 330");
    ~Backend() {
        if (ready) ImGui_ImplOpenGL3_Shutdown();
    }
};

} // namespace

std::vector<std::string> rendered_views() {
    std::vector<std::string> views{"window", "start", "lessons", "lesson"};
    for (const PanelRow& row : panels()) views.push_back(row.id);
    return views;
}

base::Status render(session::Options options, const session::View& view, const RenderOptions& wish) {
    const auto& [what, width, height, assets, png, told, lessons, answers] = wish;
    const std::optional<LessonPicture>& lesson = told; // clang 14 does not capture a structured binding
    const PanelRow* alone = find_panel(what);
    const Page page = page_named(what);
    if (!alone && page == Page::none && what != "window" && what != "lesson") return unknown_view(what);
    auto strings = Strings::load(assets / "i18n");
    if (!strings) return strings.error();
    auto buffer = Offscreen::create(width, height);
    if (!buffer) return buffer.error();

    session::Session session(std::move(options));
    session::View first = view;
    if (lesson) first.stage.shown = true; // its type
    if (alone) alone->prepare(first), pin_rung_below(first, session);
    if (alone && alone->draw == draw_stream) take_stream_size(first);
    session.apply(first, {});
    session.wait();
    if (auto exists = selection_exists(view, session); !exists) return exists;

    Gui gui(*std::move(strings), characters_of(session.catalog()));
    gui.chrome().whole_window = !alone;
    gui.chrome().page = page;
    gui.classroom().open(lesson_places(assets, lessons), {});
    if (!answers.empty()) gui.classroom().take_class(lesson::read_class(answers));
    if (lesson)
        if (base::Status known = lesson_exists(*gui.classroom().lessons(), *lesson); !known) return known;
    gui.know(characters_of(session.catalog()) + characters_of(*gui.classroom().lessons()));
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = {static_cast<float>(width), static_cast<float>(height)};
    gui.prepare(session.view(), scale_for(alone, width, height));
    const Backend backend;
    if (!backend.ready)
        return base::Error{base::Failure::missing, base::say("OpenGL 3.3 cannot be used"), "",
                           base::say("install libgl1")};
    gui.result().open(base::resource_folder("shaders"));
    io.MousePos = {-FLT_MAX, -FLT_MAX};
    io.DeltaTime = 1.0f / 60;
    constexpr int settling_frames = 4; // scroll positions and what a tab asks the session for are known a frame later
    const int frames =
        lesson ? 4 * settling_frames : settling_frames; // the step, its moment, its answer, and what is asked about
    for (int i = 0; i < frames; ++i) {
        ImGui_ImplOpenGL3_NewFrame();
        gui.frame(session, {}, [&](Context& context) {
            if (lesson) tell_lesson(context, *lesson, i);
            alone ? draw_alone(context, *alone) : draw_window(context);
        });
        gui.classroom().wait();
        gui.classroom().update();
        session.wait();
        session.update(0);
    }
    clear(width, height, gui.style().colour.panel);
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
    const auto picture = read_pixels(width, height);
    if (!picture) return picture.error();
    if (auto written = write_png(*picture, png); !written) return written;
    // The picture shows what failed at its place; a script learns it from the exit code.
    const session::Products& products = session.products();
    if (products.prepared.failed) return products.prepared.failed->error;
    if (products.block.failed) return products.block.failed->error;
    return base::Done{};
}

} // namespace ui
