// A product whose matrices lie in host memory, taken through an open GPU as its plan says.
#pragma once

#include "gpu/worker/bench.h"

namespace gpu {

// Runs the plan twice, the first time to warm up, and checks C against float64 (sampled elements); then the
// same kernel in one piece where the matrices fit the GPU, too. Errors: too little memory of host or GPU
// (Failure::missing, or usage), a wrong C (Failure::check_failed).
base::Result<measure::StreamRecord> stream(Station&, const StreamRequest&, const Report&);

} // namespace gpu
