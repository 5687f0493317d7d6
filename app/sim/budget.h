// What a run takes of this machine's memory, summed before anything is allocated.
#pragma once

#include "sim/engine.h"
#include "sim/program/program.h"

namespace sim {

// That CUDA would launch it, and that the options fit it.
base::Status check(const Program&, const Launch&, const Options&);

// The options with as many threads, and as much for the trace and for what finds races between blocks, as the memory that is
// left has room for. Error: not even one thread has.
base::Result<Options> fit_memory(const Program&, const Launch&, const Memory&, const Options&);

} // namespace sim
