// Why the fastest setting is faster than the present one, in numbers that the program has without a GPU.
#pragma once

#include "ui/draw/draw.h"
#include "ui/speed/speed.h"

namespace ui {

// How wide the table wants to be.
float why_width(const Context&);
// Here beside the best; asks the session for what is not known yet.
void draw_why(Context&, const Rect& area, const SpeedNow&, const session::Speeds::Best&);

} // namespace ui
