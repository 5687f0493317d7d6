// What answers the memory instructions of a multiprocessor: the unit that shared memory and L1 share, L1's lines, and its part of L2 and
// memory. Requests are served in the order they come; a queue is the time at which it is free again.
#pragma once

#include "timing/multiprocessor.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace timing {

using Cycle = uint64_t;

// L1's lines, by least recent use within a set.
class FirstLevel {
public:
    explicit FirstLevel(double bytes);
    // When the sectors of the line are there; of those that are not yet `missing` has a bit each, and they will be at `filled_at`.
    struct Found {
        Cycle ready = 0;
        uint8_t missing = 0;
    };
    Found find(uint64_t line, uint8_t sectors, Cycle now);
    void fill(uint64_t line, uint8_t sectors, Cycle ready);

private:
    static constexpr size_t ways = 16;
    struct Entry {
        uint64_t line = ~uint64_t{0};
        uint8_t sectors = 0;
        Cycle used = 0;
        std::array<Cycle, 4> ready{};
    };
    std::vector<Entry> entries_;
    size_t sets_;
    Entry& entry(uint64_t line);
};

class Memory {
public:
    Memory(const Machine&, const Behind&, const WhatIf&);

    struct Served {
        Cycle begun = 0; // the unit took it: its place in the queue is free
        Cycle done = 0;  // the result may be read
    };
    Served shared(Cycle now, uint32_t wavefronts, uint32_t registers);
    // Products of warpgroups read shared memory until then, and what else is asked of it gets a part of the cycles.
    void feed_products(Cycle until) { fed_until_ = std::max(fed_until_, until); }
    Served load(Cycle now, const Moved&, const Line* lines, uint32_t registers, bool past_l1);
    // Of global memory to registers: L1 answers in the order it is asked, a hit behind the misses before it, as in the texture caches that it
    // descends from (Igehy, Eldridge, Proudfoot: Prefetching in a Texture Cache Architecture, 1998). Local memory and copies to shared memory
    // do not wait so, by the recorded times of strassen and dgemm_tensor.
    Served load_in_order(Cycle now, const Moved&, const Line* lines, uint32_t registers, bool past_l1);
    Served store(Cycle now, const Moved&, const Line* lines);
    Served copy(Cycle now, const Moved&, const Line* lines); // to shared memory, in bulk
    Served other(Cycle now, double latency);                 // constants, special registers, shuffles

private:
    const Machine& machine_;
    const Behind behind_;
    const WhatIf what_if_;
    FirstLevel first_level_;
    Cycle unit_free_ = 0, returned_ = 0, fed_until_ = 0;
    double l2_free_ = 0, store_free_ = 0, memory_free_ = 0;

    Cycle fetch(Cycle now, uint64_t line, int sectors);
    Cycle lost_to_products(Cycle begun, uint32_t wavefronts) const;
};

} // namespace timing
