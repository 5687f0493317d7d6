#include "ui/offscreen.h"

#include <fmt/format.h>
#include <glad/gl.h>

#include <EGL/egl.h>
#include <EGL/eglext.h>

#include <array>
#include <string_view>
#include <vector>

namespace ui {

struct Offscreen::Impl {
    EGLDisplay display = EGL_NO_DISPLAY;
    EGLContext context = EGL_NO_CONTEXT;
    EGLSurface surface = EGL_NO_SURFACE;
    GLuint buffer = 0, colour = 0;

    ~Impl() {
        if (buffer) glDeleteFramebuffers(1, &buffer);
        if (colour) glDeleteRenderbuffers(1, &colour);
        if (display == EGL_NO_DISPLAY) return;
        eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
        if (surface != EGL_NO_SURFACE) eglDestroySurface(display, surface);
        if (context != EGL_NO_CONTEXT) eglDestroyContext(display, context);
        eglTerminate(display);
    }
};

namespace {

base::Error missing(std::string what) {
    return {base::Failure::missing, std::move(what), "", "install libegl1 and libgl1-mesa-dri; gemmscope doctor says more"};
}

bool has(const char* extensions, std::string_view name) {
    return extensions && std::string_view(extensions).find(name) != std::string_view::npos;
}

// Everything that may be a display, the most capable first: a GPU's device, Mesa without a surface, the default.
std::vector<EGLDisplay> candidates() {
    std::vector<EGLDisplay> displays;
    const char* client = eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
    const auto open = reinterpret_cast<PFNEGLGETPLATFORMDISPLAYEXTPROC>(eglGetProcAddress("eglGetPlatformDisplayEXT"));
    const auto list = reinterpret_cast<PFNEGLQUERYDEVICESEXTPROC>(eglGetProcAddress("eglQueryDevicesEXT"));
    if (open && list && has(client, "EGL_EXT_platform_device")) {
        std::array<EGLDeviceEXT, 16> devices{};
        EGLint count = 0;
        list(static_cast<EGLint>(devices.size()), devices.data(), &count);
        for (int i = 0; i < count; ++i) displays.push_back(open(EGL_PLATFORM_DEVICE_EXT, devices[static_cast<size_t>(i)], nullptr));
    }
    if (open && has(client, "EGL_MESA_platform_surfaceless"))
        displays.push_back(open(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr));
    displays.push_back(eglGetDisplay(EGL_DEFAULT_DISPLAY));
    std::erase(displays, EGL_NO_DISPLAY);
    return displays;
}

EGLContext make_context(EGLDisplay display, EGLConfig config) {
    const EGLint wanted[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 3,
                             EGL_CONTEXT_OPENGL_PROFILE_MASK, EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE};
    return eglCreateContext(display, config, EGL_NO_CONTEXT, wanted);
}

// A current context on `display`, or the reason why not; `impl` then holds what must be given back.
base::Status open_context(EGLDisplay display, auto& impl) {
    if (!eglInitialize(display, nullptr, nullptr)) return missing(fmt::format("EGL gives no display (error {:#x})", eglGetError()));
    impl.display = display;
    if (!eglBindAPI(EGL_OPENGL_API)) return missing("this EGL has no OpenGL");
    const EGLint wanted[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE};
    EGLConfig config = nullptr;
    EGLint count = 0;
    if (!eglChooseConfig(display, wanted, &config, 1, &count) || count == 0) return missing("EGL has no configuration for OpenGL");
    impl.context = make_context(display, config);
    if (impl.context == EGL_NO_CONTEXT) return missing(fmt::format("EGL makes no OpenGL 3.3 context (error {:#x})", eglGetError()));
    if (!has(eglQueryString(display, EGL_EXTENSIONS), "EGL_KHR_surfaceless_context")) {
        const EGLint size[] = {EGL_WIDTH, 16, EGL_HEIGHT, 16, EGL_NONE};
        impl.surface = eglCreatePbufferSurface(display, config, size);
    }
    if (!eglMakeCurrent(display, impl.surface, impl.surface, impl.context))
        return missing(fmt::format("EGL cannot use its OpenGL context (error {:#x})", eglGetError()));
    if (!gladLoadGL(eglGetProcAddress)) return missing("OpenGL 3.3 has no functions here");
    return base::Done{};
}

} // namespace

Offscreen::Offscreen(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Offscreen::Offscreen(Offscreen&&) noexcept = default;
Offscreen::~Offscreen() = default;

base::Result<Offscreen> Offscreen::create(int width, int height) {
    base::Error reason = missing("there is no EGL display");
    std::unique_ptr<Impl> impl;
    for (const EGLDisplay display : candidates()) {
        impl = std::make_unique<Impl>();
        if (const base::Status opened = open_context(display, *impl)) break;
        else reason = opened.error();
        impl.reset();
    }
    if (!impl) return reason;

    GLint largest = 0;
    glGetIntegerv(GL_MAX_RENDERBUFFER_SIZE, &largest);
    if (width < 1 || height < 1 || width > largest || height > largest)
        return base::Error{base::Failure::usage, fmt::format("a picture of {}x{} cannot be drawn", width, height), "",
                           fmt::format("choose a --size between 1x1 and {}x{}", largest, largest)};
    glGenFramebuffers(1, &impl->buffer);
    glGenRenderbuffers(1, &impl->colour);
    glBindRenderbuffer(GL_RENDERBUFFER, impl->colour);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, width, height);
    glBindFramebuffer(GL_FRAMEBUFFER, impl->buffer);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, impl->colour);
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
        return base::Error{base::Failure::usage, fmt::format("OpenGL has no memory for a picture of {}x{}", width, height), "",
                           "choose a smaller --size"};
    return Offscreen(std::move(impl));
}

} // namespace ui
