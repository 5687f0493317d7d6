// A libEGL.so.1 of an old card: it has a display, and OpenGL 2.1.
#include <EGL/egl.h>
#include <EGL/eglext.h>

#include <cstdint>
#include <cstring>

namespace {

constexpr unsigned gl_version = 0x1F02, gl_renderer = 0x1F01;

void* const something = reinterpret_cast<void*>(uintptr_t{1});

const unsigned char* get_string(unsigned name) {
    const char* text = name == gl_version ? "2.1" : name == gl_renderer ? "an old card" : "";
    return reinterpret_cast<const unsigned char*>(text);
}

} // namespace

extern "C" {

EGLDisplay eglGetDisplay(EGLNativeDisplayType) { return something; }
EGLBoolean eglInitialize(EGLDisplay, EGLint*, EGLint*) { return EGL_TRUE; }
EGLBoolean eglTerminate(EGLDisplay) { return EGL_TRUE; }
EGLBoolean eglBindAPI(EGLenum) { return EGL_TRUE; }
EGLint eglGetError() { return EGL_BAD_MATCH; }
const char* eglQueryString(EGLDisplay display, EGLint) {
    return display == EGL_NO_DISPLAY ? nullptr : "EGL_KHR_surfaceless_context";
}
EGLBoolean eglChooseConfig(EGLDisplay, const EGLint*, EGLConfig* configs, EGLint, EGLint* count) {
    *configs = something;
    *count = 1;
    return EGL_TRUE;
}
EGLSurface eglCreatePbufferSurface(EGLDisplay, EGLConfig, const EGLint*) { return something; }
EGLBoolean eglDestroySurface(EGLDisplay, EGLSurface) { return EGL_TRUE; }
// Any version, but none in particular.
EGLContext eglCreateContext(EGLDisplay, EGLConfig, EGLContext, const EGLint* wanted) {
    return wanted ? EGL_NO_CONTEXT : something;
}
EGLBoolean eglDestroyContext(EGLDisplay, EGLContext) { return EGL_TRUE; }
EGLBoolean eglMakeCurrent(EGLDisplay, EGLSurface, EGLSurface, EGLContext) { return EGL_TRUE; }
__eglMustCastToProperFunctionPointerType eglGetProcAddress(const char* name) {
    if (std::strcmp(name, "glGetString") != 0) return nullptr;
    return reinterpret_cast<__eglMustCastToProperFunctionPointerType>(&get_string);
}

} // extern "C"
