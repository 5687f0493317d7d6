#pragma once

#include "sim/program/operation.h"

#include <vector>

namespace sim {

// The registers of an operation that has more of them than Operation::row holds.
struct WideRows {
    std::vector<RowAt> written, read;
};

} // namespace sim
