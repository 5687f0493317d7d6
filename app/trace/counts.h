// Counters of a run, per instruction, as Nsight Compute's source page has them.
#pragma once

#include <cstdint>
#include <vector>

namespace trace {

struct InstructionCounts {
    uint64_t executed = 0;                         // warp instructions
    uint64_t threads = 0;                          // sum of active lanes (predicated-on)
    uint64_t wavefronts = 0, wavefronts_ideal = 0; // shared-memory accesses
    uint64_t sectors = 0, sectors_ideal = 0;       // global-memory accesses, 32-byte sectors
    uint64_t diverged = 0;                         // times that a branch sent some lanes one way and some the other
    bool operator==(const InstructionCounts&) const = default;
};

// One entry per pc.
using Counts = std::vector<InstructionCounts>;

} // namespace trace
