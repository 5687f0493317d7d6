// An OpenGL 3.3 context without a display, for tests: on an NVIDIA device where there is one, else on Mesa's surfaceless platform.
#pragma once

#include <glad/gl.h>

#include <EGL/egl.h>
#include <EGL/eglext.h>

#include <cstring>
#include <vector>

class GlContext {
public:
    GlContext() {
        for (EGLDisplay display : displays())
            if (open(display)) return;
    }
    ~GlContext() {
        if (display_ == EGL_NO_DISPLAY) return;
        eglMakeCurrent(display_, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
        eglDestroyContext(display_, context_);
        eglTerminate(display_);
    }
    GlContext(const GlContext&) = delete;
    GlContext& operator=(const GlContext&) = delete;

    bool ok() const { return context_ != EGL_NO_CONTEXT; }

private:
    static std::vector<EGLDisplay> displays() {
        std::vector<EGLDisplay> found;
        auto get = reinterpret_cast<PFNEGLGETPLATFORMDISPLAYEXTPROC>(eglGetProcAddress("eglGetPlatformDisplayEXT"));
        auto query = reinterpret_cast<PFNEGLQUERYDEVICESEXTPROC>(eglGetProcAddress("eglQueryDevicesEXT"));
        if (get && query) {
            EGLDeviceEXT devices[16];
            EGLint count = 0;
            if (query(16, devices, &count))
                for (EGLint i = 0; i < count; ++i) found.push_back(get(EGL_PLATFORM_DEVICE_EXT, devices[i], nullptr));
        }
        if (get) found.push_back(get(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr));
        return found;
    }

    bool open(EGLDisplay display) {
        const EGLint config_wanted[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT,
                                        EGL_NONE};
        const EGLint context_wanted[] = {
            EGL_CONTEXT_MAJOR_VERSION,           3,       EGL_CONTEXT_MINOR_VERSION, 3, EGL_CONTEXT_OPENGL_PROFILE_MASK,
            EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT, EGL_NONE};
        EGLConfig config = nullptr;
        EGLint count = 0;
        if (display == EGL_NO_DISPLAY || !eglInitialize(display, nullptr, nullptr)) return false;
        if (eglBindAPI(EGL_OPENGL_API) && eglChooseConfig(display, config_wanted, &config, 1, &count) && count == 1)
            context_ = eglCreateContext(display, config, EGL_NO_CONTEXT, context_wanted);
        if (context_ != EGL_NO_CONTEXT && eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context_) &&
            gladLoadGL(eglGetProcAddress)) {
            display_ = display;
            return true;
        }
        context_ = EGL_NO_CONTEXT;
        eglTerminate(display);
        return false;
    }

    EGLDisplay display_ = EGL_NO_DISPLAY;
    EGLContext context_ = EGL_NO_CONTEXT;
};
