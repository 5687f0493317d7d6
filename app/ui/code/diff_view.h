// Two sources side by side, or one under the other where the panel is narrow, with the equal parts folded
// away.
#pragma once

#include "ui/panel.h"

#include <string>

namespace ui {

// Fills the free area of the current window. Descriptions at the top of kernel files are left out.
void draw_diff(Context&, const std::string& left, const std::string& right);

} // namespace ui
