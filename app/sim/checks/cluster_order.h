// What happened before what between the blocks of a cluster, as one of them knows it.
#pragma once

#include "sim/checks/global_shadow.h"
#include "sim/checks/grid_order.h"
#include "sim/checks/happens_before.h"
#include "sim/run/block_context.h"

#include <cstdint>

namespace sim {

class ClusterOrder {
public:
    ClusterOrder(BlockContext& block, GridOrder& grid) : block_(block), grid_(grid) {}
    // For blocks that begin together, in these epochs.
    void reset(const ClusterClock& begin) { known_ = begin; }

    // Of the other block's shared memory: accesses of epochs before this one happened before.
    uint32_t known(uint32_t rank) const { return known_.shared[rank]; }
    // What the block knows and did up to now; by a warp, what it does from here on is told apart.
    ClusterClock release() const;
    ClusterClock release(uint32_t warp);
    // The same at the barrier of the cluster, where the block's last warp arrived in this epoch of its shared memory.
    ClusterClock release_at_barrier(uint32_t epoch);
    // True: the block knows more of what was done to shared memory than before.
    bool acquire(const ClusterClock&);
    // Whether a block of the cluster did this to global memory before what this one does now.
    bool before(GlobalTouch) const;

private:
    BlockContext& block_;
    GridOrder& grid_;
    ClusterClock known_{};
};

} // namespace sim
