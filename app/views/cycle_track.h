// One warp of the traced block over the cycles of its multiprocessor, summed up per pixel. No drawing.
#pragma once

#include "timing/multiprocessor.h"
#include "views/warp_track.h"

#include <array>
#include <optional>
#include <vector>

namespace views {

struct CyclePixel {
    std::array<uint32_t, lane_count> count{}; // instructions issued, by what they do
    uint32_t issued = 0;
    std::array<float, static_cast<size_t>(timing::Wait::count)> waited{}; // cycles, by reason
};

// Of warp `warp`, `pixels` of them over `range`, in cycles.
std::vector<CyclePixel> cycle_track(const BlockPicture&, const timing::Run&, size_t warp, AxisRange range, int pixels);

double issue_cycle(const BlockPicture&, const timing::Run&, size_t warp, uint32_t index); // of a warp's event
// The first event of the warp that is not issued before the cycle, so what executes there or waits there; at most the last.
uint32_t index_at_cycle(const BlockPicture&, const timing::Run&, size_t warp, double cycle);

// What the warp waits for in that cycle on its way to its event `index`; nothing: the event is issued.
struct Gap {
    timing::Issue::Part part;
    double first = 0, last = 0; // cycles, half-open
};
std::optional<Gap> gap_at_cycle(const BlockPicture&, const timing::Run&, size_t warp, uint32_t index, double cycle);

double last_cycle(const timing::Run&); // in which the block has ended

// From the turn of the k loop before the one that holds `index` to the one after, or a part of that, magnified `zoom` times, with the
// event in it.
AxisRange cycles_around(const BlockPicture&, const timing::Run&, size_t warp, uint32_t index, double zoom);

// The warp's cycles by reason.
timing::Lost warp_waits(const BlockPicture&, const timing::Run&, size_t warp, AxisRange indices);

constexpr size_t schedulers = 4; // of a multiprocessor; warp w of the first block is on w % schedulers
// Warps by scheduler, those of one in order.
std::vector<size_t> by_scheduler(size_t warps);

} // namespace views
