#include "sim/run/cluster_barrier.h"

#include "sim/run/cluster.h"

#include <algorithm>
#include <utility>

namespace sim {

ClusterBarrier::ClusterBarrier(BlockContext& block, Report& report, const Control& control, ClusterOrder& order,
                               ClusterRaces& races, UnwrittenReads& unwritten, Mbarriers& mbarriers)
    : block_(block), report_(report), control_(control), order_(order), cluster_races_(races),
      unwritten_reads_(unwritten), mbarriers_(mbarriers) {}

void ClusterBarrier::reset() {
    arriving_ = released_ = {};
    released_blocks_ = {};
    epoch_ = 0;
    misused_ = false;
}

bool ClusterBarrier::meet(Warp& w, const Operation& op, uint32_t active) {
    if (const uint32_t absent = w.live & ~active & ~control_.leaving(w); absent && !report_.gave_up())
        report_.finding(trace::FindingKind::divergent_barrier, w, op, absent,
                        base::say("only some lanes of the warp reach the barrier of the cluster: mask {:08x} of {:08x}",
                                  active, w.live));
    if (op.detail.cluster == ClusterUse::arrives) arrive(w, op, active);
    else wait(w, op, active);
    return op.detail.cluster == ClusterUse::waits;
}

void ClusterBarrier::arrive(Warp& w, const Operation& op, uint32_t active) {
    misused_ |= w.owes_wait;
    if (w.owes_wait && !report_.gave_up())
        report_.finding(trace::FindingKind::divergent_barrier, w, op, active,
                        base::say("warp {} arrives again at the barrier of the cluster without a "
                                  "barrier.cluster.wait after it arrived before",
                                  w.index));
    w.arrived = w.owes_wait = true;
    epoch_ = block_.shared.epoch();
    if (op.strength == Strength::atomic && !w.fenced) return; // .relaxed: releases nothing
    join(arriving_, block_.shared.release(w.index));
    epoch_ = block_.shared.epoch();
}

void ClusterBarrier::wait(Warp& w, const Operation& op, uint32_t active) {
    mbarriers_.note_progress();
    if (!w.owes_wait) {
        misused_ = true;
        if (!report_.gave_up())
            report_.finding(
                trace::FindingKind::divergent_barrier, w, op, active,
                base::say("warp {} waits at the barrier of the cluster, where it has not arrived", w.index));
        arrive(w, op, active);
    }
    w.owes_wait = false;
    if (!w.arrived) return leave(w, active); // the others have come meanwhile
    w.waiting = waiting;
    w.waiting_at = &op;
    w.waiting_mask = active;
    block_.cluster.wait();
}

bool ClusterBarrier::all_arrived() const {
    return std::all_of(block_.warps.begin(), block_.warps.end(),
                       [](const Warp& w) { return w.live == 0 || w.arrived; });
}

// Threads that have exited count as arrived, which is fine unless they had gone around the barrier. Where some have come too often, nobody can tell.
void ClusterBarrier::look_for_absent() {
    for (uint32_t rank = 0; rank < block_.cluster.size(); ++rank)
        if (block_.cluster.block(rank).cluster_barrier.misused_) return;
    const auto w =
        std::find_if(block_.warps.begin(), block_.warps.end(), [](const Warp& one) { return one.waiting == waiting; });
    if (w == block_.warps.end()) return;
    for (uint32_t rank = 0; rank < block_.cluster.size(); ++rank) {
        const Block& other = block_.cluster.block(rank);
        if (report_.gave_up() || other.report.gave_up() || !other.cluster_barrier.went_around(*w->waiting_at)) continue;
        return report_.finding(trace::FindingKind::divergent_barrier, *w, *w->waiting_at, w->waiting_mask,
                               base::say("not all threads of the cluster reach this barrier: some of {} went "
                                         "around it and have exited",
                                         block_name(other.context.index)));
    }
}

bool ClusterBarrier::went_around(const Operation& wait) const {
    return std::any_of(block_.warps.begin(), block_.warps.end(),
                       [](const Warp& w) { return w.live != w.first_lanes && !w.arrived; }) &&
           control_.passed_by(wait);
}

void ClusterBarrier::open(const ClusterClock& released) {
    join(released_, std::exchange(arriving_, {}));
    join(released_blocks_, released);
    block_.opened = true;
    bool all = true, any = false;
    for (Warp& w : block_.warps) {
        w.arrived = false;
        all &= w.waiting == waiting || w.live == 0;
        any |= w.waiting == waiting;
    }
    if (!any) return;
    if (all) {
        unwritten_reads_.settle();
        cluster_races_.acquire(released_blocks_);
        block_.shared.pass_barrier();
    }
    for (Warp& w : block_.warps) {
        if (w.waiting != waiting) continue;
        w.waiting = -1;
        if (!all) leave(w, w.waiting_mask);
    }
}

void ClusterBarrier::leave(const Warp& w, uint32_t lanes) {
    cluster_races_.acquire(released_blocks_);
    block_.shared.acquire(w.index, released_);
    block_.shared.lanes_meet(w.index, lanes);
}

} // namespace sim
