// One block being executed: the owner of its parts, and the loop that executes its warps in turns. Its cluster (cluster.h) says
// when it runs.
#pragma once

#include "sim/checks/cluster_order.h"
#include "sim/checks/cluster_races.h"
#include "sim/checks/global_races.h"
#include "sim/checks/grid_order.h"
#include "sim/checks/product_reads.h"
#include "sim/checks/report.h"
#include "sim/checks/shared_races.h"
#include "sim/checks/unassigned_registers.h"
#include "sim/checks/unfinished_reads.h"
#include "sim/checks/unwritten_reads.h"
#include "sim/run/address_spaces.h"
#include "sim/run/barriers.h"
#include "sim/run/block_context.h"
#include "sim/run/bulk_copies.h"
#include "sim/run/cluster_barrier.h"
#include "sim/run/control.h"
#include "sim/run/copies.h"
#include "sim/run/fuel.h"
#include "sim/run/mbarriers.h"
#include "sim/run/path_notes.h"
#include "sim/run/products.h"
#include "sim/run/recorder.h"
#include "sim/run/register_files.h"
#include "sim/run/register_pool.h"
#include "sim/run/segments.h"
#include "sim/run/shared_space.h"
#include "sim/run/system_calls.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace sim {

// The parts call each other directly; the constructor says which part calls which. What handlers of operations do beyond their lanes
// they ask of the part that it concerns: w.block->copies.start(w, op, active).
class Block {
public:
    BlockContext context;
    Fuel fuel;
    Recorder recorder;
    Report report;
    RegisterFiles registers;
    // What happened before what.
    GridOrder grid_order;
    ClusterOrder cluster_order;
    // What is wrong with it.
    UnassignedRegisters unassigned_registers;
    UnwrittenReads unwritten_reads;
    SharedRaces shared_races;
    ClusterRaces cluster_races;
    GlobalRaces global_races;
    ProductReads product_reads;
    UnfinishedReads unfinished_reads;
    // Memory.
    Segments segments;
    SharedSpace shared_space;
    AddressSpaces spaces;
    // What is under way.
    Copies copies;
    BulkCopies bulk_copies;
    Mbarriers mbarriers;
    Products products;
    // Where lanes go, and wait for each other.
    Control control;
    Barriers barriers;
    ClusterBarrier cluster_barrier;
    RegisterPool register_pool;
    SystemCalls system_calls;
    PathNotes path_notes;

    Block(Run&, trace::Observer*, Cluster&, uint32_t rank);
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;
    static uint64_t bytes(const Program&, const Launch&); // of this machine's memory, that one takes

    enum class Turn : uint8_t {
        waits,   // every warp waits at a barrier or has ended
        spins,   // those that do not wait only look whether others have done something
        stopped, // the run is over, or the steps are
    };
    // Makes the block at `index` ready. With `trace`, records into it; with `steps`, stops after so many warp instructions
    // (events of the trace).
    void start(base::Dim3 index, trace::Trace* trace, std::optional<uint64_t> steps = {});
    // Executes it until the other blocks of the cluster are to go on, or `turns` of its warps, if they are shuffled, are over.
    Turn go_on(uint64_t turns);
    bool able() const { return ready() != 0; } // some warp can go on
    void finish();

private:
    enum class Pause : uint8_t { barrier, poll, exited, stopped, turn };
    enum class Pace : uint8_t {
        free,     // to the next pause
        recorded, // the same, noting every instruction for the trace or the steps
        single,   // one instruction, noted likewise: Pause::turn
    };
    alignas(64) trace::Addresses addresses_{};
    std::vector<Pattern> patterns_; // by Operation::pattern
    std::vector<Path> paths_;       // most_paths of each warp
    // Lanes may wait in a loop for what others write: after so many branches it is the turn of those. The first wait makes
    // the block impatient. Branches, because what is counted must be the same when the block is executed again.
    uint32_t patience_ = 0;
    uint64_t turns_ = 0; // of run_shuffled

    void reset_parts();
    void start_warp(Warp&, size_t number);
    Turn run_in_order(size_t first);
    Turn run_shuffled(uint64_t seed, uint64_t turns);
    uint32_t ready() const;
    template <Pace pace>
    Pause run_warp(Warp&);
    template <Pace pace>
    const Operation* run_straight(Warp&, uint32_t& active);
    uint32_t guarded(const Warp&, const Operation&, uint32_t lanes);
    bool refuel(const Warp&, const Operation&);
    void unsupported(const Warp&, const Operation&, uint32_t active);
    bool exit_lanes(Warp&, uint32_t active); // true: the warp is done
};

} // namespace sim
