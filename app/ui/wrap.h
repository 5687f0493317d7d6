// Where a line of text ends.
#pragma once

#include <imgui.h>

#include <string>
#include <string_view>

namespace ui {

// The text, with a line break where it would be wider than `width` pixels: at a blank, which goes, or beside a Chinese character, but
// so that no line begins with what closes, such as "，" and "）", or ends with what opens (kinsoku shori). Numbers and Latin words stay
// whole unless one alone is too wide; ImGui's own wrapping breaks "44.1" after the point.
std::string wrapped(const ImFont*, float width, std::string_view text);

} // namespace ui
