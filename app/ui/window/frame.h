// Where each panel stands, and the whole window as one function.
#pragma once

#include "ui/draw/draw.h"

namespace ui {

// Rectangles of the panels in pixels; a panel that is hidden or has no room has width 0.
struct Areas {
    Rect ladder, tiles, idea, map, middle, plot, code, numbers, transport;
    Rect numbers_line;                // below the code, where Numbers is hidden
    std::vector<const char*> no_room; // keys of the titles of panels that are shown but do not fit
};
// `type`: how much larger than 1x text is; panels below their least size are left out, the least important first.
// The ladder takes `ladder_height` of its column, at most `ladder_share`; the sliders get the rest. `idea_height(width)`: of the band over
// the middle, which goes before any panel does; none: no band.
Areas arrange(const session::View&, float width, float height, float type, float ladder_height,
              const std::function<float(float)>& idea_height = {}, float ladder_share = 0.5f);

// The window's content: panels, splitters, transport bar, popups. The draw function of the window and of "render window".
void draw_window(Context&);

} // namespace ui
