// The other half of a race: which earlier access of another warp a shared-memory access collides with.
#pragma once

#include "trace/trace.h"

#include <optional>

namespace analysis {

// The last event before `event` at which another warp of the block accessed a byte of shared memory that `lanes` of `event` access,
// with no barrier between the two and at least one of them writing. Nothing if there is none, or `event` is no such access.
std::optional<uint32_t> earlier_conflict(const trace::Trace&, uint32_t event, uint32_t lanes);

} // namespace analysis
