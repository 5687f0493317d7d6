// What Dear ImGui has drawn as an SVG file: shapes as paths, text as text. OpenGL is not asked.
#pragma once

#include "base/result.h"

#include <imgui.h>

#include <span>
#include <string>

namespace ui {

struct SvgFont {
    const ImFont* font = nullptr;
    std::string family; // of CSS, with those that stand in
    bool bold = false;
    float line_height = 1; // in units of the em
};

struct SvgPart {
    ImDrawData* data = nullptr;
    float below = 0; // where it begins, from the upper edge
};

struct SvgOptions {
    ImU32 ground = 0;
    std::string title, description; // for who does not see it
    std::span<const SvgFont> fonts;
};

// Lines and fills must have been drawn without antialiasing: its fringes would be shapes, too. Glyphs are told by their place in the font
// atlas, so that panels need not know of it. Errors: what was drawn has an image.
base::Result<std::string> to_svg(std::span<const SvgPart>, const SvgOptions&);

} // namespace ui
