// What happened before what (Lamport 1978, "Time, Clocks, and the Ordering of Events in a Distributed System"), by vector clocks
// (Mattern 1989, "Virtual Time and Global States of Distributed Systems"). A shadow word keeps who touched a word last and in
// which epoch. Two conflicting accesses race unless the later one's thread knows the epoch of the earlier one.
//
// Three scopes, as the memory model has them; in each, who releases tells what it did and knew, and who acquires knows that, too:
// - a block's warps: BlockOrder, a vector clock for each warp;
// - a cluster's blocks: ClusterOrder, a vector clock for each block. A release by one warp counts for its whole block: that may
//   miss a race between blocks, and never invents one;
// - a grid's blocks: GridOrder. They are too many for a clock each: releases are logged, and followed back when asked.
#pragma once

#include "sim/lanes/warp.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace sim {

// Of a warp or a release: of each warp of the block, its accesses of epochs before this one are known.
using VectorClock = std::array<uint32_t, trace_warps>;
inline void join(VectorClock& into, const VectorClock& from) {
    for (size_t n = 0; n < into.size(); ++n) into[n] = std::max(into[n], from[n]);
}

constexpr uint32_t most_cluster_blocks = 8; // that every GPU with clusters launches

// The same of each block of the cluster: epochs of BlockOrder for shared memory, of GridOrder for global memory.
struct ClusterClock {
    std::array<uint32_t, most_cluster_blocks> shared{}, global{};
};
inline void join(ClusterClock& into, const ClusterClock& from) {
    for (size_t n = 0; n < most_cluster_blocks; ++n) {
        into.shared[n] = std::max(into.shared[n], from.shared[n]);
        into.global[n] = std::max(into.global[n], from.global[n]);
    }
}

// Atomic and volatile accesses do not race with atomic ones.
inline bool both_strong(Strength a, Strength b) {
    return a != Strength::weak && b != Strength::weak && std::max(a, b) >= Strength::atomic;
}

} // namespace sim
