// 32-byte sectors that one warp access to global memory touches.
#pragma once

#include "trace/trace.h"

namespace analysis {

constexpr int sector_bytes = 32, line_bytes = 128;

struct Sectors {
    int sectors = 0;      // distinct sectors touched
    int ideal = 0;        // what all lanes ask for, packed, rounded up to sectors, but never more than are touched: Nsight
                          // Compute's count of it (lanes that want the same bytes count apart)
    int bytes_used = 0;   // distinct bytes touched
};
Sectors sectors(int bytes, uint32_t active, const trace::Addresses& address);

} // namespace analysis
