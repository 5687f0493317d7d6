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
    uint32_t first_effect = 0; // in Stream::effects
    uint16_t effects = 0;
};

struct Line {            // of global memory, 128 bytes
    uint64_t number = 0; // address / 128
    uint8_t sectors = 0; // a bit each
};

struct Access {
    uint16_t wavefronts = 0, ideal = 0; // in shared memory
    uint32_t sectors = 0, lines = 0;
    uint32_t first_line = 0; // in Stream::lines
};

// Of a step, on a phase of an mbarrier: arrivals and copies that it waits for, and who waits for it.
struct Effect {
    enum What : uint8_t { arrives, arrives_after_copies, goes_on, copies, stores } what = arrives;
    static constexpr uint32_t no_phase = ~0u;
    uint32_t phase = no_phase;
    Access moved; // of a bulk copy
};

struct Stream {
    std::vector<std::vector<Step>> warps;
    std::vector<Access> accesses;
    std::vector<Line> lines;
    std::vector<Effect> effects;
    std::vector<uint32_t> arrivals; // by phase: how many it waits for, copies among them
};

Stream stream_of(const trace::Trace&, const analysis::BankRule&);

} // namespace timing
