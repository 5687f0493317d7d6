// What ptxas made of the loop in which a kernel spends its time: its instructions, when they are issued, and what a turn is made of.
#pragma once

#include "analysis/main_loop.h"
#include "session/stages.h"

#include <string>
#include <vector>

namespace session {

struct InnerLoop {
    struct Line {
        uint32_t address = 0; // bytes from the start of the code
        int source_line = 0;  // 0: unknown
        std::string text;     // as nvdisasm prints it
        std::string control;  // what nvdisasm does not print: "stall 4, sets SB0 when written"
    };
    analysis::MainLoop loop;
    analysis::LoopMix mix;
    double k_steps = 0; // of a turn: its products a thread, by those that each k needs; 0: the kernel is no product
    std::vector<Line> lines;
};

// Errors: the machine code cannot be read, or has no loop with products.
base::Result<InnerLoop> inner_loop(const Job&, const compile::MachineCode&);

} // namespace session
