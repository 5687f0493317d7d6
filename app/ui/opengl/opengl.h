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

// Hands the glyphs that ImGui's fonts were made of to OpenGL, in place of those before, and frees ImGui's own copy of them: tens of
// megabytes where Chinese is large.
void upload_glyphs();

} // namespace ui
