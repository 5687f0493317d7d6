#include "sim/run/ended_phases.h"

namespace sim {

void EndedPhases::note(Phase& phase, uint32_t warp, uint32_t epoch) {
    if (phase.seen[warp] == 0) phase.seen[warp] = epoch;
}

void EndedPhases::arrive(uint32_t warp, uint32_t epoch) {
    now_.arrived[warp] = epoch;
    note(last_, warp, epoch);
}

void EndedPhases::end() {
    before_ = last_;
    last_ = now_;
    now_ = {};
}

bool EndedPhases::is_next(const SharedMemory& shared, uint32_t warp) const {
    return knows(before_, shared, warp) || knows(last_, shared, warp);
}

// From a warp that found it and released that later, or from all whose arrivals ended it.
bool EndedPhases::knows(const Phase& phase, const SharedMemory& shared, uint32_t warp) {
    bool all_arrived = phase.by_warps;
    for (uint32_t other = 0; other < trace_warps; ++other) {
        const uint32_t seen = phase.seen[other], known = shared.known_until(warp, other);
        if (seen > 0 && (other == warp || known > seen || seen > shared.epoch())) return true; // >: epochs began anew
        all_arrived &= other == warp || known >= phase.arrived[other];
    }
    return all_arrived;
}

} // namespace sim
