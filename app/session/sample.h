// A grid counted from a few of its blocks: one of each kind is executed and counts as often as there are blocks of its kind
// (sim/kinds/representatives.h). What C holds, and whether blocks race with each other, only a run of the whole grid tells.
#pragma once

#include "session/stages.h"
#include "sim/kinds/representatives.h"

namespace session {

struct Sample {
    std::vector<sim::Representative> kinds; // with wavefronts and sectors; no observers
    std::vector<uint32_t> kind_of;          // by number of the block, or of the cluster of blocks
    base::Dim3 cluster;                     // blocks
    uint64_t executed() const { return kinds.size() * cluster.count(); } // blocks
    uint64_t blocks() const { return kind_of.size() * cluster.count(); } // of the grid
};

// What run_grid() counts, without what it computes: FullRun::sample is set, and nothing is verified. Failure::missing, with a sentence: one
// block cannot stand for another here, only run_grid() can count. Job::inputs are not looked at.
Stage<FullRun> run_sample(const Job&, const Prepared&, int threads, std::stop_token,
                          const std::function<void(float fraction)>& progress = {});

// Whether a block counts what another one does: every number of every instruction. Of machine code but the threads of guarded integer
// arithmetic: a division there is a few steps, and which lanes take some of them hangs on the values alone.
bool count_the_same(const trace::Listing&, const trace::Counts&, const trace::Counts&);

// The proof of the pudding: other blocks, drawn at random, are executed and compared with those that stand for them.
struct SampleCheck {
    uint64_t blocks = 0;                 // that were compared
    std::optional<base::Dim3> differs{}; // one that counts something else: the sample is wrong
};
Stage<SampleCheck> check_sample(const Job&, const Prepared&, const Sample&, uint64_t blocks, std::stop_token = {});

} // namespace session
