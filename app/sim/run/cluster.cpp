// Blocks of a cluster take turns, and meet at its barrier (manual, section 9.7.13.3).
#include "sim/run/cluster.h"

#include "base/random.h"

#include <algorithm>
#include <utility>

namespace sim {

Cluster::Cluster(Run& run, trace::Observer* observer) : run_(run) {
    const base::Dim3 shape = run.program.cluster;
    const Options& o = run.options;
    const bool one = o.traced_block_only && o.traced_block; // the others run only for its sake
    const uint32_t shown = one ? rank_of(*o.traced_block) : 0;
    for (uint32_t rank = 0; rank < shape.count(); ++rank)
        blocks_.emplace_back(run, one && rank != shown ? nullptr : observer, *this, rank);
}

uint32_t Cluster::rank_of(base::Dim3 block) const {
    const base::Dim3 shape = run_.program.cluster;
    return static_cast<uint32_t>(base::index_of({block.x % shape.x, block.y % shape.y, block.z % shape.z}, shape));
}

trace::Counts Cluster::counts() const {
    if (run_.options.traced_block_only && run_.options.traced_block)
        return blocks_[rank_of(*run_.options.traced_block)].recorder.counts();
    trace::Counts all = blocks_.front().recorder.counts();
    for (size_t rank = 1; rank < blocks_.size(); ++rank) {
        const trace::Counts counts = blocks_[rank].recorder.counts();
        for (size_t pc = 0; pc < all.size(); ++pc) {
            all[pc].executed += counts[pc].executed;
            all[pc].threads += counts[pc].threads;
            all[pc].diverged += counts[pc].diverged;
        }
    }
    return all;
}

void Cluster::merge_findings(Findings& into) const {
    for (const Block& b : blocks_) into.merge(b.report.findings());
}

void Cluster::start(base::Dim3 block, trace::Trace* trace, std::optional<uint64_t> steps) {
    const base::Dim3 shape = run_.program.cluster;
    const base::Dim3 first{block.x - block.x % shape.x, block.y - block.y % shape.y, block.z - block.z % shape.z};
    number_ = base::index_of(first, run_.launch.grid);
    waiting_ = 0;
    effort.idle = 0;
    for (uint32_t rank = 0; rank < size(); ++rank) {
        const base::Dim3 at = base::position(rank, shape), index{first.x + at.x, first.y + at.y, first.z + at.z};
        if (index == block) blocks_[rank].start(index, trace, steps);
        else blocks_[rank].start(index, nullptr, {});
    }
    ClusterClock begin;
    for (uint32_t rank = 0; rank < size(); ++rank) begin.shared[rank] = blocks_[rank].context.shared.epoch();
    for (Block& b : blocks_) b.cluster_order.reset(begin);
}

void Cluster::execute(base::Dim3 block, trace::Trace* trace) {
    start(block, trace, {});
    run_blocks();
    for (Block& b : blocks_) b.finish();
}

const Block& Cluster::execute_until(base::Dim3 block, uint64_t steps) {
    start(block, nullptr, steps);
    if (steps > 0) run_blocks();
    return blocks_[rank_of(block)];
}

// Barriers that not all reach open when nothing else can go on.
void Cluster::run_blocks() {
    for (uint64_t round = 0; take_turns(round); ++round) {
        open_barrier(); // the last one may have arrived without waiting
        if (std::any_of(blocks_.begin(), blocks_.end(), [](const Block& b) { return b.able(); })) continue;
        if (std::none_of(blocks_.begin(), blocks_.end(), [](Block& b) { return b.barriers.open(true); })) return;
    }
}

// Each block that can goes on, in the order of the ranks or, shuffled, in a seeded one and each for a seeded
// while. False: the run is over.
bool Cluster::take_turns(uint64_t round) {
    const trace::Schedule schedule = run_.options.schedule;
    const bool shuffled = schedule.kind == trace::Schedule::Kind::shuffled && size() > 1;
    constexpr uint64_t most_turns = 64; // of a block's warps
    const base::RandomStream random(schedule.number, ~number_);
    const uint64_t bits = shuffled ? random.bits(round) : 0;
    for (uint32_t n = 0; n < size(); ++n) {
        Block& b = blocks_[(n + (bits >> 32)) % size()];
        if (!b.able()) continue;
        if (b.go_on(shuffled ? 1 + bits % most_turns : ~uint64_t{0}) == Block::Turn::stopped) return false;
        if (shuffled) break;
    }
    return true;
}

void Cluster::open_barrier() {
    if (waiting_ == 0 ||
        !std::all_of(blocks_.begin(), blocks_.end(), [](const Block& b) { return b.cluster_barrier.all_arrived(); }))
        return;
    waiting_ = 0;
    for (Block& b : blocks_) b.cluster_barrier.look_for_absent();
    ClusterClock released;
    for (Block& b : blocks_) join(released, b.cluster_barrier.release());
    for (Block& b : blocks_) b.cluster_barrier.open(released);
}

} // namespace sim
