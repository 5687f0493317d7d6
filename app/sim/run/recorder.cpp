#include "sim/run/recorder.h"

#include <utility>

namespace sim {

Recorder::Recorder(const Program& program, const Options& options, trace::Observer* observer)
    : program_(program), options_(options), observer_(observer), executed_(program.operations.size() + 1),
      diverged_(program.listing->instructions.size()) {}

uint64_t Recorder::bytes(const Program& p) {
    return p.listing->instructions.size() * sizeof(trace::InstructionCounts) +
           (p.operations.size() + 1) * sizeof(Executed);
}

void Recorder::reset(trace::Trace* trace, std::optional<uint64_t> steps) {
    tells_events_ = trace && observer_ && options_.events_to_observer;
    trace_ = options_.events_to_observer ? nullptr : trace;
    if (tells_events_ && first_events_.empty()) {
        for (size_t n = 0; n < program_.operations.size(); ++n) {
            first_events_.push_back(static_cast<uint32_t>(event_pcs_.size()));
            if (!program_.effects[n].silent) event_pcs_.push_back(program_.operations[n].pc);
        }
        first_events_.push_back(static_cast<uint32_t>(event_pcs_.size()));
    }
    stepping_ = steps.has_value();
    steps_left_ = steps.value_or(0);
}

void Recorder::not_executed(uint32_t operation, uint32_t lanes, uint32_t active) {
    const uint64_t threads = count(lanes);
    executed_[operation].times -= 1;
    executed_[operation].threads -= threads;
    executed_[operation + 1].times += 1;
    executed_[operation + 1].threads += threads;
    executed_[operation].guarded_off -= count(lanes & ~active);
}

void Recorder::event(const Warp& w, const Operation& op, uint32_t active) {
    if (program_.effects[static_cast<size_t>(&op - program_.operations.data())].silent) return;
    const uint32_t access = std::exchange(last_access_, trace::no_access);
    if (stepping_) {
        if (steps_left_ > 0) --steps_left_;
        return;
    }
    if (!tracing()) return;
    const uint64_t bytes = trace_->events.size() * sizeof(trace::Event) +
                           trace_->accesses.size() * sizeof(trace::Addresses) + copies_bytes_;
    if (bytes > options_.trace_bytes) {
        trace_->truncated = true;
        return;
    }
    trace_->events.push_back({op.pc, active, access, static_cast<uint16_t>(w.index)});
}

// A trace says one space for an instruction: of one with generic addresses that lead elsewhere it has no addresses.
void Recorder::access(const Operation& op, const Access& a, trace::Space space) {
    if (stepping_) return;
    const trace::Instruction& listed = program_.listing->instructions[op.pc];
    trace::Addresses offset;
    const trace::Footprint footprint = a.pattern
                                           ? trace::Footprint{a.active, a.first(), a.pattern->offset, a.pattern->shape}
                                           : trace::footprint(a.active, a.at, offset);
    const bool elsewhere =
        op.space == Space::generic && space != listed.space && listed.kind != trace::Kind::async_copy;
    if (observer_ && elsewhere) {
        trace::Instruction instruction = listed;
        instruction.space = space;
        observer_->access(op.pc, instruction, footprint);
    } else if (observer_) {
        observer_->access(op.pc, listed, footprint);
    }
    if (!tracing() || elsewhere) return;
    if (last_access_ == trace::no_access) last_access_ = static_cast<uint32_t>(trace_->accesses.size());
    if (a.by_pattern) trace_->accesses.push_back(footprint.addresses());
    else trace_->accesses.push_back(a.at);
}

void Recorder::bulk_copy(uint32_t pc, trace::BulkCopy copy) {
    if (observer_) observer_->bulk_copy(pc, copy);
    if (!tracing()) return;
    copy.event = static_cast<uint32_t>(trace_->events.size()); // which event() is about to add
    copies_bytes_ += sizeof copy + copy.rows.size() * sizeof copy.rows[0];
    trace_->bulk_copies.push_back(std::move(copy));
}

void Recorder::tell(const Warp& w, uint32_t first, uint32_t end) {
    told_use_.by = nullptr;
    const std::span pcs =
        std::span(event_pcs_).subspan(first_events_[first], first_events_[end] - first_events_[first]);
    if (!pcs.empty()) observer_->executed(pcs, static_cast<uint16_t>(w.index));
}

void Recorder::mbarrier(const Operation& op, trace::MbarrierUse use) {
    if (tells_events_ && (told_use_.by != &op || told_use_.use != use)) {
        told_use_ = {&op, use};
        observer_->mbarrier(op.pc, use);
    }
    if (!tracing()) return;
    use.event = static_cast<uint32_t>(trace_->events.size());                          // which event() is about to add
    if (!trace_->mbarrier_uses.empty() && trace_->mbarrier_uses.back() == use) return; // by another lane
    copies_bytes_ += sizeof use;
    trace_->mbarrier_uses.push_back(use);
}

void Recorder::barrier(const Operation& op, trace::BarrierUse use) {
    if (tells_events_) observer_->barrier(op.pc, use);
    if (!tracing()) return;
    use.event = static_cast<uint32_t>(trace_->events.size());
    copies_bytes_ += sizeof use;
    trace_->barrier_uses.push_back(use);
}

trace::Counts Recorder::counts() const {
    trace::Counts counts = diverged_;
    uint64_t times = 0, threads = 0;
    for (size_t n = 0; n < program_.operations.size(); ++n) {
        times += executed_[n].times;
        threads += executed_[n].threads;
        if (program_.effects[n].silent) continue;
        counts[program_.operations[n].pc].executed += times;
        counts[program_.operations[n].pc].threads += threads - executed_[n].guarded_off;
    }
    return counts;
}

Edges Recorder::edges() const {
    const size_t size = program_.operations.size();
    Edges edges{std::vector<bool>(size), std::vector<bool>(size)};
    uint64_t times = 0, threads = 0;
    for (size_t n = 0; n < size; ++n) {
        times += executed_[n].times, threads += executed_[n].threads;
        const Flow flow = program_.operations[n].flow;
        const bool leads_away = flow == Flow::branch || flow == Flow::multiway || flow == Flow::exit;
        edges.on[n] = leads_away ? executed_[n].guarded_off > 0 : times > 0;
        edges.away[n] = leads_away && threads > executed_[n].guarded_off;
    }
    return edges;
}

} // namespace sim
