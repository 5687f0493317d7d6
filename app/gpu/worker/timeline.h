// The blocks of one launch, recorded on an open GPU.
#pragma once

#include "gpu/worker/bench.h"

namespace gpu {

// Warms up, runs the kernel as it is, then as it records itself. Errors (Failure::check_failed): both must
// give the same C, to the bit, and every block a record; the driver must take the recording's PTX.
base::Result<measure::BlockTimeline> record_blocks(Station&, const TimelineRequest&, const Report&);

} // namespace gpu
