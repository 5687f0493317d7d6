// What the window and pictures ask of OpenGL: which one a machine has, whether it keeps up, its texture of glyphs.
#pragma once

#include "base/result.h"

#include <string>

namespace ui {

using GlFunction = void (*)();

// "2.1 Mesa 22.3.6, llvmpipe" of the current context; empty: there is none. `find` gives OpenGL's functions.
std::string opengl_version(GlFunction (*find)(const char* name));

base::Error opengl_too_old(const std::string& version);

// Whether the current context has carried out everything since this was last asked: an OpenGL without memory leaves what it cannot
// draw black. Errors: what it could not do.
base::Status opengl_status();

// The glyphs of ImGui's fonts, held by OpenGL. One byte a texel, read as white of that alpha: a quarter of what ImGui's own upload
// converts, hands over and keeps. The context must be current, at the end as well; ImGui_ImplOpenGL3 must be begun.
class GlyphTexture {
public:
    GlyphTexture() = default;
    GlyphTexture(const GlyphTexture&) = delete;
    GlyphTexture& operator=(const GlyphTexture&) = delete;
    ~GlyphTexture();

    // Takes the glyphs that the fonts were made of last, in place of those before, and frees ImGui's own copy of them.
    void upload();

private:
    unsigned name_ = 0; // OpenGL's
};

} // namespace ui
