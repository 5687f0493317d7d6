// What the warps of one block executed, in the order of each, with what its accesses cost.
#pragma once

#include "analysis/banks.h"
#include "trace/trace.h"

#include <cstdint>
#include <vector>

namespace timing {

struct Step {
    uint32_t pc = 0;
    uint32_t event = 0; // of the trace
    uint32_t access = trace::no_access;
};

struct Line {            // of global memory, 128 bytes
    uint64_t number = 0; // address / 128
    uint8_t sectors = 0; // a bit each
};

struct Access {
    uint16_t wavefronts = 0, ideal = 0; // in shared memory
    uint16_t sectors = 0, lines = 0;
    uint32_t first_line = 0; // in Stream::lines
};

struct Stream {
    std::vector<std::vector<Step>> warps;
    std::vector<Access> accesses;
    std::vector<Line> lines;
};

Stream stream_of(const trace::Trace&, const analysis::BankRule&);

} // namespace timing
