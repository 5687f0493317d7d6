// One block being executed: its warps, shared and local memory, and the barriers between them. Its cluster (cluster.h)
// says when it runs.
#pragma once

#include "sim/access.h"
#include "sim/block_context.h"
#include "sim/cluster_order.h"
#include "sim/fuel.h"
#include "sim/global_races.h"
#include "sim/grid_order.h"
#include "sim/path_condition.h"
#include "sim/recorder.h"
#include "sim/register_files.h"
#include "sim/remote_shadow.h"
#include "sim/report.h"
#include "sim/segments.h"
#include "sim/stores.h"

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <optional>
#include <vector>

namespace sim {

class Block {
public:
    BlockContext context;
    Fuel fuel;
    Recorder recorder;
    RegisterFiles registers;
    Report report;
    Segments segments;
    GridOrder grid_order;
    ClusterOrder cluster_order;
    GlobalRaces global_races;

    Block(Run&, trace::Observer*, Cluster&, uint32_t rank);
    static uint64_t bytes(const Program&, const Launch&); // of this machine's memory, that one takes

    enum class Turn : uint8_t {
        waits,   // every warp waits at a barrier or has ended
        spins,   // those that do not wait only look whether others have done something
        stopped, // the run is over, or the steps are
    };
    // Makes the block at `index` ready. With `trace`, records into it; with `steps`, stops after so many warp instructions
    // (events of the trace).
    void start(base::Dim3 index, trace::Trace* trace, std::optional<uint64_t> steps = {});
    Turn
    go_on(uint64_t
              turns); // until the other blocks of the cluster are to go on; `turns`: of its warps, if they are shuffled
    // Opens a barrier that some warps will never reach, and reports it as a finding. False: no warp waits at a barrier.
    bool open_incomplete() { return release(true); }
    void finish();
    bool able() const { return ready() != 0; } // some warp can go on
    bool ended() const { return ended_; }

    // The barrier of the cluster.
    bool all_arrived() const;
    void look_for_absent();
    ClusterClock all_told(); // by its warps that arrived
    void pass_cluster_barrier(const ClusterClock& arrived);

    const SharedMemory& shared() const { return shared_; }
    const std::vector<Warp>& warps() const { return warps_; }
    const Program& program() const { return program_; }
    PathCondition path_condition(); // of the block that has ended
    std::unique_lock<std::mutex> one_at_a_time() { return std::unique_lock(run_.wide_atomics); }

    // For the lane handlers, through access.h.
    std::byte* resolve(Warp&, const Operation&, Access&, std::byte** host);
    void track(Warp&, const Operation&, uint32_t active);
    void enter_reads() { shared_.enter_reads(); }
    void start_copy(Warp&, const Operation&, uint32_t active);
    void report_source(const Operation&, const trace::Addresses& from, uint32_t reading);
    void commit_copies(Warp&);
    void wait_copies(Warp&, const Operation&);
    void use_mbarrier(const Warp&, const Operation&, uint32_t lane);
    void poll_mbarrier(Warp&, const Operation&, uint32_t active);
    void arrive_after_copies(const Warp&, const Operation&, uint32_t active);
    void start_bulk_copy(const Warp&, const Operation&, uint32_t lane);
    void commit_bulk_copies(const Warp&, uint32_t lane);
    void wait_bulk_copies(const Warp&, uint32_t pending, uint32_t lane);
    void begin_product(Warp&, const Operation&, uint32_t active);
    void commit_products(const Warp& w) { ++products_of(w).committed; }
    void wait_products(Warp&, uint32_t still_pending); // groups
    void guard_accumulators(Warp&, const Operation&, uint32_t active);
    void map_address(const Warp&, const Operation&, uint32_t active);
    void find_rank(const Warp&, const Operation&, uint32_t active);
    void find_space(const Warp&, const Operation&, uint32_t active);
    void print(const Warp&, const Operation&, uint32_t active);
    void compute_parts(const Warp&, const Operation&, uint32_t active);
    void lanes_meet(const Warp&, const Operation&, uint32_t lanes, uint32_t named);
    void fence(Warp&);
    void note_form(Warp&, const Operation&, uint32_t active);
    void watch_reads(Warp&, const Operation&, uint32_t active);

private:
    enum class Pause : uint8_t { barrier, poll, exited, stopped, turn };
    enum class Pace : uint8_t {
        free,     // to the next pause
        recorded, // the same, noting every instruction for the trace or the steps
        single,   // one instruction, noted likewise: Pause::turn
    };
    // Until all parts are out:
    Run& run_ = context.run;
    const Program& program_ = context.program;
    Cluster& cluster_ = context.cluster;
    const uint32_t rank_ = context.rank;
    base::Dim3& index_ = context.index;
    uint64_t& number_ = context.number;
    std::vector<Warp>& warps_ = context.warps;
    SharedMemory& shared_ = context.shared;
    bool& ended_ = context.ended;
    SharedView view_;
    std::map<uint64_t, VectorClock> told_; // by word of shared memory: what who takes it knows of other warps
    std::vector<Pattern> patterns_;             // by Operation::pattern
    std::vector<SharedRange> shared_ranges_;    // by Operation::memory_number
    struct PendingCopies {                      // of one operation; `to` and `data` of its lanes
        const Operation* by = nullptr;
        uint64_t number = 0;                               // of all operations that the warp began
        uint32_t group = 0;                                // of the warp's commits
        uint32_t lanes = 0, bytes = 0;                     // bytes: of a lane, 4, 8 or 16
        std::array<uint32_t, trace::warp_size> to;         // in shared memory
        std::array<std::byte, 16 * trace::warp_size> data; // of lane n from n * bytes on
        PendingCopies() {}                                 // what is filled in need not be zeros before
        const std::byte* of(size_t lane) const { return data.data() + lane * bytes; }
        std::byte* of(size_t lane) { return data.data() + lane * bytes; }
    };
    std::vector<std::vector<PendingCopies>> copies_; // [warp], as issued
    std::vector<uint64_t> begun_;                    // [warp]: operations, ever
    bool copies_overlap_ = false;                    // some were begun to where others were under way
    Mbarriers mbarriers_;
    std::vector<Products> products_; // [warp]
    std::vector<std::byte> local_;
    alignas(64) trace::Addresses addresses_{};
    std::vector<Path> paths_; // most_paths of each warp
    // Lanes may wait in a loop for what others write: after so many branches it is the turn of those. The first wait makes
    // the block impatient. Branches, because what is counted must be the same when the block is executed again.
    uint32_t patience_ = 0;
    std::vector<uint32_t> assigned_; // [warp][tracked register]: lanes that have written it
    bool unknown_ran_ = false;       // a statement that the engine does not execute was reached in this block

    // block.cpp
    void forget();
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

    // control.cpp: lanes that part and meet, barriers
    void branch(Warp&, const Operation&, uint32_t taken, uint32_t active);
    void multiway(Warp&, const Operation&, uint32_t active);
    bool exit_lanes(Warp&, uint32_t active); // true: the warp is done
    void turn_to_other_lanes(Warp&);
    void arrive(Warp&, const Operation&, uint32_t active);
    bool release(bool everyone_paused);
    bool release_barrier(int barrier, bool everyone_paused);
    void reduce_at_barrier(int barrier);
    uint32_t number_of(const Operation& op) const { return static_cast<uint32_t>(&op - program_.operations.data()); }

    // path_condition.cpp
    void note_box(const Warp&, const Operation&, int lane, Noted&);
    std::vector<Noted> noted_; // by Run::forms' watches

    // leaving.cpp
    uint32_t leaving(const Warp&) const;
    void note_exit(const Path&, const Operation&);
    bool passed_by(const Operation& barrier) const;
    std::vector<uint32_t> left_after_; // the operations, each once, after which threads of this block exited
    struct NamedBarrier {              // who has arrived there without waiting
        uint32_t threads = 0, expected = 0;
        VectorClock clocks{};
    };
    static constexpr int named_barriers = 16, cluster_barrier = 16; // the latter of Warp::waiting only
    std::array<NamedBarrier, named_barriers> barriers_;
    void open(int barrier);
    bool opened_ = false; // since run_shuffled looked last
    uint64_t turns_ = 0;  // of run_shuffled

    // cluster.cpp: its barrier
    bool meet_cluster(Warp&, const Operation&, uint32_t active); // true: it waits, or did
    void arrive_at_cluster(Warp&, const Operation&, uint32_t active);
    void wait_for_cluster(Warp&, const Operation&, uint32_t active);
    void leave_cluster_barrier(const Warp&, uint32_t lanes);
    bool went_around(const Operation& wait) const;
    struct ClusterArrivals {
        VectorClock arriving{}, known{}; // of the block's warps: of this phase, and of those before it
        uint32_t epoch = 0;                   // in which the last one arrived
        ClusterClock blocks{};                      // in which each block's last one had arrived, in the phases before
    };
    ClusterArrivals arrivals_;

    // distributed.cpp: shared memory of the other blocks of the cluster
    std::byte* resolve_distributed(Warp&, const Operation&, Access&, std::byte** host);
    bool is_distributed(const Access&) const;
    void reach_own(const Warp&, const Operation&, const Access&, uint32_t lanes, std::byte** host);
    void reach_remote(const Warp&, const Operation&, const Access&, uint32_t lanes, Block& home, std::byte** host);
    uint32_t rank_of(uint64_t shared_address) const; // of the block that it leads to; beyond the cluster: there is none
    void touch_remote(const Warp&, const Operation&, const Access&, uint32_t lanes, Block& home);
    std::byte* resolve_in_one_block(const Warp&, const Operation&, const Access&);
    bool log_remote_reads(const Warp&, const Operation&, const Access&, Block& home) const;
    void enter_remote_reads();
    void compare_reads_with_own(const RemoteReads&, bool knows);
    void note_remote(const RemoteTouch&, bool writes, uint64_t word);
    void compare_with_own(const RemoteTouch&, bool wrote, uint64_t word);
    void settle_remote(bool ended);
    void learn(const ClusterClock&);
    void synchronise_cluster(const Warp&, const Operation&, const Access&, uint32_t lanes, Block& home);
    RemoteShadow remote_; // what other blocks did to this one's memory, as long as this one does not know it
    std::map<uint64_t, ClusterClock> told_to_cluster_; // by word of shared memory, as told_
    struct ClusterConflict {
        const Operation* by; // that of the first side, for names
        struct Side {
            uint32_t pc, rank, warp, lanes;
            bool writes;
        } one, two;
        uint64_t at; // in this block's shared memory
    };
    std::vector<ClusterConflict> cluster_conflicts_;
    void note_cluster_conflict(const ClusterConflict&);
    void report_cluster_conflicts();

    // access.cpp
    std::byte* resolve_global(Warp&, const Operation&, Access&, std::byte** host);
    std::byte* resolve_shared(Warp&, const Operation&, Access&, std::byte** host);
    std::byte* reach_shared(const Warp&, const Operation&, const Access&, std::byte** host); // the own
    std::byte* resolve_local(Warp&, const Operation&, Access&, std::byte** host);
    std::byte* resolve_generic(Warp&, const Operation&, Access&, std::byte** host);
    void check_alignment(const Warp&, const Operation&, const Access&, Space);
    void set_shared_ranges();
    void check_written(const Warp&, const Operation&, const Access&, uint32_t lanes);
    struct UnwrittenRead { // of shared memory, until the next barrier of all warps
        FindingKey key;
        trace::Finding finding;
        uint64_t at = 0;
        bool raced = false; // another warp has written there meanwhile: it was a race, which is told
    };
    std::vector<UnwrittenRead> unwritten_reads_;
    void settle_unwritten_reads();

    // races.cpp: in shared memory, and between the lanes of one store
    struct Conflict { // of one access with an earlier one of another thread
        Touch before = 0;
        bool wrote = false; // the earlier one
        uint64_t at = 0;    // of the lowest lane
        uint32_t lanes = 0, lanes_before = 0;
    };
    void touch_shared(const Warp&, const Operation&, const Access&, uint32_t lanes);
    bool touch_lanes(const Warp&, const Operation&, const Access&, uint32_t lanes);
    void look_for_races(const Warp&, const Operation&, const Access&, int lane);
    void note_touch(const Warp&, const Operation&, const Access&, int lane);
    bool races(Touch before, const Warp&, const Operation&, int lane, uint32_t mask) const;
    void note_conflict(Touch before, bool wrote, int lane, uint64_t at);
    std::vector<Conflict> conflicts_; // of the access being looked at
    void synchronise_shared(const Warp&, const Operation&, const Access&, uint32_t lanes);

    // tracking.cpp
    uint32_t* assigned(const Warp& w) { return assigned_.data() + w.index * program_.tracked_registers.size(); }
    void track_guard(const Warp&, const Operation&, uint32_t lanes);
    void use(const Warp&, const Operation&, int64_t reg, uint32_t lanes);

    // async.cpp
    Access copy_target(Warp&, const Operation&, uint32_t active);
    static std::array<uint32_t, trace::warp_size> copied_bytes(const Warp&, const Operation&, uint32_t active);
    void set_pending(const Access& target, uint32_t lanes);
    uint32_t read_sources(const Warp&, trace::Addresses& from, const std::array<uint32_t, trace::warp_size>& size,
                          PendingCopies&);
    void land_copies(const Warp&, const PendingCopies&);
    template <class F>
    void land_if(const Warp&, F chosen, std::optional<uint32_t> epoch); // chosen(copy)
    void land(const Warp&, uint32_t group);
    void land_begun(const Warp&, uint64_t copies, uint32_t epoch);
    void abandon_copies(const Warp&);
    void abandon_copies(const Warp&, uint64_t first, base::Phrase what);
    uint32_t copied_over(const Warp&, const Operation&, const Access&, uint32_t lanes) const;

    // mbarrier.cpp
    uint64_t shared_address(const Warp&, const Operation&, RowAt at, uint8_t bytes, int64_t offset,
                            uint32_t lane) const; // may be another block's
    static uint64_t shared_address(const Operation&, uint64_t in_register, uint8_t bytes, int64_t offset);
    // Where the address leads in this block's shared memory; as it is, beyond all of it, if it leads to another block's.
    uint64_t own_offset(uint64_t shared_address) const {
        return rank_of(shared_address) == rank_ ? offset_of(shared_address) : shared_address;
    }
    uint64_t shared_offset(const Warp& w, const Operation& op, RowAt at, uint8_t bytes, int64_t offset,
                           uint32_t lane) const {
        return own_offset(shared_address(w, op, at, bytes, offset, lane));
    }
    Block& home_of(uint64_t shared_address); // this one, if there is none
    void check_mbarriers(const Warp&, const Operation&, const Access&, uint32_t lanes, Block& home);
    void misuse(const Warp&, const Operation&, uint32_t lane, uint64_t at, const base::Sentence& what);
    // `address` may be another block's. nullptr, and a finding: there is none.
    Mbarrier* mbarrier(const Warp&, const Operation&, uint32_t lane, uint64_t address);
    void initialise_mbarrier(const Warp&, const Operation&, uint32_t lane, uint64_t at, uint32_t count);
    void after_arrival(const Warp&, const Operation&, uint32_t lane, uint64_t address, Mbarrier&,
                       const VectorClock&);
    void end_phase(const Warp&, const Operation&, uint32_t lane, uint64_t address, Mbarrier&); // if nothing is missing
    void reach_out(const Warp&, const Operation&, uint32_t lane, uint64_t address);
    void settle(uint64_t at);
    void wait_for_others(Warp&, const Operation&, uint32_t lanes);

    // bulk_copy.cpp
    bool open_bulk(const Warp&, const Operation&, const BulkUse&, BulkCopy&);
    bool open_store(const Warp&, const Operation&, const BulkUse&, BulkCopy&);
    bool send(const Warp&, const BulkCopy&, const BulkUse&);
    bool deliver(const Warp&, BulkCopy, Block& home, uint64_t barrier);
    void queue(const BulkCopy&);
    static RemoteTouch remote_touch(const BulkCopy&);
    void note_landed(const Warp&, const BulkCopy&);
    std::byte* reach_bulk(const Warp&, const BulkCopy&, uint64_t address, uint64_t bytes, bool shared, bool writes);
    void touch_bulk(const BulkCopy&, uint64_t address, Access::Direction);
    void report_bulk(const BulkCopy&);
    void land_one(const BulkCopy&);
    void move_bytes(const Warp&, const BulkCopy&, const BulkUse&, Block& home);
    template <class F>
    void land_bulk(F chosen) { // chosen(copy)
        auto& copies = mbarriers_.copies;
        if (std::none_of(copies.begin(), copies.end(), chosen)) return;
        const auto later =
            std::stable_partition(copies.begin(), copies.end(), [&](const BulkCopy& c) { return !chosen(c); });
        const std::vector<BulkCopy> now(later, copies.end());
        copies.erase(later, copies.end());
        for (const BulkCopy& c : now) land_one(c);
    }
    void abandon_bulk_copies(const Warp&);

    // unfinished_reads.cpp
    struct Read { // by one operation of a warp, the last one
        const Operation* by = nullptr;
        uint64_t number = 0;           // of this operation's
        uint32_t lanes = 0, bytes = 0; // of a lane
        bool under_way = false, unused = false;
        std::array<std::byte, trace::warp_size * sizeof(uint64_t)> address{}; // as the registers hold them
    };
    struct ToldRead { // that others were told of while it was under way
        Read read;
        const Operation* by = nullptr;                          // by which they were told first
        uint32_t from = 0, until = 0;                           // epochs in which they were; 0: nobody was
        uint32_t fenced_by = 0;                                 // warps that had been told
        const Operation* copy = nullptr;                        // that overwrites it
        uint32_t overwritten = 0, copy_warp = 0, copy_lane = 0; // overwritten: lanes
    };
    struct HeldRead { // whose value a register holds: the read, and which of its executions
        uint32_t read = Watched::none;
        uint64_t number = 0;
    };
    uint64_t begin_read(const Warp&, const Operation&, const Watched&, uint32_t lanes); // which execution it is
    void fence_reads(const Warp&);
    void use_read(const Warp&, const HeldRead&);
    ToldRead* told(const Warp&, const Read&);
    ToldRead& tell_read(const Warp&, const Read&, const Operation& by);
    void tell_reads(const Warp&, const Operation&, uint32_t epoch);
    void overtake_reads(const BulkCopy&);
    uint64_t read_at(const Read&, uint32_t lane) const;
    uint32_t overlap(const Read&, const BulkCopy&) const;
    Read& read_of(const Warp& w, uint32_t number) { return reads_[w.index * program_.watched_reads + number]; }
    std::vector<Read> reads_;                      // [warp][number]
    std::vector<HeldRead> held_reads_;             // [warp][watched register]
    std::vector<std::deque<ToldRead>> told_reads_; // [warp]

    // tensor_copy.cpp
    bool open_tensor_copy(const Warp&, const Operation&, const BulkUse&, BulkCopy&);
    bool read_tensor_map(const Warp&, const Operation&, const BulkUse&, const BulkCopy&, uint64_t address,
                         trace::TensorMap&);
    void move_box(const Warp&, const BulkCopy&, const BulkUse&, Block& home);

    // warpgroup.cpp
    Products& products_of(const Warp& w) { return products_[w.index]; }
    void finish_products(Warp&, size_t count);
    void finish_product(Warp&, PendingProduct&);
    bool read_operand(const Warp&, const Operation&, uint32_t bytes, ProductOperand&); // bytes: of an element
    void check_unchanged(const Warp&, const Operation&, uint32_t bytes, const ProductOperand&);
    void abandon_products(const Warp&);

    // system_calls.cpp
    template <class T>
    T argument(const Warp&, uint32_t slot, uint32_t lane) const;
    std::string text_at(uint64_t address);
    void give_up(const Warp&, const Operation&, uint32_t active);

    void race(const Warp&, const Operation&, const Access&, const Conflict&);
    void cluster_race(const ClusterConflict&);
    void outlived(const RemoteTouch&, bool wrote, uint64_t at); // of what another block did to this one's shared memory
    void never_written(const RemoteTouch&, uint64_t at);
    void overtaken(const Warp&, const ToldRead&);
    void copy_not_waited_for(const Warp&, const Operation&, const Access&, uint32_t lanes);
    void needs_cluster_space(const Warp&, const Operation&, uint32_t lanes, uint64_t at);
};

} // namespace sim
