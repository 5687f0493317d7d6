// What the loop in which a kernel spends its time is made of.
#pragma once

#include "trace/machine.h"

namespace analysis {

struct MainLoop {
    int instructions = 0; // of the machine code, in one turn
    int fma = 0;          // FP32 fused multiply-adds among them
    int shared_loads = 0;
    // Every instruction takes an issue slot, so this is the share of the FMA peak that is left. 0: no loop
    // with FMAs was found.
    double fma_share() const { return instructions > 0 ? static_cast<double>(fma) / instructions : 0; }
};

// The loop that holds the most FMAs; of loops that hold the same, the innermost. Each instruction counts
// once, whether it is executed in every turn or not.
MainLoop main_loop(const trace::MachineListing&);

} // namespace analysis
