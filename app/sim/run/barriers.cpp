#include "sim/run/barriers.h"

#include "sim/run/block.h"

#include <algorithm>

namespace sim {

void fence_memory(Warp& w, const Operation&, uint32_t) { w.block->barriers.fence(w); }

namespace {

trace::BarrierUse use_of(const Warp& w, const Operation& op, uint32_t active) {
    const auto in_row = [&](RowAt at) { return row<uint32_t>(w, at)[__builtin_ctz(active)]; };
    return {.number = static_cast<uint8_t>(in_row(op.row[1]) % Barriers::count),
            .threads = op.row[2] == no_row ? 0 : in_row(op.row[2])};
}

} // namespace

void tell_barrier(Warp& w, const Operation& op, uint32_t active) {
    w.block->recorder.barrier(op, use_of(w, op, active));
}

Barriers::Barriers(BlockContext& block, Report& report, const Control& control, GridOrder& order,
                   UnwrittenReads& unwritten, UnfinishedReads& overtaken, Mbarriers& mbarriers)
    : block_(block), report_(report), control_(control), grid_order_(order), unwritten_reads_(unwritten),
      unfinished_reads_(overtaken), mbarriers_(mbarriers) {}

// What comes after the fence is not released by what follows it.
void Barriers::fence(Warp& w) {
    w.fenced = true;
    block_.shared.fence(w.index);
    grid_order_.fence();
}

void Barriers::arrive(Warp& w, const Operation& op, uint32_t active) {
    const trace::BarrierUse use = use_of(w, op, active);
    const uint32_t threads = use.threads;
    if (const uint32_t absent = w.live & ~active & ~control_.leaving(w); absent && !report_.gave_up())
        report_.finding(
            trace::FindingKind::divergent_barrier, w, op, absent,
            base::say("only some lanes of the warp reach the barrier: mask {:08x} of {:08x}", active, w.live));
    if (op.detail.barrier == BarrierUse::arrives) {
        Arrived& b = arrived_[use.number];
        b.threads += trace::warp_size;
        b.expected = std::max(b.expected, threads);
        join(b.released, block_.shared.release(w.index));
        unfinished_reads_.release(w, op, block_.shared.epoch());
        open_if_complete(use.number, false);
        return;
    }
    mbarriers_.note_progress();
    w.waiting = use.number;
    w.waiting_threads = threads;
    w.waiting_at = &op;
    w.waiting_mask = active;
}

bool Barriers::open(bool everyone_paused) {
    uint32_t barriers = 0;
    for (const Warp& w : block_.warps) barriers |= w.waiting >= 0 && w.waiting < count ? 1u << w.waiting : 0u;
    bool any = false;
    for (; barriers; barriers &= barriers - 1) any |= open_if_complete(__builtin_ctz(barriers), everyone_paused);
    return any;
}

Barriers::Waiting Barriers::waiting_at(int barrier) const {
    const Arrived& arrived = arrived_[static_cast<size_t>(barrier)];
    Waiting all{.threads = arrived.threads, .expected = arrived.expected};
    for (const Warp& w : block_.warps) {
        if (w.waiting == barrier) {
            all.threads += trace::warp_size;
            all.expected = std::max(all.expected, w.waiting_threads);
            if (!all.first) all.first = &w;
        } else {
            all.exited |= w.live == 0;
            all.elsewhere |= w.waiting >= 0;
            all.running |= w.live != 0 && w.waiting < 0;
        }
        all.exited |= w.live != 0 && w.live != w.first_lanes;
    }
    return all;
}

bool Barriers::open_if_complete(int barrier, bool everyone_paused) {
    const Waiting all = waiting_at(barrier);
    if (!all.first) return false;
    if (!all.complete()) {
        if (all.running || ((all.elsewhere || all.expected > 0) && !everyone_paused)) return false;
        if (!report_.gave_up()) report_absent(all);
    }
    mbarriers_.note_progress();
    reduce(barrier);
    let_go(barrier);
    return true;
}

// Of a barrier that opens without all that it waits for: a finding, unless those have exited before they could have come.
void Barriers::report_absent(const Waiting& all) {
    const Warp& w = *all.first;
    const auto report = [&](const base::Sentence& text) {
        report_.finding(trace::FindingKind::divergent_barrier, w, *w.waiting_at, w.waiting_mask, text);
    };
    if (all.expected > 0)
        report(base::say("this barrier waits for {} threads, and only {} reach it", all.expected, all.threads));
    else if (all.elsewhere)
        report(base::say("not all threads of the block reach this barrier: others wait at another one"));
    else if (all.exited && control_.passed_by(*w.waiting_at))
        report(base::say("not all threads of the block reach this barrier: others went around it and have exited"));
}

// Those who wait go on. What all who came did before, those who waited know now.
void Barriers::let_go(int barrier) {
    block_.opened = true;
    Arrived& b = arrived_[static_cast<size_t>(barrier)];
    bool all = true;
    for (const Warp& w : block_.warps) all &= w.waiting == barrier || w.live == 0;
    if (all) {
        unwritten_reads_.settle();
        block_.shared.pass_barrier();
        for (const Warp& w : block_.warps)
            if (w.live != 0) unfinished_reads_.release(w, *w.waiting_at, block_.shared.epoch());
    } else {
        for (const Warp& w : block_.warps) {
            if (w.waiting != barrier) continue;
            join(b.released, block_.shared.release(w.index));
            unfinished_reads_.release(w, *w.waiting_at, block_.shared.epoch());
        }
        for (const Warp& w : block_.warps) {
            if (w.waiting != barrier) continue;
            block_.shared.acquire(w.index, b.released);
            block_.shared.lanes_meet(w.index, w.waiting_mask);
        }
    }
    for (Warp& w : block_.warps)
        if (w.waiting == barrier) w.waiting = -1;
    b = {};
}

// bar.red: the predicates of all threads at the barrier, counted or combined.
void Barriers::reduce(int barrier) {
    uint32_t set = 0, threads = 0;
    for (const Warp& w : block_.warps) {
        if (w.waiting != barrier || w.waiting_at->row[3] == no_row) continue;
        uint32_t p = *row<uint32_t>(w, w.waiting_at->row[3]);
        if (w.waiting_at->negated_predicate >> 3 & 1) p = ~p;
        set += static_cast<uint32_t>(__builtin_popcount(p & w.waiting_mask));
        threads += static_cast<uint32_t>(__builtin_popcount(w.waiting_mask));
    }
    for (const Warp& w : block_.warps) {
        if (w.waiting != barrier || w.waiting_at->row[3] == no_row || w.waiting_at->row[0] == no_row) continue;
        uint32_t* d = row<uint32_t>(w, w.waiting_at->row[0]);
        if (w.waiting_at->detail.barrier == BarrierUse::counts) {
            for (int i = 0; i < 32; ++i)
                if (w.waiting_mask >> i & 1) d[i] = set;
        } else {
            const bool r = w.waiting_at->detail.barrier == BarrierUse::asks_all ? set == threads : set > 0;
            *d = (*d & ~w.waiting_mask) | (r ? w.waiting_mask : 0);
        }
    }
}

} // namespace sim
