// What the parts of one block have in common: where it stands in the launch, its warps, its shared memory.
#pragma once

#include "sim/lanes/warp.h"
#include "sim/run/fuel.h"
#include "sim/run/run.h"
#include "sim/run/shared_memory.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace sim {

class Cluster;

struct BlockContext {
    Run& run;
    const Program& program;
    Cluster& cluster;
    Effort& effort;      // of the cluster
    const uint32_t rank; // in the cluster
    base::Dim3 index{};  // in the grid
    uint64_t number = 0; // the same, counted
    std::vector<Warp> warps;
    SharedMemory shared;
    SharedView view{};   // of it
    bool ended = false;  // all warps have
    bool opened = false; // a barrier, since the scheduler looked last: warps that waited can go on

    BlockContext(Run&, Cluster&, uint32_t rank);
    BlockContext(const BlockContext&) = delete;
    BlockContext& operator=(const BlockContext&) = delete;

    void reset(); // for the block at `index`
    uint32_t shared_bytes() const { return program.dynamic_shared_at + run.launch.dynamic_shared_bytes; }
    uint32_t number_of(const Operation& op) const { return static_cast<uint32_t>(&op - program.operations.data()); }
    bool any_live() const {
        return std::any_of(warps.begin(), warps.end(), [](const Warp& w) { return w.live != 0; });
    }
    // The block that an address in shared memory leads to; beyond the cluster: there is none.
    uint32_t rank_of(uint64_t shared_address) const {
        const uint64_t part = shared_address / rank_unit;
        return part == 0 ? rank : static_cast<uint32_t>(std::min<uint64_t>(part, window_bytes / rank_unit) - 1);
    }
    // Where the address leads in this block's shared memory; as it is, beyond all of it, if it leads to another block's.
    uint64_t own_offset(uint64_t shared_address) const {
        return rank_of(shared_address) == rank ? offset_of(shared_address) : shared_address;
    }
};

} // namespace sim
