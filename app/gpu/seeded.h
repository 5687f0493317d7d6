// What the operands hold.
#pragma once

#include "base/numbers.h"
#include "gpu/protocol.h"

namespace gpu {

// The seeded values of A, B, or C before the launch, as they are stored (see Launch).
base::Numbers seeded(const Launch&, char matrix);

} // namespace gpu
