#include "sim/checks/cluster_order.h"

namespace sim {

ClusterClock ClusterOrder::release() const {
    ClusterClock clock = known_;
    clock.shared[block_.rank] = block_.shared.epoch();
    clock.global[block_.rank] = grid_.epoch() + 1; // the epoch may go on: that counts as known, too
    return clock;
}

ClusterClock ClusterOrder::release(uint32_t warp) {
    (void)block_.shared.release(warp);
    return release();
}

ClusterClock ClusterOrder::release_at_barrier(uint32_t epoch) {
    ClusterClock clock = release();
    clock.shared[block_.rank] = epoch;
    grid_.pass_cluster_barrier();
    return clock;
}

bool ClusterOrder::acquire(const ClusterClock& clock) {
    const auto before = known_.shared;
    join(known_, clock);
    return known_.shared != before;
}

bool ClusterOrder::before(GlobalTouch touch) const {
    const base::Dim3 shape = block_.program.cluster;
    if (shape.count() == 1) return false;
    const base::Dim3 at = base::position(touch.block(), block_.run.launch.grid);
    if (at.x / shape.x != block_.index.x / shape.x || at.y / shape.y != block_.index.y / shape.y ||
        at.z / shape.z != block_.index.z / shape.z)
        return false;
    const uint64_t rank = base::index_of({at.x % shape.x, at.y % shape.y, at.z % shape.z}, shape);
    return touch.epoch() < known_.global[rank];
}

} // namespace sim
