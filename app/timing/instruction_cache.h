// Where a warp's next instructions come from: two caches of the multiprocessor and L2 behind them. The line behind the one that is
// executed is fetched ahead, so that straight code waits for the rate of its source alone.
#pragma once

#include "timing/machine.h"
#include "timing/memory.h"
#include "trace/listing.h"

#include <cstdint>
#include <vector>

namespace timing {

class InstructionCache {
public:
    explicit InstructionCache(const Machine&);
    // When the instruction at `pc` is there. `line`: that the warp executes, 8 instructions; set to that of `pc`.
    Cycle fetch(uint32_t pc, uint32_t& line, Cycle now) {
        return pc / line_instructions == line ? now : enter(pc / line_instructions, line, now);
    }

private:
    struct Level { // least recently used lines go first
        size_t lines = 0;
        uint64_t clock = 0;
        size_t held = 0;
        std::vector<uint64_t> used; // by line; 0: not held
        bool touch(uint32_t line);  // true: it was held
    };
    const Machine& machine_;
    Level near_, far_;
    std::vector<Cycle> ready_; // by line: when it comes or came
    double free_ = 0;          // of the way to the nearest cache

    static constexpr uint32_t line_bytes = 128, line_instructions = line_bytes / trace::instruction_bytes;
    Cycle bring(uint32_t line, Cycle now);
    Cycle enter(uint32_t next, uint32_t& line, Cycle now);
};

} // namespace timing
