// The timeline in predicted cycles: warps over the time of their multiprocessor, and what they wait for.
#pragma once

#include "session/timed_block.h"
#include "ui/draw/draw.h"

#include <string>

namespace ui {

// Asked for, and known or about to be. Not of warps in an order that the user has chosen.
bool shows_cycles(const Context&);
// Asked for and not known: why, as a sentence. Else empty.
std::string no_cycles(const Context&);
// The choice between order and cycles at the right end of the area's first line. Returns where it begins.
float draw_axis_switch(Context&, const Rect& area);

// "predicted: Block: 22,134 cycles = 11.2 µs, 2 on the SM at once; lost: Long Scoreboard 41 %, Barrier 22 %", with fewer
// reasons where that is wider than `width`; 0: however wide. With what is asked that no GPU has.
std::string predicted_words(const Context&, const session::TimedBlock&, float width = 0);

void draw_cycles(Context&);

} // namespace ui
