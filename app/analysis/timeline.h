// The traced block over time: what each warp did, barriers, and k-tiles.
#pragma once

#include "trace/trace.h"

namespace analysis {

// One warp: its step s is events[s] of the trace.
struct WarpSteps {
    std::vector<uint32_t> events; // ascending
    // Steps at which a k-tile begins: a turn of the warp's loop over k, or several turns that are one tile.
    std::vector<uint32_t> k_tiles;
    uint32_t before(uint32_t event) const; // how many steps lie before `event` of the trace
};

struct Timeline {
    std::vector<WarpSteps> warps;   // [warp]
    std::vector<uint32_t> barriers; // events after which every warp had arrived
    // First event, of any warp, of each k-tile of the loop over k: the outermost loop, of several in a row the one with the most events;
    // or, where a block goes from tile of C to tile of C, the loop within that one.
    std::vector<uint32_t> k_tiles;
};
Timeline timeline(const trace::Trace&);

// A step that shows something: of the second k-tile's shared loads the one with the most excessive wavefronts (the conflict, if the
// kernel has one), and of several such the first with the most distinct words; without shared loads in it, the first shared load of
// all; without any, of the tile's global loads likewise the one with the most sectors beyond the ideal; or the first access, or 0.
uint32_t interesting_event(const trace::Trace&, const Timeline&);

} // namespace analysis
