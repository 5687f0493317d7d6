// The order in which the warps of the shown block run: its words, and what the transport bar and the keys do to it.
#pragma once

#include "ui/panel.h"

namespace ui {

// In order, then the selected warp first, then shuffled, and so on; where another warp than the selected one is first, that one.
trace::Schedule schedule_after(trace::Schedule, int selected_warp);
void next_schedule(Context&);
// Shuffled with the next seed.
void next_seed(Context&);

} // namespace ui
