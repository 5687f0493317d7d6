// What watches a run. The engine calls one observer per worker thread for every memory access of every block, so
// that counting stays out of the engine and the engine out of the counting.
#pragma once

#include "trace/trace.h"

#include <span>

namespace trace {

// Where the lanes of one access are.
struct Footprint {
    uint32_t active;         // the lanes that count
    uint64_t first;          // address of the first of them
    const Addresses& offset; // of each lane from there; of inactive lanes: 0
    // What one observer is told under one number has the same active lanes and the same offsets; 0: not known.
    uint64_t shape = 0;

    Addresses addresses() const {
        Addresses at = offset;
        for (uint64_t& a : at) a += first;
        return at;
    }
};

// Of the lanes at `address`; `offset` is room for it.
inline Footprint footprint(uint32_t active, const Addresses& address, Addresses& offset) {
    const uint64_t first = active == 0 ? 0 : address[static_cast<size_t>(__builtin_ctz(active))];
    for (size_t i = 0; i < offset.size(); ++i) offset[i] = active >> i & 1 ? address[i] - first : 0;
    return {active, first, offset};
}

class Observer {
public:
    virtual ~Observer() = default;

    // `instruction` is the listing's entry at `pc`; some lane is active. An async copy calls twice in a row: with its shared
    // destination, then with its global source, where a lane that reads nothing is not active, and perhaps none is.
    virtual void access(uint32_t pc, const Instruction& instruction, const Footprint&) = 0;

    // The instruction at `pc` asked the copy engine for this.
    virtual void bulk_copy(uint32_t /*pc*/, const BulkCopy&) {}

    // Of a block whose events it is told: the instructions at these were executed by the warp, one after the other, and each once. What they
    // accessed and copied came before, in their order,
    virtual void executed(std::span<const uint32_t> /*pcs*/, uint16_t /*warp*/) {}
    // and so did this; `event` is not filled in.
    virtual void mbarrier(uint32_t /*pc*/, const MbarrierUse&) {}
    // Likewise.
    virtual void barrier(uint32_t /*pc*/, const BarrierUse&) {}
};

} // namespace trace
