// The stage: one view, or two, fill the window beside a caption, the speed and the one slider that matters. For a projector, whose
// back row reads nothing lower than 20 pixels of 720.
#pragma once

#include "ui/draw/draw.h"

namespace ui {

float stage_scale(ImVec2 display); // how large everything is; 1 at 1280 x 720

struct StageAreas {
    Rect bar, first, second, rail, slider; // second: width 0 where there is one view
};
// The rail stands at the right of one view, and below two, or where the window is no wider than 4 to 3.
StageAreas arrange_stage(ImVec2 display, bool two_views, bool with_slider);

void draw_stage(Context&);

// One view alone, from now on. Nothing happens where there is none of that name.
void put_on_stage(session::View&, std::string_view id);
void leave_stage(session::View&);
// Keys of a clicker, where the stage is shown: the step of the lesson before or behind; without a lesson the rung. False: it is not
// shown.
bool turn_page(Context&, int direction);
// A screen of one colour, until the next key. False: the stage is not shown.
bool blank(Context&, Blank);

} // namespace ui
