// Instructions of one warp summed up per pixel, on the axis on which all warps' segments start together, or, where the order of the
// warps is looked at (BlockPicture::in_turn), on that of the block's events. No drawing.
#pragma once

#include "views/pictures.h"

namespace views {

struct Pixel {
    LaneCounts count{};
    uint32_t total = 0; // 0: the warp executes nothing here
    bool waits = false; // it has arrived at a barrier that others have not
};

struct AxisRange { // in instructions of that axis, half-open
    double first = 0, last = 1;
};

// Of warp `warp`, `pixels` of them over `range`. Every instruction counts, however many share a pixel.
std::vector<Pixel> warp_track(const BlockPicture&, size_t warp, AxisRange range, int pixels);

// Place of a warp's `index`-th event on the axis, and the event at a place: the last one not after it.
double axis_place(const BlockPicture&, size_t warp, uint32_t index);
uint32_t axis_index(const BlockPicture&, size_t warp, double place);

// How far a warp is in its loop over k, in turns: 2.5 is in the middle of the third; from -1 to 0 it is before the first; what follows
// the last turn counts as that turn's. Without a loop, the share of its events. And the event at such a place.
double turn_place(const WarpOrder&, uint32_t index);
uint32_t index_at_turn(const WarpOrder&, double place);
// The same place in k of another kernel's warp, whose turns may be of other length.
double same_turn(const WarpOrder& from, const WarpOrder& to, double place);

// From the turn of the k loop before the one that holds `index` to the one after; the whole run without a loop.
AxisRange turns_around(const BlockPicture&, size_t warp, uint32_t index);

} // namespace views
