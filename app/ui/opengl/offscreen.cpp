#include "ui/opengl/offscreen.h"

#include "base/shared_library.h"
#include "ui/opengl/opengl.h"

#include <glad/gl.h>

#include <EGL/egl.h>
#include <EGL/eglext.h>

#include <array>
#include <string_view>
#include <vector>

namespace ui {

namespace {

// EGL is loaded when it is needed: every command but `render` must run where there is none.
#define GEMMSCOPE_EGL(row)                                                                                             \
    row(eglBindAPI) row(eglChooseConfig) row(eglCreateContext) row(eglCreatePbufferSurface) row(eglDestroyContext)     \
        row(eglDestroySurface) row(eglGetDisplay) row(eglGetError) row(eglGetProcAddress) row(eglInitialize)           \
            row(eglMakeCurrent) row(eglQueryString) row(eglTerminate)

struct Egl {
#define GEMMSCOPE_ROW(name) decltype(&::name) name = nullptr;
    GEMMSCOPE_EGL(GEMMSCOPE_ROW)
#undef GEMMSCOPE_ROW
};

base::Error missing(base::Sentence what) {
    return {base::Failure::missing, std::move(what), "",
            base::say("install libegl1 and libgl1-mesa-dri; gemmscope doctor says more")};
}

base::Result<Egl> load_egl() {
    const auto library = base::SharedLibrary::open({"libEGL.so.1"});
    if (!library)
        return missing(
            base::say("pictures without a display need EGL, which cannot be loaded ({})", library.error().what));
    Egl egl;
#define GEMMSCOPE_ROW(name)                                                                                            \
    if (!(egl.name = library->function<decltype(::name)>(#name)))                                                      \
        return missing(base::say("{} has no {}", library->path(), #name));
    GEMMSCOPE_EGL(GEMMSCOPE_ROW)
#undef GEMMSCOPE_ROW
    return egl;
}

} // namespace

struct Offscreen::Impl {
    explicit Impl(const Egl& functions) : egl(functions) {}

    Egl egl;
    EGLDisplay display = EGL_NO_DISPLAY;
    EGLContext context = EGL_NO_CONTEXT;
    EGLSurface surface = EGL_NO_SURFACE;
    GLuint buffer = 0, colour = 0;

    ~Impl() {
        if (buffer) glDeleteFramebuffers(1, &buffer);
        if (colour) glDeleteRenderbuffers(1, &colour);
        if (display == EGL_NO_DISPLAY) return;
        egl.eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
        if (surface != EGL_NO_SURFACE) egl.eglDestroySurface(display, surface);
        if (context != EGL_NO_CONTEXT) egl.eglDestroyContext(display, context);
        egl.eglTerminate(display);
    }
};

namespace {

bool has(const char* extensions, std::string_view name) {
    return extensions && std::string_view(extensions).find(name) != std::string_view::npos;
}

// Everything that may be a display, the most capable first: a GPU's device, Mesa without a surface, the default.
std::vector<EGLDisplay> candidates(const Egl& egl) {
    std::vector<EGLDisplay> displays;
    const char* client = egl.eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
    const auto open =
        reinterpret_cast<PFNEGLGETPLATFORMDISPLAYEXTPROC>(egl.eglGetProcAddress("eglGetPlatformDisplayEXT"));
    const auto list = reinterpret_cast<PFNEGLQUERYDEVICESEXTPROC>(egl.eglGetProcAddress("eglQueryDevicesEXT"));
    if (open && list && has(client, "EGL_EXT_platform_device")) {
        std::array<EGLDeviceEXT, 16> devices{};
        EGLint count = 0;
        list(static_cast<EGLint>(devices.size()), devices.data(), &count);
        for (int i = 0; i < count; ++i)
            displays.push_back(open(EGL_PLATFORM_DEVICE_EXT, devices[static_cast<size_t>(i)], nullptr));
    }
    if (open && has(client, "EGL_MESA_platform_surfaceless"))
        displays.push_back(open(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr));
    displays.push_back(egl.eglGetDisplay(EGL_DEFAULT_DISPLAY));
    std::erase(displays, EGL_NO_DISPLAY);
    return displays;
}

// Why there is no context of 3.3: what an EGL that has OpenGL gives when it may choose.
base::Error too_old(const Egl& egl, EGLDisplay display, EGLConfig config, EGLSurface surface) {
    const EGLint error = egl.eglGetError();
    const EGLContext any = egl.eglCreateContext(display, config, EGL_NO_CONTEXT, nullptr);
    std::string version;
    if (any != EGL_NO_CONTEXT && egl.eglMakeCurrent(display, surface, surface, any))
        version = opengl_version(egl.eglGetProcAddress);
    egl.eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    if (any != EGL_NO_CONTEXT) egl.eglDestroyContext(display, any);
    if (version.empty()) return missing(base::say("EGL makes no OpenGL 3.3 context (error {:#x})", error));
    return opengl_too_old(version);
}

EGLContext make_context(const Egl& egl, EGLDisplay display, EGLConfig config) {
    const EGLint wanted[] = {
        EGL_CONTEXT_MAJOR_VERSION,           3,       EGL_CONTEXT_MINOR_VERSION, 3, EGL_CONTEXT_OPENGL_PROFILE_MASK,
        EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE};
    return egl.eglCreateContext(display, config, EGL_NO_CONTEXT, wanted);
}

// A current context on `display`, or the reason why not; `impl` then holds what must be given back.
base::Status open_context(EGLDisplay display, auto& impl) {
    const Egl& egl = impl.egl;
    if (!egl.eglInitialize(display, nullptr, nullptr))
        return missing(base::say("EGL gives no display (error {:#x})", egl.eglGetError()));
    impl.display = display;
    if (!egl.eglBindAPI(EGL_OPENGL_API)) return missing(base::say("this EGL has no OpenGL"));
    const EGLint wanted[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE};
    EGLConfig config = nullptr;
    EGLint count = 0;
    if (!egl.eglChooseConfig(display, wanted, &config, 1, &count) || count == 0)
        return missing(base::say("EGL has no configuration for OpenGL"));
    if (!has(egl.eglQueryString(display, EGL_EXTENSIONS), "EGL_KHR_surfaceless_context")) {
        const EGLint size[] = {EGL_WIDTH, 16, EGL_HEIGHT, 16, EGL_NONE};
        impl.surface = egl.eglCreatePbufferSurface(display, config, size);
    }
    impl.context = make_context(egl, display, config);
    if (impl.context == EGL_NO_CONTEXT) return too_old(egl, display, config, impl.surface);
    if (!egl.eglMakeCurrent(display, impl.surface, impl.surface, impl.context))
        return missing(base::say("EGL cannot use its OpenGL context (error {:#x})", egl.eglGetError()));
    if (!gladLoadGL(egl.eglGetProcAddress)) return missing(base::say("OpenGL 3.3 has no functions here"));
    return base::Done{};
}

} // namespace

Offscreen::Offscreen(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Offscreen::Offscreen(Offscreen&&) noexcept = default;
Offscreen::~Offscreen() = default;

base::Result<Offscreen> Offscreen::create(int width, int height) {
    const auto egl = load_egl();
    if (!egl) return egl.error();
    base::Error reason = missing(base::say("there is no EGL display"));
    bool any_open = false;
    std::unique_ptr<Impl> impl;
    for (const EGLDisplay display : candidates(*egl)) {
        impl = std::make_unique<Impl>(*egl);
        const base::Status opened = open_context(display, *impl);
        if (opened) break;
        // What a display that could be opened lacks says more than that another one could not be.
        const bool is_open = impl->display != EGL_NO_DISPLAY;
        if (is_open || !any_open) reason = opened.error();
        any_open |= is_open;
        impl.reset();
    }
    if (!impl) return reason;

    GLint largest = 0;
    glGetIntegerv(GL_MAX_RENDERBUFFER_SIZE, &largest);
    if (width < 1 || height < 1 || width > largest || height > largest)
        return base::Error{base::Failure::usage, base::say("a picture of {}x{} cannot be drawn", width, height), "",
                           base::say("choose a --size between 1x1 and {}x{}", largest, largest)};
    glGenFramebuffers(1, &impl->buffer);
    glGenRenderbuffers(1, &impl->colour);
    glBindRenderbuffer(GL_RENDERBUFFER, impl->colour);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, width, height);
    glBindFramebuffer(GL_FRAMEBUFFER, impl->buffer);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, impl->colour);
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
        return base::Error{base::Failure::usage,
                           base::say("OpenGL has no memory for a picture of {}x{}", width, height), "",
                           base::say("choose a smaller --size")};
    return Offscreen(std::move(impl));
}

} // namespace ui
