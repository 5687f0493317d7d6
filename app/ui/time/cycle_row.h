// One warp over cycles: what it issues above, what it waits for below.
#pragma once

#include "ui/draw/draw.h"
#include "ui/time/track_picture.h"
#include "views/cycle_track.h"

namespace ui {

// `tall`: memory, shared memory and arithmetic apart, and every reason by its share.
void draw_cycle_row(const Style&, const BlockPicture&, const timing::Run&, const Rect& row, AxisRange range,
                    size_t warp, bool tall);
// Of `row`, where the waits are drawn: all of a low one, under what is issued.
Rect waits_of(const Rect& row, bool tall);

// Where the warp arrives at barriers. Warps do not arrive together, and that is what is waited for.
void draw_arrivals(const Style&, const BlockPicture&, const timing::Run&, const Rect& row, AxisRange range,
                   size_t warp);

} // namespace ui
