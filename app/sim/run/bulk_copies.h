// Bulk copies and asynchronous stores (manual, sections 9.7.9.25.4, 9.7.9.12 and 9.7.13.7): to shared memory, of any block of the
// cluster, they land when somebody waits for their mbarrier, to global memory when their thread waits for their group.
#pragma once

#include "sim/checks/cluster_order.h"
#include "sim/checks/remote_shadow.h"
#include "sim/checks/report.h"
#include "sim/lanes/access.h"
#include "sim/program/mbarrier.h"
#include "sim/run/block_context.h"
#include "sim/run/bulk_copy.h"
#include "sim/run/recorder.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace sim {

class ClusterRaces;
class GlobalRaces;
class Mbarriers;
class UnfinishedReads;
class Segments;
class SharedRaces;

class BulkCopies { // that write this block's shared memory, or that its threads began to global memory
public:
    BulkCopies(BlockContext&, Recorder&, Report&, Segments&, ClusterOrder&, GlobalRaces&, SharedRaces&, ClusterRaces&,
               UnfinishedReads&, Mbarriers&);
    void reset();

    // Instructions of one thread.
    void start(const Warp&, const Operation&, uint32_t lane);
    void commit(const Warp&, uint32_t lane);
    void wait(const Warp&, uint32_t still_pending, uint32_t lane); // groups
    // Somebody waits for this mbarrier of the block.
    void land_at(uint64_t barrier);
    // The warp exits.
    void abandon(const Warp&);

private:
    BlockContext& block_;
    Recorder& recorder_;
    Report& report_;
    Segments& segments_;
    ClusterOrder& cluster_order_;
    GlobalRaces& global_races_;
    SharedRaces& shared_races_;
    ClusterRaces& cluster_races_;
    UnfinishedReads& unfinished_reads_;
    Mbarriers& mbarriers_;
    std::vector<BulkCopy> pending_;
    std::map<uint32_t, uint32_t> committed_; // groups of each thread

    static uint32_t thread_of(const Warp& w, uint32_t lane) { return w.index * trace::warp_size + lane; }
    const BulkUse& use_of(const BulkCopy&) const;
    BulkCopies& home_of(uint64_t address); // this one, if there is none
    // Fill in where the copy leads and how long it is. False, and a finding: that cannot be.
    bool open_bulk(const Warp&, const Operation&, const BulkUse&, BulkCopy&);
    bool open_store(const Warp&, const Operation&, const BulkUse&, BulkCopy&);
    bool open_tensor_copy(const Warp&, const Operation&, const BulkUse&, BulkCopy&); // tensor_copy.cpp
    bool read_tensor_map(const Warp&, const Operation&, const BulkUse&, const BulkCopy&, uint64_t address,
                         trace::TensorMap&);
    bool send(const Warp&, BulkCopy&, const BulkUse&);
    bool deliver(const Warp&, const BulkCopy&, BulkCopies& home, uint64_t barrier);
    void queue(const BulkCopy&);
    void record(const BulkCopy&);
    template <class F>
    void land_if(F chosen); // chosen(copy)
    void land(const BulkCopy&);
    void note_landed(const Warp&, const BulkCopy&);
    // `home`: whose shared memory it writes, if it does.
    void move_bytes(const Warp&, const BulkCopy&, const BulkUse&, BulkCopies& home);
    void move_box(const Warp&, const BulkCopy&, const BulkUse&, BulkCopies& home); // tensor_copy.cpp
    std::byte* reach(const Warp&, const BulkCopy&, uint64_t address, uint64_t bytes, bool shared, bool writes);
    void check_shared(const BulkCopy&, uint64_t address, Access::Direction);
    static RemoteTouch remote_touch(const BulkCopy&);
};

} // namespace sim
