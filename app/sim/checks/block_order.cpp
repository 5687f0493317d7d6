#include "sim/checks/block_order.h"

#include <algorithm>

namespace sim {

void BlockOrder::restart() {
    epoch = 0;
    for (VectorClock& c : known_) c.fill(0);
    for (auto& lanes : met_) lanes.fill(0);
    fences_.fill(0);
    begin_block();
}

// What was known and met before has epochs below the new floor, which says as much: it need not be cleared.
void BlockOrder::begin_block() {
    floor = ++epoch;
    own_floor.fill(floor);
}

void BlockOrder::all_meet() {
    floor = ++epoch;
    own_floor.fill(floor);
}

VectorClock BlockOrder::release(uint32_t warp) {
    VectorClock clocks = known_[warp];
    clocks[warp] = ++epoch;
    return clocks;
}

VectorClock BlockOrder::release_at_fence(uint32_t warp) const {
    VectorClock clocks = known_[warp];
    clocks[warp] = fences_[warp];
    return clocks;
}

void BlockOrder::acquire(uint32_t warp, const VectorClock& clocks) { join(known_[warp], clocks); }

void BlockOrder::lanes_meet(uint32_t warp, uint32_t lanes) {
    ++epoch;
    for (size_t i = 0; i < 32; ++i)
        if (lanes >> i & 1) met_[warp][i] = epoch;
    own_floor[warp] = std::max(floor, *std::min_element(met_[warp].begin(), met_[warp].end()));
}

bool BlockOrder::before(Touch t, uint32_t warp, uint32_t lane) const {
    const uint32_t at = epoch_of(t), by = warp_of(t);
    if (at < floor) return true;
    if (by != warp) return at < known_[warp][by];
    return lane_of(t) == lane || at < std::min(met_[warp][lane], met_[warp][lane_of(t)]);
}

} // namespace sim
