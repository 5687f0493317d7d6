// From the blocks of one multiprocessor to a grid on all of them: what the block scheduler makes of waves and of the tail.
#pragma once

#include "timing/machine.h"

#include <cstdint>
#include <span>
#include <vector>

namespace timing {

// How long blocks take, in cycles.
struct BlockCycles {
    std::span<const double> first; // of a full multiprocessor's blocks that begin together: when each ends
    double alone = 0;              // of one that has a multiprocessor to itself
};
// Of a grid whose last blocks do less or more than those before: how many these are, and how much each does of what one before does.
struct LastBlocks {
    uint64_t count = 0;
    double work = 1;
};

// Until the last of `blocks` has ended. The first go one to each multiprocessor in turn until all are full, every other one to where a
// block has ended first: as recorded (assets/recorded/timelines). Residents share a multiprocessor (processor sharing): each
// moves on at the rate that so many of them have, between that of `alone` and that of a full one. 0 where there are no blocks.
double grid_cycles(const Machine&, uint64_t blocks, const BlockCycles&, const LastBlocks& = {});

// When residents end that have `left` > 0 to do each and go on at these paces, of which one is above 0, with `most` above 0: after one has ended the others share in
// proportion what it leaves (generalized processor sharing: Parekh and Gallager, 1993), but none goes faster than `most`, which it does alone.
// Paces are of what is to do, in a unit of time; ends are in such units.
std::vector<double> shared_ends(double left, std::span<const double> paces, double most);

} // namespace timing
