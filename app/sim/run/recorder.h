// What is told of a block's execution: how often each operation was executed, each access to the observer, and of a
// traced block the events.
#pragma once

#include "sim/lanes/access.h"
#include "sim/run/path_condition.h"
#include "sim/run/run.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace sim {

class Recorder {
public:
    Recorder(const Program&, const Options&, trace::Observer*);
    // For a block that begins; counts go on over all blocks. With `trace`, records into it, or tells the observer as the options ask;
    // with `steps`, counts its events down instead.
    void reset(trace::Trace* trace, std::optional<uint64_t> steps);

    bool records() const { return trace_ || stepping_; }                         // each instruction, by event()
    bool tells() const { return tells_events_; }                                 // the observer, of straight runs
    bool done() const { return stepping_ && steps_left_ == 0; }                  // no step is left
    trace::Observer* observer() const { return observer_; }                      // nullptr: none
    bool wants_copies() const { return !stepping_ && (observer_ || tracing()); } // by bulk_copy()

    // An operation was executed; where it is not silent, the event has the first access since the one before.
    void event(const Warp&, const Operation&, uint32_t active);
    // An access that led to `space`.
    void access(const Operation&, const Access&, trace::Space);
    void bulk_copy(uint32_t pc, trace::BulkCopy);
    void mbarrier(const Operation&, trace::MbarrierUse); // by the event that is executed
    void barrier(const Operation&, trace::BarrierUse);   // likewise
    // If it tells(): a warp has executed the operations from `first` to before `end`.
    void tell(const Warp&, uint32_t first, uint32_t end);

    // The operations from `first` to before `end` were executed by `lanes`.
    void executed(uint32_t first, uint32_t end, uint32_t lanes) {
        const uint64_t threads = count(lanes);
        executed_[first].times += 1;
        executed_[first].threads += threads;
        executed_[end].times -= 1;
        executed_[end].threads -= threads;
    }
    // A guard kept `lanes` of those that executed the operation from it.
    void guarded_off(uint32_t operation, uint32_t lanes) { executed_[operation].guarded_off += count(lanes); }
    // That operation was not executed after all by `lanes`, of which a guard let `active` do so.
    void not_executed(uint32_t operation, uint32_t lanes, uint32_t active);
    void diverged(uint32_t pc) { ++diverged_[pc].diverged; }

    trace::Counts counts() const; // of all blocks: executed, threads, diverged
    Edges edges() const;          // the same, as where lanes went

    static uint64_t bytes(const Program&); // of this machine's memory

private:
    // A difference array: times and threads are those of this operation less those of the one before it. A straight run of
    // operations costs two entries; a prefix sum gives the counts of each.
    struct Executed {
        uint64_t times = 0, threads = 0;
        uint64_t guarded_off = 0; // lanes of this operation alone
    };
    const Program& program_;
    const Options& options_;
    trace::Observer* const observer_;
    trace::Trace* trace_ = nullptr;
    bool tells_events_ = false;
    std::vector<uint32_t> event_pcs_;    // of the operations that are not silent,
    std::vector<uint32_t> first_events_; // and by operation how many of them lie before it
    struct ToldUse {
        const Operation* by = nullptr;
        trace::MbarrierUse use;
    } told_use_; // by another lane
    bool stepping_ = false;
    uint64_t steps_left_ = 0;
    uint32_t last_access_ = trace::no_access; // of this event, in the trace
    uint64_t copies_bytes_ = 0;               // of trace_->bulk_copies and of what was done at barriers
    std::vector<Executed> executed_;          // by operation, and one for the end
    trace::Counts diverged_;                  // by pc; nothing else is filled in

    bool tracing() const { return trace_ && !trace_->truncated; }
    // Mostly it is all or none, and counting bits is a call where the processor need not have an instruction for it.
    static uint64_t count(uint32_t lanes) {
        return lanes == ~0u ? trace::warp_size : lanes == 0 ? 0 : static_cast<uint64_t>(__builtin_popcount(lanes));
    }
};

} // namespace sim
