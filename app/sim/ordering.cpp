#include "sim/ordering.h"

#include <algorithm>

namespace sim {

void Ordering::restart() {
    epoch = 0;
    for (Clocks& c : known_) c.fill(0);
    for (auto& lanes : met_) lanes.fill(0);
    fences_.fill(0);
    begin_block();
}

// What was known and met before has epochs below the new floor, which says as much: it need not be cleared.
void Ordering::begin_block() {
    floor = ++epoch;
    own_floor.fill(floor);
}

void Ordering::all_meet() {
    floor = ++epoch;
    own_floor.fill(floor);
}

Ordering::Clocks Ordering::release(uint32_t warp) {
    Clocks clocks = known_[warp];
    clocks[warp] = ++epoch;
    return clocks;
}

Ordering::Clocks Ordering::release_at_fence(uint32_t warp) const {
    Clocks clocks = known_[warp];
    clocks[warp] = fences_[warp];
    return clocks;
}

void Ordering::acquire(uint32_t warp, const Clocks& clocks) { join(known_[warp], clocks); }

void Ordering::lanes_meet(uint32_t warp, uint32_t lanes) {
    ++epoch;
    for (size_t i = 0; i < 32; ++i)
        if (lanes >> i & 1) met_[warp][i] = epoch;
    own_floor[warp] = std::max(floor, *std::min_element(met_[warp].begin(), met_[warp].end()));
}

bool Ordering::before(Touch t, uint32_t warp, uint32_t lane) const {
    const uint32_t at = epoch_of(t), by = warp_of(t);
    if (at < floor) return true;
    if (by != warp) return at < known_[warp][by];
    return lane_of(t) == lane || at < std::min(met_[warp][lane], met_[warp][lane_of(t)]);
}

void Ordering::join(Clocks& into, const Clocks& from) {
    for (size_t n = 0; n < into.size(); ++n) into[n] = std::max(into[n], from[n]);
}

} // namespace sim
