// Lanes that part and meet again, and barriers.
#include "sim/cluster.h"

#include <algorithm>

namespace sim {

void fence_memory(Warp& w, const Operation&, uint32_t) { w.block->fence(w); }

// What comes after the fence is not told by what follows it.
void Block::fence(Warp& w) {
    w.fenced = true;
    shared_.fence(w.index);
    grid_order.fence();
}

// elect.sync (manual, section 9.7.13.14). rows: the leader, whether the lane is it, the members.
void elect_lane(Warp& w, const Operation& op, uint32_t active) {
    const uint32_t members = active & row<uint32_t>(w, op.row[2])[__builtin_ctz(active)];
    const uint32_t leader = members ? static_cast<uint32_t>(__builtin_ctz(members)) : 0;
    for (uint32_t i = 0; i < 32 && op.row[0] != no_row; ++i)
        if (active >> i & 1) row<uint32_t>(w, op.row[0])[i] = leader;
    if (op.row[1] == no_row) return;
    uint32_t* p = row<uint32_t>(w, op.row[1]);
    *p = (*p & ~active) | (members ? 1u << leader : 0);
}

// Lanes in `taken` go to the target, the rest of `mask` goes on; they meet at op.reconverge.
void Block::branch(Warp& w, const Operation& op, uint32_t taken, uint32_t mask) {
    Path& path = w.path[w.depth - 1];
    if (taken == 0) return;
    if (taken == mask) {
        path.pc = op.target;
        path.from = number_of(op);
        return;
    }
    recorder.diverged(op.pc);
    const uint32_t fall = path.pc, meet = op.reconverge;
    // The place to meet waits below the two parts, unless it is where this path ends anyway.
    if (path.reconverge == meet && w.depth > 1) --w.depth;
    else path.pc = meet, path.from = number_of(op);
    if (fall != meet) w.path[w.depth++] = {fall, meet, mask & ~taken};
    if (op.target != meet) w.path[w.depth++] = {op.target, meet, taken, number_of(op)};
    if (op.falls_first) std::swap(w.path[w.depth - 1], w.path[w.depth - 2]);
}

void Block::multiway(Warp& w, const Operation& op, uint32_t active) {
    const std::vector<uint32_t>& table = program_.tables[op.detail.number];
    const std::vector<uint64_t>& callees =
        program_.callees[op.detail.number]; // of a call: the last entry of the table is for other addresses
    uint32_t number[trace::warp_size];
    for (uint32_t i = 0; i < trace::warp_size; ++i)
        number[i] =
            op.width[0] == 8
                ? static_cast<uint32_t>(std::find(callees.begin(), callees.end(), row<uint64_t>(w, op.row[0])[i]) -
                                        callees.begin())
                : row<uint32_t>(w, op.row[0])[i];
    Path& path = w.path[w.depth - 1];
    const uint32_t stay = path.mask & ~active, fall = op.target, meet = op.reconverge;
    if (active == 0) {
        path.pc = fall;
        return;
    }
    uint32_t left = active;
    Path parts[trace::warp_size];
    int count = 0;
    while (left) {
        const uint32_t n = number[__builtin_ctz(left)];
        uint32_t same = 0;
        for (int i = 0; i < 32; ++i) same |= number[i] == n ? 1u << i : 0u;
        same &= left;
        left &= ~same;
        if (n >= table.size()) {
            report.finding(
                trace::FindingKind::out_of_bounds, w, op, same,
                base::say("the branch's number {} is beyond its {} targets; the first one is taken", n, table.size()));
        }
        parts[count++] = {table[n < table.size() ? n : 0], meet, same};
    }
    if (count == 1 && stay == 0) {
        path.pc = parts[0].pc;
        return;
    }
    if (path.reconverge == meet && w.depth > 1) --w.depth;
    else path.pc = meet;
    if (stay && fall != meet) w.path[w.depth++] = {fall, meet, stay};
    for (int i = count; i-- > 0;)
        if (parts[i].pc != meet) w.path[w.depth++] = parts[i];
}

// The lanes that wait may wait for others of their warp: those go first, where the same branch parted them.
void Block::turn_to_other_lanes(Warp& w) {
    if (w.depth < 2) return;
    Path &top = w.path[w.depth - 1], &next = w.path[w.depth - 2];
    if (top.reconverge == next.reconverge && top.pc != top.reconverge && next.pc != next.reconverge)
        std::swap(top, next);
}

bool Block::exit_lanes(Warp& w, uint32_t active) {
    w.live &= ~active;
    for (int i = 0; i < w.depth; ++i) w.path[i].mask &= ~active;
    while (w.depth > 0 && w.path[w.depth - 1].mask == 0) --w.depth;
    mbarriers_.fruitless = 0;
    if (w.live == 0) {
        abandon_copies(w);
        abandon_products(w);
        if (!mbarriers_.copies.empty()) abandon_bulk_copies(w);
    }
    return w.live == 0 || w.depth == 0;
}

// A member mask (manual, section 9.7.9.6): who executes the instruction must be in it, and whoever is in it
// must execute it.
void Block::lanes_meet(const Warp& w, const Operation& op, uint32_t lanes, uint32_t named) {
    shared_.lanes_meet(w.index, lanes);
    enum : int64_t { strangers = -2, missing = -3 };
    const uint32_t strange = lanes & ~named;
    if (strange && !report.known(trace::FindingKind::divergent_barrier, op, strangers))
        report.finding(trace::FindingKind::divergent_barrier, w, op, strange,
                base::say("the mask {:08x} does not name all who use it here: not {}; the result is "
                          "undefined ({})",
                          named, lanes_text(strange), report.statement(op.pc)),
                strangers);
    uint32_t absent = named & w.live & ~lanes;
    if (absent) absent &= ~leaving(w);
    if (absent && !report.known(trace::FindingKind::divergent_barrier, op, missing))
        report.finding(trace::FindingKind::divergent_barrier, w, op, absent,
                base::say("the mask {:08x} names lanes that do not take part: {}; the result is undefined "
                          "({})",
                          named, lanes_text(absent), report.statement(op.pc)),
                missing, trace::Severity::warning);
}

void Block::arrive(Warp& w, const Operation& op, uint32_t active) {
    const auto barrier = static_cast<int>(row<uint32_t>(w, op.row[1])[__builtin_ctz(active)] & 15);
    if (const uint32_t absent = w.live & ~active & ~leaving(w); absent && !report.gave_up())
        report.finding(trace::FindingKind::divergent_barrier, w, op, absent,
                base::say("only some lanes of the warp reach the barrier: mask {:08x} of {:08x}", active, w.live));
    const uint32_t threads = op.row[2] == no_row ? 0 : row<uint32_t>(w, op.row[2])[__builtin_ctz(active)];
    if (op.detail.barrier == BarrierUse::arrives) {
        NamedBarrier& b = barriers_[static_cast<size_t>(barrier)];
        b.threads += trace::warp_size;
        b.expected = std::max(b.expected, threads);
        join(b.clocks, shared_.release(w.index));
        tell_reads(w, op, shared_.epoch());
        release_barrier(barrier, false);
        return;
    }
    mbarriers_.fruitless = 0;
    w.waiting = barrier;
    w.waiting_threads = threads;
    w.waiting_at = &op;
    w.waiting_mask = active;
}

// Opens the barriers that can be; true if one was.
bool Block::release(bool everyone_paused) {
    uint32_t barriers = 0;
    for (const Warp& w : warps_) barriers |= w.waiting >= 0 && w.waiting < named_barriers ? 1u << w.waiting : 0u;
    bool any = false;
    for (; barriers; barriers &= barriers - 1) any |= release_barrier(__builtin_ctz(barriers), everyone_paused);
    return any;
}

bool Block::release_barrier(int barrier, bool everyone_paused) {
    uint32_t threads = barriers_[static_cast<size_t>(barrier)].threads,
             expected = barriers_[static_cast<size_t>(barrier)].expected;
    bool running = false, exited = false, elsewhere = false;
    const Warp* first = nullptr;
    for (const Warp& w : warps_) {
        if (w.waiting == barrier) {
            threads += trace::warp_size;
            expected = std::max(expected, w.waiting_threads);
            if (!first) first = &w;
        } else {
            exited |= w.live == 0;
            elsewhere |= w.waiting >= 0;
            running |= w.live != 0 && w.waiting < 0;
        }
        exited |= w.live != 0 && w.live != w.first_lanes;
    }
    if (!first) return false;
    const bool counted = expected > 0 && threads >= expected;
    if (!counted && (running || ((elsewhere || expected > 0) && !everyone_paused))) return false;
    if (!counted && expected > 0 && !report.gave_up())
        report.finding(trace::FindingKind::divergent_barrier, *first, *first->waiting_at, first->waiting_mask,
                base::say("this barrier waits for {} threads, and only {} reach it", expected, threads));
    else if (!counted && !report.gave_up() && (elsewhere || (exited && passed_by(*first->waiting_at))))
        report.finding(
            trace::FindingKind::divergent_barrier, *first, *first->waiting_at, first->waiting_mask,
            elsewhere
                ? base::say("not all threads of the block reach this barrier: others wait at another one")
                : base::say("not all threads of the block reach this barrier: others went around it and have exited"));
    mbarriers_.fruitless = 0;
    reduce_at_barrier(barrier);
    open(barrier);
    return true;
}

// Lets those who wait go on. What all who came did before, those who waited know now.
void Block::open(int barrier) {
    opened_ = true;
    NamedBarrier& b = barriers_[static_cast<size_t>(barrier)];
    bool all = true;
    for (const Warp& w : warps_) all &= w.waiting == barrier || w.live == 0;
    if (all) {
        settle_unwritten_reads();
        shared_.pass_barrier();
        for (const Warp& w : warps_)
            if (w.live != 0) tell_reads(w, *w.waiting_at, shared_.epoch());
    } else {
        for (const Warp& w : warps_) {
            if (w.waiting != barrier) continue;
            join(b.clocks, shared_.release(w.index));
            tell_reads(w, *w.waiting_at, shared_.epoch());
        }
        for (const Warp& w : warps_) {
            if (w.waiting != barrier) continue;
            shared_.acquire(w.index, b.clocks);
            shared_.lanes_meet(w.index, w.waiting_mask);
        }
    }
    for (Warp& w : warps_)
        if (w.waiting == barrier) w.waiting = -1;
    b = {};
}

// bar.red: the predicates of all threads at the barrier, counted or combined.
void Block::reduce_at_barrier(int barrier) {
    uint32_t count = 0, threads = 0;
    for (const Warp& w : warps_) {
        if (w.waiting != barrier || w.waiting_at->row[3] == no_row) continue;
        uint32_t p = *row<uint32_t>(w, w.waiting_at->row[3]);
        if (w.waiting_at->negated_predicate >> 3 & 1) p = ~p;
        count += static_cast<uint32_t>(__builtin_popcount(p & w.waiting_mask));
        threads += static_cast<uint32_t>(__builtin_popcount(w.waiting_mask));
    }
    for (Warp& w : warps_) {
        if (w.waiting != barrier || w.waiting_at->row[3] == no_row || w.waiting_at->row[0] == no_row) continue;
        uint32_t* d = row<uint32_t>(w, w.waiting_at->row[0]);
        if (w.waiting_at->detail.barrier == BarrierUse::counts) {
            for (int i = 0; i < 32; ++i)
                if (w.waiting_mask >> i & 1) d[i] = count;
        } else {
            const bool r = w.waiting_at->detail.barrier == BarrierUse::asks_all ? count == threads : count > 0;
            *d = (*d & ~w.waiting_mask) | (r ? w.waiting_mask : 0);
        }
    }
}

} // namespace sim
