#include "sim/run/fuel.h"

#include <chrono>
#include <string>
#include <thread>
#include <utility>

namespace sim {
namespace {

constexpr uint64_t portion = 1 << 16; // warp instructions

// Warp instructions, of which `counted_more` says whether other things were charged as some.
base::Sentence warp_instructions(uint64_t instructions, bool counted_more) {
    constexpr uint64_t million = 1'000'000;
    const base::Sentence number = instructions >= 10 * million ? base::say("{} million", instructions / million)
                                                               : base::verbatim(std::to_string(instructions));
    return counted_more
               ? base::say("{} warp instructions (findings and checked accesses to global memory count as several)",
                           number)
               : base::say("{} warp instructions", number);
}

} // namespace

bool Fuel::refill(base::Sentence& why) {
    if (run_.stop.load(std::memory_order_relaxed)) return false;
    if (run_.options.stop.stop_requested()) {
        run_.stop = true;
        return false;
    }
    effort_.idle = effort_.advanced ? 0 : effort_.idle + portion;
    effort_.advanced = false;
    if (all_are_stuck(effort_.idle > run_.options.idle_budget))
        return over(
            why,
            base::say(
                "this loop counts as endless: the block executed {} without reaching anything new in global memory",
                warp_instructions(run_.options.idle_budget, charged_ > 0)));
    if (std::chrono::steady_clock::now() > run_.deadline)
        return over(why,
                    base::say("the kernel was still running here after {:.3g} seconds, the most that a run may take",
                              run_.seconds));
    uint64_t available = run_.budget.load();
    uint64_t step = 0;
    do step = std::min(available, portion);
    while (step > 0 && !run_.budget.compare_exchange_weak(available, available - step));
    if (step == 0)
        return over(why, base::say("the kernel was still running here after {}, the most that a run may take",
                                   warp_instructions(run_.options.instruction_budget, charged_ > 0)));
    left = step;
    return true;
}

bool Fuel::over(base::Sentence& why, base::Sentence reason) {
    run_.stop = true;
    why = std::move(reason);
    return false;
}

// A block that gets nowhere may wait for another, which may be one that the system has not let run for a while.
bool Fuel::all_are_stuck(bool this_one) {
    if (this_one != std::exchange(effort_.stuck, this_one)) run_.stuck += this_one ? 1 : -1;
    if (!this_one) return false;
    if (run_.stuck >= run_.workers) return true;
    std::this_thread::yield();
    return false;
}

} // namespace sim
