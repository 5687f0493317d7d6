#include "ui/window/window.h"

#include "base/file.h"
#include "base/heap.h"
#include "session/own_kernels.h"
#include "session/recent_files.h"
#include "ui/draw/notices.h"
#include "ui/opengl/opengl.h"
#include "ui/opengl/picture.h"
#include "ui/window/caption.h"
#include "ui/window/ending_signals.h"
#include "ui/window/frame.h"
#include "ui/window/free_name.h"
#include "ui/window/gui.h"
#include "ui/window/lost_display.h"
#include "ui/window/probe_file.h"
#include "ui/window/turns.h"

#include <glad/gl.h>
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <ctime>
#include <thread>

namespace ui {

namespace {

constexpr int settling_frames = 3; // after an input, until ImGui's layout and hover are at rest
constexpr double frame_seconds = 1.0 / 60;
constexpr double progress_seconds = 0.1; // between looks at a running job
constexpr double rest_seconds = 5;       // without a frame

// What the callbacks collect between two frames.
struct Input {
    std::vector<KeyPress> keys;
    int frames = settling_frames;               // still to draw
    std::vector<std::filesystem::path> dropped; // files
    bool repeat = false;                        // the key that is down repeats; characters do not say so themselves
};

Input& input_of(GLFWwindow* window) { return *static_cast<Input*>(glfwGetWindowUserPointer(window)); }
void stir(GLFWwindow* window) { input_of(window).frames = settling_frames; }

// Printable keys come as characters (any keyboard layout), except with Ctrl or Alt; all others by their number.
void on_key(GLFWwindow* window, int key, int scancode, int action, int modifiers) {
    stir(window);
    if (action == GLFW_RELEASE) return;
    Input& input = input_of(window);
    input.repeat = action == GLFW_REPEAT;
    modifiers &= with_shift | with_control | with_alt;
    if (key >= 0 && key < 256) {
        if (!(modifiers & (with_control | with_alt))) return;
        const char* name = glfwGetKeyName(key, scancode); // what is printed on the key, not where it is
        if (name && name[0] && !name[1]) key = std::toupper(static_cast<unsigned char>(name[0]));
    }
    if (key > 0) input.keys.push_back({key, modifiers, input.repeat});
}

void on_character(GLFWwindow* window, unsigned int code) {
    stir(window);
    Input& input = input_of(window);
    const bool capital = code >= 'A' && code <= 'Z';
    const int key = code < 128 ? std::toupper(static_cast<int>(code)) : 0;
    input.keys.push_back({key, capital ? with_shift : no_modifier, input.repeat, code});
}

void on_drop(GLFWwindow* window, int count, const char** paths) {
    stir(window);
    input_of(window).dropped.insert(input_of(window).dropped.end(), paths, paths + count);
}

void listen(GLFWwindow* window, Input& input) {
    glfwSetWindowUserPointer(window, &input);
    glfwSetKeyCallback(window, on_key);
    glfwSetCharCallback(window, on_character);
    glfwSetDropCallback(window, on_drop);
    glfwSetCursorPosCallback(window, [](GLFWwindow* w, double, double) { stir(w); });
    glfwSetCursorEnterCallback(window, [](GLFWwindow* w, int) { stir(w); });
    glfwSetMouseButtonCallback(window, [](GLFWwindow* w, int, int, int) { stir(w); });
    glfwSetScrollCallback(window, [](GLFWwindow* w, double, double) { stir(w); });
    glfwSetFramebufferSizeCallback(window, [](GLFWwindow* w, int, int) { stir(w); });
    glfwSetWindowRefreshCallback(window, [](GLFWwindow* w) { stir(w); });
    glfwSetWindowFocusCallback(window, [](GLFWwindow* w, int) { stir(w); });
    glfwSetWindowContentScaleCallback(window, [](GLFWwindow* w, float, float) { stir(w); });
}

base::Error no_window(const base::Sentence& what) {
    const char* reason = nullptr;
    glfwGetError(&reason);
    return {
        base::Failure::missing, reason ? base::say("{}: {}", what, reason) : what, "",
        base::say("without a display, \"gemmscope render window double_buffer -o window.png\" draws the same picture")};
}

struct CloseWindow {
    void operator()(GLFWwindow* window) const { glfwDestroyWindow(window); }
};
using WindowHandle = std::unique_ptr<GLFWwindow, CloseWindow>;

// Why there is no window with OpenGL 3.3: what a window that leaves the version open gets.
base::Error no_context() {
    base::Error reason = no_window(base::say("no window with OpenGL 3.3 could be opened"));
    glfwDefaultWindowHints();
    glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);
    const WindowHandle any(glfwCreateWindow(16, 16, "gemmscope", nullptr, nullptr));
    if (!any) return reason;
    glfwMakeContextCurrent(any.get());
    const std::string version = opengl_version(glfwGetProcAddress);
    return version.empty() ? reason : opengl_too_old(version);
}

struct Glfw {
    bool ready = glfwInit() == GLFW_TRUE;
    ~Glfw() {
        if (ready) glfwTerminate();
    }
};

// What a window of that size leaves of it on the first monitor, in the units that GLFW scales by GLFW_SCALE_TO_MONITOR.
std::pair<int, int> within_monitor(int width, int height) {
    GLFWmonitor* monitor = glfwGetPrimaryMonitor();
    if (!monitor) return {width, height};
    int x = 0, y = 0, room_x = 0, room_y = 0;
    float scale_x = 1, scale_y = 1;
    glfwGetMonitorWorkarea(monitor, &x, &y, &room_x, &room_y);
    glfwGetMonitorContentScale(monitor, &scale_x, &scale_y);
    const auto fitting = [](int wish, int room, float scale) {
        return room > 0 && scale > 0 ? std::min(wish, static_cast<int>(static_cast<float>(room) / scale)) : wish;
    };
    return {fitting(width, room_x, scale_x), fitting(height, room_y, scale_y)};
}

base::Result<WindowHandle> open_window(const WindowOptions& options) {
    glfwWindowHintString(GLFW_X11_CLASS_NAME, "gemmscope"); // by which a desktop finds the icon
    glfwWindowHintString(GLFW_X11_INSTANCE_NAME, "gemmscope");
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
    glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);
    const auto [width, height] = within_monitor(std::max(options.width, 1), std::max(options.height, 1));
    WindowHandle window(glfwCreateWindow(width, height, "gemmscope", nullptr, nullptr));
    if (!window) return no_context();
    glfwMakeContextCurrent(window.get());
    if (!gladLoadGL(glfwGetProcAddress)) return no_window(base::say("OpenGL 3.3 has no functions here"));
    glfwSwapInterval(1);
    return window;
}

// ImGui's two backends, gone before its context is.
struct Backends {
    explicit Backends(GLFWwindow* window) {
        ImGui_ImplGlfw_InitForOpenGL(window, true); // calls our callbacks before its own
        ImGui_ImplOpenGL3_Init("#version 330");
    }
    ~Backends() {
        ImGui_ImplOpenGL3_Shutdown();
        ImGui_ImplGlfw_Shutdown();
    }
};

struct Place { // in screen coordinates
    int x = 0, y = 0, width = 0, height = 0;
};

// nullptr: there is no monitor.
GLFWmonitor* monitor_of(const Place& window) {
    int count = 0, most = -1;
    GLFWmonitor** const monitors = glfwGetMonitors(&count);
    GLFWmonitor* found = nullptr;
    for (int i = 0; i < count; ++i) {
        int x = 0, y = 0;
        const GLFWvidmode* const mode = glfwGetVideoMode(monitors[i]);
        if (!mode) continue;
        glfwGetMonitorPos(monitors[i], &x, &y);
        const auto overlap = [](int first, int length, int other, int other_length) {
            return std::max(0, std::min(first + length, other + other_length) - std::max(first, other));
        };
        const int shown =
            overlap(window.x, window.width, x, mode->width) * overlap(window.y, window.height, y, mode->height);
        if (shown > most) most = shown, found = monitors[i];
    }
    return found;
}

class Loop {
public:
    Loop(GLFWwindow* window, Input& input, session::Session& session, Gui& gui, const WindowOptions& options)
        : window_(window), input_(input), session_(session), gui_(gui), probe_file_(options.probe_file) {
        gui_.probe().on = !options.probe_file.empty();
    }

    void run() {
        double last = glfwGetTime();
        draw(); // answers nobody, so it is no turn: the first type is made, OpenGL compiles its shaders
        while (!quit_ && !glfwWindowShouldClose(window_)) {
            wait();
            turns_.begin();
            open_dropped();
            const double now = glfwGetTime();
            if (session_.update(now - last)) input_.frames = std::max(input_.frames, 2);
            if (gui_.result().update(session_)) input_.frames = std::max(input_.frames, 2);
            if (gui_.classroom().update()) input_.frames = std::max(input_.frames, 2);
            if (gui_.workbench().update()) input_.frames = std::max(input_.frames, 2);
            if (gui_.type_came()) input_.frames = std::max(input_.frames, 2);
            if (gui_.editor().update()) input_.frames = std::max(input_.frames, 2);
            last = now;
            take_news();
            turns_.did(TurnPart::news);
            const bool draws = input_.frames > 0 || now >= due_;
            if (draws) draw();
            else if (now >= rests_) rest();
            turns_.end([this] { return session::to_json(session_.view()); });
            if (draws && gui_.probe().on) write_probe(); // which no user's window does
        }
    }

private:
    // Sleeps until an event, a job's news, the next step of playing, or a frame that somebody asked for.
    void wait() {
        double seconds = due_ - glfwGetTime();
        if (session_.view().playing) seconds = std::min(seconds, frame_seconds);
        if (session_.busy() || gui_.classroom().busy() || gui_.workbench().busy())
            seconds = std::min(seconds, progress_seconds);
        if (gui_.result().busy()) seconds = std::min(seconds, frame_seconds);
        if (input_.frames > 0) seconds = std::min(seconds, drawn_ + frame_seconds - glfwGetTime());
        seconds = std::min(seconds, rests_ - glfwGetTime());
        if (seconds <= 0) glfwPollEvents();
        else if (seconds < 1e6) glfwWaitEventsTimeout(seconds);
        else glfwWaitEvents();
    }

    bool busy() const {
        return session_.busy() || gui_.result().busy() || gui_.classroom().busy() || gui_.workbench().busy();
    }

    // Nothing was drawn for a while: whoever looks at the picture does not wait for the next one. What is compiled ahead is not drawn,
    // and gives up memory when it is done.
    void rest() {
        const bool now = !busy() && !session_.compiling_ahead() && returned_;
        rests_ = now ? 1e300 : glfwGetTime() + rest_seconds;
        if (!now) return;
        session_.rest();
        gui_.rest();
        returned_ = false;
        returning_ = std::jthread([this] { // waits for the one before, which has returned
            base::return_freed_memory();
            returned_ = true;
        });
    }

    void open_dropped() {
        if (input_.dropped.empty()) return;
        gui_.chrome().dropped = std::exchange(input_.dropped, {});
        input_.frames = settling_frames;
    }

    // What the session has to say, and the characters of kernel files and lessons that were read again.
    void take_news() {
        for (const base::Sentence& notice : session_.take_notices()) say(gui_.strings()(notice));
        const uint64_t reads = session_.catalog_reads() + gui_.classroom().reads();
        if (std::exchange(reads_seen_, reads) != reads)
            gui_.know(characters_of(session_.catalog()) + characters_of(*gui_.classroom().lessons()) +
                      characters_of(*gui_.workbench().exercises()) + characters_of(gui_.editor()));
    }

    void draw() {
        drawn_ = glfwGetTime();
        rests_ = drawn_ + rest_seconds;
        float scale = 1, unused = 1;
        glfwGetWindowContentScale(window_, &scale, &unused);
        int width = 0, pixels = 0, ignored = 0;
        glfwGetWindowSize(window_, &width, &ignored);
        glfwGetFramebufferSize(window_, &pixels, &ignored);
        const bool scaled = pixels > width; // by the system: Wayland since GLFW 3.4
        if (gui_.prepare(session_.view(), scaled ? 1 : scale, scaled ? scale : 1)) glyphs_.upload();
        turns_.did(TurnPart::type);
        ImGui_ImplOpenGL3_NewFrame();
        ImGui_ImplGlfw_NewFrame();
        input_.frames = std::max(input_.frames - 1, 0);
        const session::Commands commands =
            gui_.frame(session_, input_.keys, [&](Context& context) { draw_window(context); });
        input_.keys.clear();
        turns_.did(TurnPart::panels);
        if (gui_.input_waits()) input_.frames = settling_frames;
        const double ask = gui_.chrome().next_frame - ImGui::GetTime();
        due_ = ask < 1e6 ? drawn_ + std::max(ask, frame_seconds) : 1e300;
        show(commands.save_picture);
        obey(commands);
        turns_.did(TurnPart::obey);
    }

    void show(bool save) {
        int width = 0, height = 0;
        glfwGetFramebufferSize(window_, &width, &height);
        render(width, height);
        if (save) {
            save_picture(captioned(width, height)); // before the buffers are swapped: after it they are undefined
            render(width, height);
        }
        turns_.did(TurnPart::draw);
        glfwSwapBuffers(window_);
        turns_.did(TurnPart::swap);
    }

    void render(int width, int height) const {
        const ImVec4 ground = ImGui::ColorConvertU32ToFloat4(gui_.style().colour.panel);
        glViewport(0, 0, width, height);
        glClearColor(ground.x, ground.y, ground.z, 1);
        glClear(GL_COLOR_BUFFER_BIT);
        ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
    }

    // What is shown, and the caption below it. Draws over what is shown.
    base::Result<Picture> captioned(int width, int height) {
        auto picture = read_pixels(width, height);
        if (!picture) return picture;
        const ImGuiIO& io = ImGui::GetIO();
        session::View view = session_.view();
        session::Commands none;
        Pictures pictures;
        const Context context = beside(view, none, pictures);
        CaptionStrip strip(gui_.style(), caption(context, view.stage.shown ? view.stage.first : "window"),
                           io.DisplaySize.x);
        ImGui_ImplOpenGL3_RenderDrawData(strip.data());
        const float pixels = strip.height() * io.DisplayFramebufferScale.y;
        const auto line = read_pixels(width, std::min(static_cast<int>(pixels), height));
        if (!line) return line;
        append(*picture, *line);
        return picture;
    }

    // For what is told of the frame that was drawn.
    Context beside(session::View& view, session::Commands& none, Pictures& pictures) {
        return {session_, view,          none,    gui_.style(),      gui_.strings(),    gui_.probe(),
                pictures, gui_.chrome(), nullptr, &gui_.classroom(), &gui_.workbench(), &gui_.editor()};
    }

    void obey(const session::Commands& commands) {
        if (gui_.chrome().full_screen != full_screen_) turn_full_screen();
        if (commands.quit) quit_ = true;
        if (commands.copy_state) {
            glfwSetClipboardString(window_, session::to_json(session_.view()).c_str());
            say(gui_.strings()("window.copied"));
        }
    }

    // Over the whole of the monitor that shows most of the window, or back to its place.
    void turn_full_screen() {
        full_screen_ = gui_.chrome().full_screen;
        if (!full_screen_) return glfwSetWindowMonitor(window_, nullptr, at_.x, at_.y, at_.width, at_.height, 0);
        glfwGetWindowPos(window_, &at_.x, &at_.y);
        glfwGetWindowSize(window_, &at_.width, &at_.height);
        GLFWmonitor* const monitor = monitor_of(at_);
        const GLFWvidmode* const mode = monitor ? glfwGetVideoMode(monitor) : nullptr;
        if (mode) glfwSetWindowMonitor(window_, monitor, 0, 0, mode->width, mode->height, mode->refreshRate);
    }

    void save_picture(const base::Result<Picture>& picture) {
        std::error_code error;
        std::filesystem::path folder = std::filesystem::current_path(error);
        if (error) folder = ".";
        const std::filesystem::path path =
            free_name(folder, session_.view().subject.kernel, fmt::localtime(std::time(nullptr)));
        const base::Status saved =
            picture ? write_png(*picture, path, session::to_json(session_.view())) : base::Status(picture.error());
        say(saved ? fmt::format("{} {}", gui_.strings()("window.saved"), path.string())
                  : gui_.strings()(saved.error()));
    }

    void say(std::string words) {
        gui_.chrome().notices.push_back({std::move(words)});
        input_.frames = std::max(input_.frames, 2);
    }

    void write_probe() {
        session::View view = session_.view();
        session::Commands none;
        Pictures pictures;
        Context context = beside(view, none, pictures);
        context.result = &gui_.result();
        const bool settled = input_.frames == 0 && !session_.busy() && !gui_.classroom().busy() &&
                             !gui_.workbench().busy() && !gui_.editor().busy() && !gui_.makes_type() && !view.playing &&
                             gui_.chrome().next_frame > 1e299;
        probe_file_.write(context, turns_, ++frame_, settled);
    }

    GLFWwindow* window_;
    Input& input_;
    session::Session& session_;
    Gui& gui_;
    GlyphTexture glyphs_;
    Turns turns_;
    ProbeFile probe_file_;
    double due_ = 1e300, drawn_ = 0, rests_ = 1e300; // of glfwGetTime()
    std::atomic<bool> returned_ = true;
    std::jthread returning_;
    uint64_t reads_seen_ = 0; // of kernel files and lessons
    int frame_ = 0;
    bool quit_ = false;
    bool full_screen_ = false;
    Place at_; // of the window, before it filled the screen
};

} // namespace

base::Status run_window(session::Options options, const session::View& initial, const WindowOptions& window_options) {
    auto strings = Strings::load(window_options.assets / "i18n");
    if (!strings) return strings.error();
    const EndingSignals signals;
    const Glfw glfw;
    if (!glfw.ready) return no_window(base::say("no display could be opened"));
    end_when_display_is_lost();
    options.wake = [] { glfwPostEmptyEvent(); };
    if (!window_options.probe_file.empty()) options.on_keep = log_of_views(window_options.probe_file);
    const auto pictures = std::make_shared<Pictures>();
    options.on_block = [pictures](const auto& run) { return bytes_of(*pictures->block(run)); };
    session::Session session(std::move(options));
    session.apply(initial, {}); // the first jobs run while the window opens
    auto window = open_window(window_options);
    if (!window) return window.error();
    Input input;
    listen(window->get(), input);
    Gui gui(*std::move(strings), characters_of(session.catalog()), pictures, [] { glfwPostEmptyEvent(); });
    const Backends backends(window->get());
    gui.result().open(base::resource_folder("shaders"));
    gui.classroom().open(lesson_places(window_options.assets, window_options.lessons, [] { glfwPostEmptyEvent(); }),
                         lesson::own_answers());
    gui.workbench().open({{window_options.assets / "exercises"},
                          lesson::own_answers(),
                          base::state_folder() / "hand_ins",
                          window_options.student},
                         [] { glfwPostEmptyEvent(); });
    gui.know(characters_of(session.catalog()) + characters_of(*gui.classroom().lessons()) +
             characters_of(*gui.workbench().exercises()));
    gui.chrome().recent_files = session::own_recent_files();
    if (const auto samples = base::resource_folder("kernels"))
        gui.editor().open({session::own_kernels(), *samples}, [] { glfwPostEmptyEvent(); });
    if (window_options.first_start) gui.chrome().page = Page::start;
    gui.chrome().class_files = window_options.answers;
    if (!window_options.hand_in.empty()) gui.chrome().dropped = {window_options.hand_in};
    const std::jthread closing = signals.watch([shown = window->get()] {
        glfwSetWindowShouldClose(shown, GLFW_TRUE);
        glfwPostEmptyEvent();
    });
    Loop(window->get(), input, session, gui, window_options).run();
    return base::Done{};
}

} // namespace ui
