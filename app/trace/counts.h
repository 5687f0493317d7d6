// Counters of a run, per instruction, as Nsight Compute's source page has them.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace trace {

struct Moved { // by accesses to shared memory
    uint64_t wavefronts = 0, ideal = 0;
    bool operator==(const Moved&) const = default;
};

struct InstructionCounts {
    uint64_t executed = 0;                         // warp instructions
    uint64_t threads = 0;                          // sum of active lanes (predicated-on)
    uint64_t wavefronts = 0, wavefronts_ideal = 0; // shared-memory accesses
    uint64_t sectors = 0, sectors_ideal = 0;       // global-memory accesses, 32-byte sectors
    uint64_t diverged = 0;                         // times that a branch sent some lanes one way and some the other
    // What accesses of 8 and of 16 bytes around this one would move, each aligned to its size: for those that ptxas may fuse
    // with a neighbour, else 0.
    std::array<Moved, 2> wider{};
    bool operator==(const InstructionCounts&) const = default;
};

// One entry per pc.
using Counts = std::vector<InstructionCounts>;

} // namespace trace
