// How long a launch takes, predicted without a GPU: blocks are executed on the CPU, one multiprocessor with its residents is simulated in
// time (timing/multiprocessor.h), and the grid is composed of that.
#pragma once

#include "session/stages.h"
#include "timing/multiprocessor.h"

#include <memory>
#include <vector>

namespace session {

struct Prediction {
    double ms = 0;
    double gflops = 0;              // of what the problem asks for, as a bench counts; 0: it is no product
    double cycles = 0;              // of a multiprocessor
    uint64_t blocks = 0;            // of the grid
    int resident = 0;               // blocks of a multiprocessor at a time
    double wave_cycles = 0;         // of `resident` blocks that begin together
    double tail_cycles = 0;         // of a block alone on its multiprocessor, as the last ones are; 0: all are
    double from_memory = 0;         // share of L2's answers that memory gives
    std::vector<timing::Lost> lost; // by pc: of the blocks that were simulated, over the whole depth
    uint64_t put_in_time = 0;       // instructions of warps that were simulated: what the prediction itself costs
};

// The catalogue's: of blocks that do less (session/cuts.h), what a further turn takes is extrapolated. Errors: it does not compile, does
// not fit, or no constants are known of its architecture.
Stage<Prediction> predict(const catalog::Kernel&, const Subject&, const timing::WhatIf& = {}, std::stop_token = {});
// Of what was compiled already, which does not hang on the problem.
Stage<Prediction> predict(const catalog::Kernel&, const Subject&, const Prepared&, const timing::WhatIf& = {},
                          std::stop_token = {});

// Of any launch, a user's file: its blocks are executed whole.
Stage<Prediction> predict(const Job&, const Prepared&, const timing::WhatIf& = {}, std::stop_token = {});

// The traced block in time, on a multiprocessor that it shares with as many others of its grid as there is room for.
struct BlockTime {
    timing::Run run;  // `issues` are by event of the trace
    int resident = 0; // blocks of the multiprocessor, this one among them
};
// Errors: PTX is executed, no constants are known of the architecture, the trace was cut short, the block does not fit.
Stage<BlockTime> time_block(const Job&, const Prepared&, const BlockRun&, const timing::WhatIf& = {},
                            std::stop_token = {});

} // namespace session
