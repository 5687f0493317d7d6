// What the GPU would count in a run that the engine executed: the numbers of the machine code, or the PTX's, converted by it.
#pragma once

#include "analysis/machine_counts.h"
#include "session/stages.h"

#include <vector>

namespace session {

struct MachineRun {
    analysis::MachineCounts counts;
    std::vector<analysis::AccessWidth> widths;
};
// All three must be of the same job. Machine code that cannot be decoded leaves the numbers of the PTX, and the basis says so.
MachineRun machine_run(const Prepared&, const FullRun&, const compile::MachineCode&);

} // namespace session
