// Where accesses to shared memory lead: to the block's own, or to that of another block of its cluster, distributed shared memory
// (manual, sections 5.1.7, 9.7.9.19, 9.7.9.23 and 9.7.9.24).
#pragma once

#include "sim/checks/report.h"
#include "sim/lanes/access.h"
#include "sim/run/block_context.h"
#include "sim/run/recorder.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sim {

class Block;
class ClusterRaces;
class Mbarriers;
class SharedRaces;

class SharedSpace {
public:
    SharedSpace(BlockContext&, Recorder&, Report&, SharedRaces&, ClusterRaces&, Mbarriers&);

    // As sim::resolve() (access.h).
    std::byte* resolve(const Warp&, const Operation&, const Access&, std::byte** host);
    // Where an operation may access shared memory.
    const SharedRange& range_of(const Operation& op) const { return ranges_[op.memory_number]; }
    const SharedRange* ranges() const { return ranges_.data(); } // by Operation::memory_number

    // Instructions.
    void map_address(const Warp&, const Operation&, uint32_t active);
    void find_rank(const Warp&, const Operation&, uint32_t active);

    static uint64_t bytes(const Program& p) { return p.accesses * sizeof(SharedRange); } // of this machine's memory

private:
    BlockContext& block_;
    Recorder& recorder_;
    Report& report_;
    SharedRaces& shared_races_;
    ClusterRaces& cluster_races_;
    Mbarriers& mbarriers_;
    std::vector<SharedRange> ranges_; // by Operation::memory_number

    std::byte* reach(const Warp&, const Operation&, const Access&, std::byte** host); // the own
    bool is_distributed(const Access&) const;
    std::byte* resolve_distributed(const Warp&, const Operation&, const Access&, std::byte** host);
    std::byte* resolve_in_one_block(const Warp&, const Operation&, const Access&);
    void reach_own(const Warp&, const Operation&, const Access&, uint32_t lanes, std::byte** host);
    void reach_remote(const Warp&, const Operation&, const Access&, uint32_t lanes, Block& home, std::byte** host);
    void check_remote(const Warp&, const Operation&, const Access&, uint32_t lanes, Block& home);
    void needs_cluster_space(const Warp&, const Operation&, uint32_t lanes, uint64_t at);
};

} // namespace sim
