// What the loop in which a kernel spends its time is made of.
#pragma once

#include "trace/machine.h"

namespace analysis {

struct MainLoop {
    int instructions = 0; // of the machine code, in one turn
    int products = 0;     // among them: FP32 fused multiply-adds, and instructions of tensor cores
    int shared_loads = 0;
    // Every instruction takes an issue slot, so of a loop of FMAs this is the share of their peak that is
    // left. 0: no loop with products was found.
    double product_share() const { return instructions > 0 ? static_cast<double>(products) / instructions : 0; }
};

// The loop that holds the most products; of loops that hold the same, the innermost. Each instruction counts
// once, whether it is executed in every turn or not.
MainLoop main_loop(const trace::MachineListing&);

} // namespace analysis
