// One warp's instructions as a track: global memory, shared memory and arithmetic, with what is in flight. For the Timeline and for
// each side of the comparison.
#pragma once

#include "ui/draw/draw.h"
#include "ui/views.h"
#include "views/warp_track.h"

namespace ui {

constexpr int track_count = 3;        // global, shared, arithmetic
constexpr float flight_alpha = 0.40f; // of data in flight; bands that overlap add up

ImU32 lane_colour(const Style&, Lane);
const char* lane_key(Lane);           // of its name
Lane arithmetic(const BlockPicture&); // that its track is named by: the pipe that computes the block's products

// Where a place on the axis lies in a row that shows `range`.
float x_of(const Rect& row, AxisRange range, double place);

// Three tracks, or where `row` is lower than 8 pixels one; hatched where the warp executes nothing.
void draw_track(const Style&, const BlockPicture&, const Rect& row, AxisRange range, size_t warp);

// Barriers that all warps pass, as lines through `row`.
void draw_barriers(const Style&, const BlockPicture&, const Rect& row, AxisRange range, bool strong);

} // namespace ui
