#include "ui/window/picture_maker.h"
#include "session/own_kernels.h"

#include "base/file.h"
#include "ui/course/classroom.h"
#include "ui/draw/font_files.h"
#include "ui/opengl/offscreen.h"
#include "ui/opengl/opengl.h"
#include "ui/opengl/svg.h"
#include "ui/window/alone.h"
#include "ui/window/caption.h"
#include "ui/window/frame.h"
#include "ui/window/gui.h"

#include <backends/imgui_impl_opengl3.h>
#include <glad/gl.h>

#include <algorithm>
#include <utility>

namespace ui {

namespace {

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
        context.view.course = {picture.lesson, picture.step, {}, {}};
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

// ImGui's OpenGL objects, gone before its context and OpenGL's are.
struct Backend {
    bool ready = ImGui_ImplOpenGL3_Init("#version 330");
    ~Backend() {
        if (ready) ImGui_ImplOpenGL3_Shutdown();
    }
};

} // namespace

struct PictureMaker::Impl {
    Impl(Options wish, Offscreen offscreen, session::Options of_session, Strings strings)
        : options(std::move(wish)), buffer(std::move(offscreen)), session(std::move(of_session)),
          gui(std::move(strings), characters_of(session.catalog())) {
        gui.classroom().open(lesson_places(options.assets, options.lessons), {});
        if (!options.answers.empty()) gui.classroom().take_class(lesson::read_class(options.answers));
        gui.workbench().open({{options.assets / "exercises"}, {}, {}, "student"});
        gui.know(characters_of(session.catalog()) + characters_of(*gui.classroom().lessons()) +
                 characters_of(*gui.workbench().exercises()));
    }

    void set(const Wish&, const PanelRow* alone);
    void frame(const Wish&, const PanelRow* alone, int number);
    base::Status load_fonts(const PanelRow* alone);
    base::Status show(const Wish&, bool as_shapes);
    base::Status add_caption(Picture&);

    Options options;
    Offscreen buffer;
    session::Session session;
    Gui gui;
    std::optional<Backend> backend;
    GlyphTexture glyphs;
    bool drawn = false;
    std::string caption, alternative_text;
};

// The session shows the wish's view.
void PictureMaker::Impl::set(const Wish& wish, const PanelRow* alone) {
    if (const auto samples = base::resource_folder("kernels");
        !alone && samples) // the line above the source, as in the window
        gui.editor().open({session::own_kernels(), *samples}, {});
    session::View first = wish.view;
    if (wish.lesson) first.stage.shown = true; // its type
    if (alone) pose(first, *alone, session);
    session.apply(first, {});
    session.wait();
    if (!drawn || session.view().selection.event == first.selection.event) return;
    session::View then = session.view(); // of another subject the session has chosen the step
    then.selection.event = first.selection.event;
    session.apply(then, {});
    session.wait();
}

void PictureMaker::Impl::frame(const Wish& wish, const PanelRow* alone, int number) {
    ImGui_ImplOpenGL3_NewFrame();
    gui.frame(session, {}, [&](Context& context) {
        if (wish.lesson) tell_lesson(context, *wish.lesson, number);
        if (wish.first_line > 0) context.chrome.lines_to_show = {wish.first_line, wish.last_line};
        alone ? draw_alone(context, *alone) : draw_window(context);
        const std::string_view view = alone ? std::string_view(alone->id) : "window";
        caption = ui::caption(context, view);
        alternative_text = ui::alternative_text(context, view);
    });
    gui.classroom().wait();
    gui.classroom().update();
    gui.workbench().wait();
    gui.workbench().update();
    session.wait();
    session.update(0);
}

// OpenGL holds the fonts that the type of this picture needs.
base::Status PictureMaker::Impl::load_fonts(const PanelRow* alone) {
    ImGui::GetIO().DisplaySize = {static_cast<float>(options.width), static_cast<float>(options.height)};
    const bool other = gui.prepare(session.view(), scale_for(alone, options.width, options.height));
    if (!backend) {
        backend.emplace();
        if (!backend->ready)
            return base::Error{base::Failure::missing, base::say("OpenGL 3.3 cannot be used"), "",
                               base::say("install libgl1")};
        gui.result().open(base::resource_folder("shaders"));
    }
    if (other) glyphs.upload();
    return base::Done{};
}

// The caption joins the picture at its lower edge.
base::Status PictureMaker::Impl::add_caption(Picture& picture) {
    CaptionStrip strip(gui.style(), caption, static_cast<float>(options.width));
    const int height = std::min(static_cast<int>(strip.height()), options.height);
    ImGui_ImplOpenGL3_RenderDrawData(strip.data());
    auto line = read_pixels(options.width, height);
    if (!line) return line.error();
    append(picture, *line);
    return base::Done{};
}

PictureMaker::PictureMaker(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
PictureMaker::PictureMaker(PictureMaker&&) noexcept = default;
PictureMaker::~PictureMaker() = default;

base::Result<PictureMaker> PictureMaker::create(session::Options of_session, const Options& options) {
    auto strings = Strings::load(options.assets / "i18n");
    if (!strings) return strings.error();
    auto buffer = Offscreen::create(options.width, options.height);
    if (!buffer) return buffer.error();
    return PictureMaker(
        std::make_unique<Impl>(options, std::move(*buffer), std::move(of_session), std::move(*strings)));
}

// Afterwards ImGui has the draw data.
base::Status PictureMaker::Impl::show(const Wish& wish, bool as_shapes) {
    const PanelRow* alone = find_panel(wish.what);
    const Page page = page_named(wish.what);
    if (!alone && page == Page::none && wish.what != "window" && wish.what != "lesson") return unknown_view(wish.what);
    if (wish.lesson)
        if (base::Status known = lesson_exists(*gui.classroom().lessons(), *wish.lesson); !known) return known;
    set(wish, alone);
    if (auto exists = selection_exists(wish.view, session); !exists) return exists;
    gui.chrome().whole_window = !alone;
    gui.chrome().page = page;
    if (auto loaded = load_fonts(alone); !loaded) return loaded;
    ImGuiStyle& style = ImGui::GetStyle();
    style.AntiAliasedLines = style.AntiAliasedLinesUseTex = style.AntiAliasedFill = !as_shapes;
    if (as_shapes) style.CircleTessellationMaxError = 0.05f; // pixels: circles stay round when they are magnified
    ImGuiIO& io = ImGui::GetIO();
    io.MousePos = {-FLT_MAX, -FLT_MAX};
    io.DeltaTime = drawn ? 1.0f : 1.0f / 60; // marks of what has changed since the last picture have gone
    constexpr int settling_frames = 4; // scroll positions and what a tab asks the session for are known a frame later
    const int frames = wish.lesson ? 4 * settling_frames
                                   : settling_frames; // the step, its moment, its answer, and what is asked about
    for (int i = 0; i < frames; ++i) frame(wish, alone, i);
    drawn = true;
    return base::Done{};
}

base::Result<Picture> PictureMaker::draw(const Wish& wish) {
    Impl& now = *impl_;
    if (auto shown = now.show(wish, false); !shown) return shown.error();
    clear(now.options.width, now.options.height, now.gui.style().colour.panel);
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
    auto picture = read_pixels(now.options.width, now.options.height);
    if (picture && wish.with_caption)
        if (auto added = now.add_caption(*picture); !added) return added.error();
    return picture;
}

base::Result<std::string> PictureMaker::draw_svg(const Wish& wish) {
    Impl& now = *impl_;
    if (auto shown = now.show(wish, true); !shown) return shown.error();
    const Style& style = now.gui.style();
    const FontFiles files = find_fonts();
    const auto font = [&](const ImFont* one, const FontFiles::File& file, const char* otherwise, bool bold) {
        const std::string chinese = files.chinese.family.empty() ? "" : "'" + files.chinese.family + "',";
        return SvgFont{one, fmt::format("'{}',{}{}", file.family, chinese, otherwise), bold,
                       line_height(file.path, file.index).value_or(1.17f)};
    };
    const SvgFont fonts[] = {
        font(style.text, files.text, "sans-serif", false),    font(style.heading, files.heading, "sans-serif", true),
        font(style.mono, files.mono, "monospace", false),     font(style.figure, files.heading, "sans-serif", true),
        font(style.caption, files.text, "sans-serif", false), font(style.title, files.heading, "sans-serif", true),
        font(style.poster, files.heading, "sans-serif", true)};
    std::vector<SvgPart> parts{{ImGui::GetDrawData(), 0}};
    std::optional<CaptionStrip> strip;
    if (wish.with_caption) {
        strip.emplace(style, now.caption, static_cast<float>(now.options.width));
        parts.push_back({strip->data(), static_cast<float>(now.options.height)});
    }
    return to_svg(parts, {style.colour.panel, now.caption, now.alternative_text, fonts});
}

base::Status PictureMaker::failed() const {
    const session::Products& products = impl_->session.products();
    if (products.prepared.failed) return products.prepared.failed->error;
    if (products.block.failed) return products.block.failed->error;
    return base::Done{};
}

base::Result<std::vector<uint32_t>> PictureMaker::steps(const StepsPicture& wish) const {
    constexpr size_t most = 240;
    const auto& block = impl_->session.products().block.value;
    if (!block)
        return base::Error{base::Failure::usage, base::say("no block was executed"), "", base::say("name a kernel")};
    const trace::Trace& trace = block->trace;
    const session::Selection& selection = impl_->session.view().selection;
    const auto kind = [&](size_t event) { return trace.listing->instructions[trace.events[event].pc].kind; };
    const auto is_barrier = [&](size_t event) {
        return static_cast<int>(trace.events[event].warp) == selection.warp && kind(event) == trace::Kind::barrier;
    };
    size_t first = selection.event, last = selection.event;
    if (wish.events) {
        first = wish.events->first, last = wish.events->second;
    } else {
        while (first > 0 && !is_barrier(first - 1)) --first;
        if (first > 0) --first;
        while (last + 1 < trace.events.size() && !is_barrier(last)) ++last;
    }
    std::vector<uint32_t> found;
    for (size_t event = first; event <= last && event < trace.events.size(); ++event) {
        const trace::Kind of = kind(event);
        const bool arithmetic = of == trace::Kind::arithmetic || of == trace::Kind::fma || of == trace::Kind::branch ||
                                of == trace::Kind::exit;
        if (static_cast<int>(trace.events[event].warp) == selection.warp && (wish.events || !arithmetic))
            found.push_back(static_cast<uint32_t>(event));
    }
    if (!found.empty() && found.size() <= most) return found;
    return base::Error{
        base::Failure::usage,
        base::say("warp {} has {} steps there; an animation shows 1 to {}", selection.warp, found.size(), most), "",
        base::say("choose others with --steps FROM..TO")};
}

std::string PictureMaker::view() const { return session::to_json(impl_->session.view()); }
const std::string& PictureMaker::caption() const { return impl_->caption; }
const std::string& PictureMaker::alternative_text() const { return impl_->alternative_text; }

} // namespace ui
