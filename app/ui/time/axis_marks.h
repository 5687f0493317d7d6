// What stands on the timeline's axis, whether it counts order or cycles: the turns of the k loop and the step.
#pragma once

#include "ui/draw/draw.h"
#include "ui/views.h"
#include "views/warp_track.h"

#include <vector>

namespace ui {

// Else an iteration of the loop is not a tile of k.
bool is_tiled(const Context&, const BlockPicture&);

// Numbers of the turns above `row`, from `label_y` on; 0: none. `places`: of each turn on the axis.
void draw_turns(const Context&, const BlockPicture&, const Rect& row, AxisRange, const std::vector<double>& places,
                float label_y);

// The step, a line through `row` at `place`.
void draw_step(const Style&, const Rect& row, AxisRange, double place);

} // namespace ui
