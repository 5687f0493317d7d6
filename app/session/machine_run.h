// What the GPU would count in a run that the engine executed: the numbers of the machine code, or the PTX's, converted by it.
#pragma once

#include "analysis/machine_counts.h"
#include "session/stages.h"

#include <vector>

namespace session {

struct MachineRun {
    bool executed = false; // the machine code itself was, and every number is the run's own
    analysis::MachineCounts counts;
    std::vector<analysis::AccessWidth> widths;
};
// All three must be of the same job. Of machine code that was executed the numbers are the run's own, and nothing is converted. Without a
// disassembly those of the PTX stay, and the basis says so.
MachineRun machine_run(const Prepared&, const FullRun&, const trace::MachineListing*);

} // namespace session
