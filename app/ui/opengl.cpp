#include "ui/opengl.h"

#include <fmt/format.h>
#include <glad/gl.h>

namespace ui {

std::string opengl_version(GlFunction (*find)(const char* name)) {
    const auto get = reinterpret_cast<PFNGLGETSTRINGPROC>(find("glGetString"));
    if (!get) return {};
    const auto text = [&](GLenum name) {
        const GLubyte* value = get(name);
        return std::string(value ? reinterpret_cast<const char*>(value) : "");
    };
    const std::string version = text(GL_VERSION), renderer = text(GL_RENDERER);
    return version.empty() || renderer.empty() ? version : version + ", " + renderer;
}

base::Error opengl_too_old(const std::string& version) {
    return {base::Failure::missing, fmt::format("gemmscope draws with OpenGL 3.3 and this machine has {}", version), "",
            "install the graphics card's driver, or libgl1-mesa-dri, which draws with 4.5 on the CPU; unset MESA_GL_VERSION_OVERRIDE if it is set"};
}

} // namespace ui
