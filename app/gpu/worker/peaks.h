// How fast the GPU is at most: multiply-adds of floats and of doubles in registers, a copy through memory, and
// reads that L1 or L2 answers.
#pragma once

#include "gpu/worker/bench.h"

namespace gpu {

// Warms the GPU up with each of the kernels (but for the copy, some 20 ms a launch) and times ten launches.
// Copies 1 GiB, less where a quarter of the free memory is less.
base::Result<measure::Peaks> measure_peaks(Station&, const PeaksRequest&, const Report&);

} // namespace gpu
