#pragma once

#include <cstdint>

namespace sim {

// Where a parameter of a kernel lies in its parameter block, in bytes.
struct Parameter {
    uint32_t offset = 0, bytes = 0;
};

} // namespace sim
