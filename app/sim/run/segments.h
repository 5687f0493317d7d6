// Global memory as one block reaches it: the segments of the run, and how far the block's accesses went.
#pragma once

#include "sim/run/block_context.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sim {

class Segments {
public:
    struct Reached { // by all accesses of one operation; none: low > high
        uint64_t low = ~uint64_t{0}, high = 0;
    };

    explicit Segments(const BlockContext& block) : block_(block), reached_(block.program.accesses) {}
    void reset() { std::fill(reached_.begin(), reached_.end(), Reached{}); }

    // The segment that holds [low, end); nullptr: none does.
    const Segment* find(uint64_t low, uint64_t end) {
        return last_ && last_->holds(low, end) ? last_ : search(low, end);
    }
    // The host's memory of an access in `segment`.
    static std::byte* host(const Segment&, uint64_t address, uint64_t bytes, bool writes);
    // The operation accesses addresses from `low` to `high`. A block that reaches new ones gets somewhere.
    void advance(const Operation& op, uint64_t low, uint64_t high) {
        Reached& r = reached_[op.memory_number];
        if (low >= r.low && high <= r.high) return;
        r.low = std::min(r.low, low);
        r.high = std::max(r.high, high);
        block_.effort.advanced = true;
    }
    const Reached& reached(const Operation& op) const { return reached_[op.memory_number]; }

    static uint64_t bytes(const Program& p) { return p.accesses * sizeof(Reached); } // of this machine's memory

private:
    const BlockContext& block_;
    std::vector<Reached> reached_; // in this block, by Operation::memory_number
    const Segment* last_ = nullptr;

    const Segment* search(uint64_t low, uint64_t end);
};

} // namespace sim
