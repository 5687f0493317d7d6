// What the operands hold.
#pragma once

#include "base/numbers.h"
#include "gpu/protocol.h"

#include <span>

namespace gpu {

// The seeded values of A, B, or C before the launch (see Launch), each as its type stores it, without
// padding.
base::Numbers seeded(const Launch&, char matrix);
// The same as the kernel finds them: with the padding behind each row.
base::Numbers seeded_in_rows(const Launch&, char matrix);
void seed(const Launch&, char matrix, std::span<std::byte> into); // the same, all of the matrix, on all cores

} // namespace gpu
