// What the operands hold.
#pragma once

#include "base/numbers.h"
#include "measure/workload.h"

#include <span>

namespace measure {

// The seeded values of A, B, or C before the launch (see Workload), each as its type stores it, without
// padding.
base::Numbers seeded(const Workload&, char matrix);
// The same as the kernel finds them: with the padding behind each row.
base::Numbers seeded_in_rows(const Workload&, char matrix);
void seed(const Workload&, char matrix, std::span<std::byte> into); // the same, all of the matrix, on all cores

} // namespace measure
