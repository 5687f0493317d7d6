// Which warps know that the last phases of an mbarrier have ended. A wait by parity is over while a phase of the other parity goes on: it takes
// the end of a phase for that of the one two further on, if the warp comes before the phase between them has ended. Who waits for each
// phase knows that it has. Who skips some must learn of it from others.
#pragma once

#include "sim/checks/happens_before.h"
#include "sim/run/shared_memory.h"

#include <cstdint>

namespace sim {

class EndedPhases {
public:
    // The warp arrives in this epoch (BlockOrder), and so finds that the phase before has ended.
    void arrive(uint32_t warp, uint32_t epoch);
    // The phase also waits for bytes, or for arrivals after copies: no order of the warps says when they come.
    void wait_for_copies() { now_.by_warps = false; }
    void end();
    // The warp has waited for the last phase that has ended.
    void see(uint32_t warp, uint32_t epoch) { note(last_, warp, epoch); }
    // Whether the warp knew that the phase before that one had ended when it came.
    bool is_next(const SharedMemory&, uint32_t warp) const;

private:
    struct Phase {
        VectorClock seen{};    // in which epoch a warp found that it has ended; 0: never
        VectorClock arrived{}; // whose accesses before this epoch its arrivals released; 0: none
        bool by_warps = true;  // it ends when all these have arrived
    };
    Phase now_, last_, before_;

    static void note(Phase&, uint32_t warp, uint32_t epoch);
    static bool knows(const Phase&, const SharedMemory&, uint32_t warp);
};

} // namespace sim
