// What the loop in which a kernel spends its time is made of.
#pragma once

#include "trace/machine.h"

#include <cstdint>
#include <map>
#include <vector>

namespace analysis {

struct MainLoop {
    int instructions = 0; // of the machine code, in one turn
    int products = 0;     // among them: FP32 fused multiply-adds, and instructions of tensor cores
    int shared_loads = 0;
    std::vector<uint32_t> body; // which instructions, ascending
    // Every instruction takes an issue slot, so of a loop of FMAs this is the share of their peak that is
    // left. 0: no loop with products was found.
    double product_share() const { return instructions > 0 ? static_cast<double>(products) / instructions : 0; }
};

// What the instructions of one turn are, and what ptxas wrote into their scheduling fields.
struct LoopMix {
    std::map<int, int> shared_loads; // by bytes a lane
    int shared_stores = 0, global_loads = 0, async_copies = 0, barriers = 0, branches = 0;
    int others = 0;       // integers, predicates, moves: all that is none of these and no product
    int stall_cycles = 0; // in which a warp that is alone issues nothing, or its next instruction
    int waits = 0;        // instructions that wait for a scoreboard
    int reused = 0;       // operands that are kept in the reuse cache
};
LoopMix loop_mix(const trace::MachineListing&, const MainLoop&);

// The loop that holds the most products; of loops that hold the same, the innermost. A loop inside that holds half of them goes before it. Each instruction counts
// once, whether it is executed in every turn or not.
MainLoop main_loop(const trace::MachineListing&);

} // namespace analysis
