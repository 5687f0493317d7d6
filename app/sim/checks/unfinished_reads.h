// Reads of shared memory that a bulk copy overtakes: nothing has waited for their values when their thread releases what it did,
// so the copy that this allows may overwrite them first. overtaken_reads.cpp finds the operations that may be in it. What is released
// is passed on to ProductReads.
#pragma once

#include "sim/checks/report.h"
#include "sim/run/block_context.h"
#include "sim/run/bulk_copy.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace sim {

class ProductReads;

class UnfinishedReads {
public:
    UnfinishedReads(const BlockContext&, Report&, ProductReads&);
    void reset();

    // An operation of Program::watched: notes what it reads, or uses of what was read, and executes it.
    void execute(Warp&, const Operation&, uint32_t active);
    // The warp releases, by `op`, what it did up to this epoch (BlockOrder).
    void release(const Warp&, const Operation& op, uint32_t epoch);
    // A bulk copy to the block's shared memory begins. What its thread acquired must have been read; what it did not is a race, and
    // found elsewhere.
    void begin_copy(const BulkCopy&);

    static uint64_t bytes(const Program&, uint64_t warps); // of this machine's memory

private:
    struct Read { // by one operation of a warp, the last one
        const Operation* by = nullptr;
        uint64_t number = 0;           // of this operation's
        uint32_t lanes = 0, bytes = 0; // of a lane
        bool under_way = false, unused = false;
        std::array<std::byte, trace::warp_size * sizeof(uint64_t)> address{}; // as the registers hold them
    };
    struct ReleasedRead { // that was under way when its warp released
        Read read;
        const Operation* by = nullptr;                          // that released it first
        uint32_t from = 0, until = 0;                           // epochs of the first and the last release; 0: none
        uint32_t fenced_by = 0;                                 // warps that had acquired it, by their fences
        const Operation* copy = nullptr;                        // that overwrites it
        uint32_t overwritten = 0, copy_warp = 0, copy_lane = 0; // overwritten: lanes
    };
    struct HeldRead { // whose value a register holds: the read, and which of its executions
        uint32_t read = Watched::none;
        uint64_t number = 0;
    };
    const BlockContext& block_;
    Report& report_;
    ProductReads& product_reads_;
    std::vector<Read> reads_;                        // [warp][number]
    std::vector<HeldRead> held_;                     // [warp][watched register]
    std::vector<std::deque<ReleasedRead>> released_; // [warp]

    Read& read_of(const Warp& w, uint32_t number) { return reads_[w.index * block_.program.watched_reads + number]; }
    uint64_t begin(const Warp&, const Operation&, const Watched&, uint32_t lanes); // which execution it is
    void fence(const Warp&);
    void use(const Warp&, const HeldRead&);
    ReleasedRead* released(const Warp&, const Read&);
    ReleasedRead& note_release(const Warp&, const Read&, const Operation& by);
    uint64_t read_at(const Read&, uint32_t lane) const;
    uint32_t overlap(const Read&, const BulkCopy&) const;
    void report(const Warp&, const ReleasedRead&);
};

} // namespace sim
