#include "ui/opengl/opengl.h"

#include <backends/imgui_impl_opengl3.h>
#include <glad/gl.h>
#include <imgui.h>

#include <array>
#include <cstdint>

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
    return {
        base::Failure::missing, base::say("gemmscope draws with OpenGL 3.3 and this machine has {}", version), "",
        base::say(
            "install the graphics card's driver, or libgl1-mesa-dri, which draws with 4.5 on the CPU; unset MESA_GL_VERSION_OVERRIDE if it is set")};
}

base::Status opengl_status() {
    constexpr int most = 64; // a context that was lost may say so for ever
    GLenum first = GL_NO_ERROR;
    for (int i = 0; i < most; ++i) {
        const GLenum error = glGetError();
        if (error == GL_NO_ERROR) break;
        if (first == GL_NO_ERROR) first = error;
    }
    if (first == GL_NO_ERROR) return base::Done{};
    constexpr base::Phrase todo = base::phrase(
        "free memory of the GPU, or draw on the CPU: LIBGL_ALWAYS_SOFTWARE=1, and for pictures without a display libgl1-mesa-dri");
    if (first == GL_OUT_OF_MEMORY)
        return base::Error{base::Failure::missing, base::say("OpenGL has no memory to draw this"), "", todo};
    return base::Error{base::Failure::missing, base::say("OpenGL could not draw this (error {:#x})", first), "", todo};
}

GlyphTexture::~GlyphTexture() {
    if (name_) glDeleteTextures(1, &name_);
}

void GlyphTexture::upload() {
    ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
    if (name_) {
        glDeleteTextures(1, &name_);
    } else { // the backend makes all of its objects at once, a texture of glyphs with them
        ImGui_ImplOpenGL3_NewFrame();
        ImGui_ImplOpenGL3_DestroyFontsTexture();
    }
    unsigned char* coverage = nullptr;
    int width = 0, height = 0;
    atlas.GetTexDataAsAlpha8(&coverage, &width, &height);
    glGenTextures(1, &name_);
    glBindTexture(GL_TEXTURE_2D, name_);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    constexpr std::array<GLint, 4> white_of_alpha{GL_ONE, GL_ONE, GL_ONE, GL_RED};
    glTexParameteriv(GL_TEXTURE_2D, GL_TEXTURE_SWIZZLE_RGBA, white_of_alpha.data());
    glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_R8, width, height, 0, GL_RED, GL_UNSIGNED_BYTE, coverage);
    atlas.SetTexID(reinterpret_cast<ImTextureID>(static_cast<std::uintptr_t>(name_)));
    atlas.ClearTexData();
}

} // namespace ui
