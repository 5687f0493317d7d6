// The switches that no GPU has, what is on of them, and what that does to the block's time.
#pragma once

#include "session/timed_block.h"
#include "ui/draw/draw.h"

#include <string>

namespace ui {

// "What if: no bank conflicts. No GPU has this switch. 8,412 → 6,120 cycles, −27 %"
std::string what_if_words(const Context&, const session::TimedBlock&);
// The same on one line, so that nobody takes it for what a GPU does.
void draw_what_if_banner(Context&, const session::TimedBlock&, const Rect& line);

// The switches in lines from the top of `area`. Returns their height.
float draw_what_if(Context&, const Rect& area);

} // namespace ui
