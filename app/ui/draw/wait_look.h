// How a wait is drawn wherever one is: a colour that says what the warp waits for, and a pattern, which tells two of one colour apart.
#pragma once

#include "timing/multiprocessor.h"
#include "ui/draw/draw.h"

namespace ui {

enum class Pattern { plain, rising, falling, crossed, level, upright }; // lines, and which way they run

void fill_pattern(const Rect&, ImU32 colour, Pattern, float spacing);

struct WaitLook {
    ImU32 colour = 0;
    Pattern pattern = Pattern::plain;
};
WaitLook wait_look(const Style&, timing::Wait);

void draw_wait(const Style&, const Rect&, timing::Wait);

} // namespace ui
