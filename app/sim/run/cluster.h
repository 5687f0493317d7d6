// The blocks of one cluster, executed in turns on one thread: each goes on until its warps can do nothing
// more without the others. A kernel without clusters is the case of one block. One object serves a thread of
// the engine for all that it runs.
#pragma once

#include "sim/run/block.h"

#include <deque>

namespace sim {

class Cluster {
public:
    Cluster(Run&, trace::Observer*);
    Cluster(const Cluster&) = delete;
    Cluster& operator=(const Cluster&) = delete;

    // Executes the cluster that holds `block`. With `trace`, records what that block does.
    void execute(base::Dim3 block, trace::Trace* trace);
    // The same, but stops after so many warp instructions of the block (events of its trace); its state can
    // then be read.
    const Block& execute_until(base::Dim3 block, uint64_t steps);

    trace::Counts counts() const; // executed, threads, diverged; of the traced blocks only if Options say so
    void merge_findings(Findings& into) const;

    // For its blocks.
    uint32_t size() const { return static_cast<uint32_t>(blocks_.size()); }
    Block& block(uint32_t rank) { return blocks_[rank]; }
    // Whose shared memory the address leads to; `from`: the block that uses it, and whose it is if there is no such block.
    Block& home_of(uint64_t shared_address, const BlockContext& from) {
        const uint32_t rank = from.rank_of(shared_address);
        return blocks_[rank < size() ? rank : from.rank];
    }
    void wait() { ++waiting_, open_barrier(); } // a warp does, at the barrier
    // If somebody waits there, and every warp of the cluster that has not ended has arrived.
    void open_barrier();
    bool takes_turns() const { return blocks_.size() > 1 || waiting_ > 0; }
    Effort effort;

private:
    Run& run_;
    std::deque<Block> blocks_; // by rank
    uint64_t number_ = 0;      // of its first block in the grid
    uint32_t waiting_ = 0;     // warps, at the barrier

    uint32_t rank_of(base::Dim3 block) const;
    void start(base::Dim3 block, trace::Trace* trace, std::optional<uint64_t> steps);
    void run_blocks();
    bool take_turns(uint64_t round);
};

} // namespace sim
