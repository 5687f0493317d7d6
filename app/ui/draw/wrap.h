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
// As much of one line as fits into `width` before an ellipsis, and the ellipsis. A number goes whole: what is left of one reads as another.
std::string with_ellipsis(ImFont*, float width, std::string_view line);
// Of lines of at most `width` those that `height` has room for, the first at least; the last ends in an ellipsis if more follow.
std::string first_lines(ImFont*, float width, float height, std::string_view lines);

// Whether a line may end between these two characters; kinsoku shori as above. `before` 0: a line has begun.
bool may_break_between(unsigned before, unsigned after);

} // namespace ui
