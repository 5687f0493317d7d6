// What a block may still use up: the run's budgets are given out in portions, so that threads seldom meet there.
#pragma once

#include "sim/run/run.h"

#include <algorithm>
#include <cstdint>

namespace sim {

// What the blocks of a cluster use up and reach together.
struct Effort {
    uint64_t fuel = 0; // warp instructions until the next look at budget and stop
    // Warp instructions, at the last such look, since a block got somewhere: Options::idle_budget.
    uint64_t idle = 0;
    bool stuck = false;    // counted in Run::stuck
    bool advanced = false; // since that look
    uint64_t shapes = 0;   // of accesses, that were learnt (Pattern::shape)
};

class Fuel {
public:
    Fuel(Run& run, Effort& effort) : run_(run), effort_(effort) {}
    void reset() { charged_ = 0; }

    uint64_t left = 0; // warp instructions until the next look at the budgets

    // The next portion of the run's budget. False: the run is over; `why`, if it says something, is a finding.
    bool refill(base::Sentence& why);
    // For what takes as long as so many instructions do: a kernel full of findings then ends as soon as others.
    void charge(uint64_t instructions) {
        const uint64_t cost = std::min(left, instructions);
        left -= cost;
        charged_ += cost;
    }
    // The run is over: at the next instruction every block finds it out.
    void stop_run() {
        run_.stop = true;
        left = 0;
    }
    // The cluster gets nowhere, or does again. True: those of all threads get nowhere.
    bool all_are_stuck(bool this_one);

private:
    Run& run_;
    Effort& effort_;
    uint64_t charged_ = 0; // of the block's instructions, by charge()

    bool over(base::Sentence& why, base::Sentence reason);
};

} // namespace sim
