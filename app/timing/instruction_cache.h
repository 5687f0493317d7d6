// Where a warp's next instructions come from: the buffer of its sub-core, two caches of the multiprocessor and L2 behind them. The line
// behind the one that is executed is fetched ahead, so that straight code waits for the rate of its source alone; a branch to what
// the buffer does not hold waits for the buffer, too.
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

    class Buffer { // of a sub-core: the lines that its warps executed last
    public:
        explicit Buffer(const Machine&);
        // When the line is there, which the caches have at `now`. `ahead`: the line before it was executed.
        Cycle enter(uint32_t line, bool ahead, Cycle now);

    private:
        struct Entry {
            uint32_t line = ~0u;
            Cycle ready = 0;
            uint64_t used = 0;
        };
        std::vector<Entry> entries_;
        uint64_t clock_ = 0;
        const Cycle branch_;
        Cycle bring(uint32_t line, Cycle ready);
    };
    // When the instruction at `pc` is there. `line`: that the warp executes, 8 instructions; set to that of `pc`.
    Cycle fetch(uint32_t pc, uint32_t& line, Cycle now, Buffer& buffer) {
        return pc / line_instructions == line ? now : enter(pc / line_instructions, line, now, buffer);
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
    Cycle enter(uint32_t next, uint32_t& line, Cycle now, Buffer&);
};

} // namespace timing
