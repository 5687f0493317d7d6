// Reads of shared memory that nothing has written, and accesses to what an asynchronous copy is still to write.
#pragma once

#include "sim/checks/report.h"
#include "sim/lanes/access.h"
#include "sim/run/block_context.h"

#include <cstdint>
#include <vector>

namespace sim {

class Copies;

class UnwrittenReads {
public:
    UnwrittenReads(const BlockContext& block, Report& report, Copies& copies)
        : block_(block), report_(report), copies_(copies) {}
    void reset() { reads_.clear(); }

    void check(const Warp&, const Operation&, const Access&, uint32_t lanes);
    // A race of this warp, or of another block, with a read of the word: what it read was written, though maybe later.
    void note_race(uint64_t word, uint32_t writer);
    static constexpr uint32_t other_block = ~uint32_t{0};
    // All warps have met: what was not in a race is told.
    void settle();

private:
    struct Read { // until the next barrier of all warps
        FindingKey key;
        trace::Finding finding;
        uint64_t at = 0;
        bool raced = false;
    };
    const BlockContext& block_;
    Report& report_;
    Copies& copies_;
    std::vector<Read> reads_;

    void note_unwritten(const Warp&, const Operation&, const Access&, uint32_t lanes);
    void report_pending(const Warp&, const Operation&, const Access&, uint32_t lanes, bool copies);
};

} // namespace sim
