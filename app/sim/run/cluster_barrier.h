// One block's part in the barrier of its cluster (manual, section 9.7.13.3).
#pragma once

#include "sim/checks/cluster_order.h"
#include "sim/checks/happens_before.h"
#include "sim/checks/report.h"
#include "sim/run/block_context.h"
#include "sim/run/control.h"

#include <cstdint>

namespace sim {

class ClusterRaces;
class Mbarriers;
class UnwrittenReads;

class ClusterBarrier {
public:
    static constexpr int waiting = 16; // Warp::waiting there, beyond all of Barriers

    ClusterBarrier(BlockContext&, Report&, const Control&, ClusterOrder&, ClusterRaces&, UnwrittenReads&, Mbarriers&);
    void reset();

    // An instruction: arrives, or waits. True: it waits, or did.
    bool meet(Warp&, const Operation&, uint32_t active);

    // For the cluster, when all of its blocks have arrived.
    bool all_arrived() const;
    void look_for_absent();
    ClusterClock release() { return order_.release_at_barrier(epoch_); } // by those who arrived
    void open(const ClusterClock& released);                             // by all blocks

private:
    BlockContext& block_;
    Report& report_;
    const Control& control_;
    ClusterOrder& order_;
    ClusterRaces& cluster_races_;
    UnwrittenReads& unwritten_reads_;
    Mbarriers& mbarriers_;
    VectorClock arriving_{}, released_{}; // of the block's warps: of this phase, and of those before it
    ClusterClock released_blocks_{};      // of all blocks, of the phases before
    uint32_t epoch_ = 0;                  // in which the last warp arrived
    bool misused_ = false;                // a warp arrived twice, or waited without having arrived

    void arrive(Warp&, const Operation&, uint32_t active);
    void wait(Warp&, const Operation&, uint32_t active);
    void leave(const Warp&, uint32_t lanes);
    bool went_around(const Operation& wait) const;
};

} // namespace sim
