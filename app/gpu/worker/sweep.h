// Settings by the thousand on an open GPU: what is the same for all settings of a size is made once and kept.
#pragma once

#include "gpu/worker/bench.h"

namespace gpu {

class SweepBench; // of the station

// Whatever is wrong with a setting stands beside the size. Once the GPU is lost the sizes that follow are not tried.
base::Result<Swept> sweep(Station&, const SweepRequest&, const Report&);

} // namespace gpu
