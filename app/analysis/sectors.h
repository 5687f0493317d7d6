// 32-byte sectors that one warp access to global memory touches. In an asynchronous copy only the lanes are active that read
// something: Nsight Compute counts nothing for one whose source size is 0, whatever its address.
#pragma once

#include "trace/trace.h"

namespace analysis {

constexpr int sector_bytes = 32, line_bytes = 128;

struct Sectors {
    int sectors = 0; // distinct sectors touched
    int ideal = 0;   // what all lanes ask for, packed, rounded up to sectors, but never more than are touched: Nsight
                     // Compute's count of it (lanes that want the same bytes count apart)
    int bytes_used = 0; // distinct bytes touched
};
Sectors sectors(int bytes, uint32_t active, const trace::Addresses& address);
// Of 16 bytes a lane by cp.async.cg, which passes L1 by: Nsight Compute counts each pair of neighbouring lanes by itself, so that
// a row of 32 lanes that starts in the middle of a sector is 32 sectors, not 17. Measured on an H200.
Sectors sectors_past_l1(uint32_t active, const trace::Addresses& address);
// As the hardware counts this instruction's: one of the two.
Sectors sectors_of(const trace::Instruction&, uint32_t active, const trace::Addresses& address);

} // namespace analysis
