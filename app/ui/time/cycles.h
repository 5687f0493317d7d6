// The timeline in predicted cycles: warps over the time of their multiprocessor, and what they wait for.
#pragma once

#include "session/timed_block.h"
#include "ui/draw/draw.h"
#include "views/warp_track.h"

#include <string>

namespace ui {

// Asked for, and known or about to be. Not of warps in an order that the user has chosen.
bool shows_cycles(const Context&);
// Asked for and not known: why, as a sentence. Else empty.
std::string no_cycles(const Context&);
// The choice between order and cycles at the right end of the area's first line. Returns where it begins.
float draw_axis_switch(Context&, const Rect& area);

// "predicted, not validated: Block: 22,134 cycles = 11.2 µs, 2 on the SM at once; lost: Long Scoreboard 41 %, Barrier 22 %". With what
// is asked that no GPU has.
std::string predicted_words(const Context&, const session::ExpectedError&, const session::TimedBlock&);
// "predicted, not validated" in a frame. Returns where what follows begins.
float draw_predicted_badge(Context&, const session::ExpectedError&, ImVec2 at);
// The block's time, with as many reasons as there is room for. `effect`: what is asked that no GPU has stands there instead.
void draw_block_words(Context&, const session::TimedBlock&, const Rect& line, bool effect);
// Cycles and microseconds below `rows`, from `left` on with what they are.
void draw_cycle_axis(Context&, const session::TimedBlock&, const Rect& rows, AxisRange, float left);

void draw_cycles(Context&);

} // namespace ui
