// The traced block over time: what each warp did, barriers, and k-tiles.
#pragma once

#include "trace/trace.h"

namespace analysis {

// A run of neighbouring events of one warp and one kind.
struct Span {
    uint32_t first = 0, last = 0; // events, inclusive
    uint16_t warp = 0;
    trace::Kind kind = trace::Kind::arithmetic;
    trace::Space space = trace::Space::none;
    uint32_t instructions = 0; // of this warp within the span
};

struct Timeline {
    std::vector<std::vector<Span>> warps; // [warp]
    std::vector<uint32_t> barriers;       // events after which every warp had arrived
    std::vector<int64_t> turns;           // [warp]: the pc at which a turn begins of the outermost loop that the warp
                                          // spends most instructions in; -1: it is in none
    std::vector<bool> merged;             // [warp]: several turns make a k-tile, the loops of a tile are one loop
    std::vector<uint32_t> k_tiles;        // first event, of any warp, of each k-tile of the outermost loop; of
                                          // several loops in a row, the one with the most events
};
Timeline timeline(const trace::Trace&);

// Where a warp's k-tiles begin: with each turn of its loop or, where several turns make a tile, with the turn behind one in which
// the warp has waited for others, which nobody does within a tile.
class TileStarts {
public:
    TileStarts(int64_t turn, bool merged) : turn_(turn), merged_(merged) {}
    TileStarts(const Timeline&, size_t warp);
    // For each event of the warp, in order.
    bool begins(uint32_t pc, trace::Kind);

private:
    int64_t turn_ = -1;
    bool merged_ = false, waited_ = true;
};

// A step that shows something: of the second k-tile's shared loads the one with the most excessive wavefronts (the
// conflict, if the kernel has one), and of several such the first with the most distinct words; without shared loads in it, the first shared load of all; without any, of the tile's
// global loads likewise the one with the most sectors beyond the ideal; or the first access, or 0.
uint32_t interesting_event(const trace::Trace&, const Timeline&);

} // namespace analysis
