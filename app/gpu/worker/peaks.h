// How fast the GPU is at most: multiply-adds of floats and of doubles in registers, and a copy through
// memory.
#pragma once

#include "gpu/worker/bench.h"

namespace gpu {

// Warms the GPU up with each of the three kernels (of FMAs, some 20 ms a launch) and times ten launches.
// Copies 1 GiB, less where a quarter of the free memory is less.
base::Result<Peaks> measure_peaks(Station&, const PeaksRequest&, const Report&);

} // namespace gpu
