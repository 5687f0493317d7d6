// One block being executed: its warps, shared and local memory, and the barriers between them. One object serves a
// thread of the engine for all the blocks that it runs.
#pragma once

#include "sim/access.h"
#include "sim/engine.h"
#include "sim/findings.h"
#include "sim/global_shadow.h"
#include "sim/overlay.h"
#include "sim/program.h"
#include "sim/shared_memory.h"
#include "sim/warp.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace sim {

// What the blocks of one run have in common.
struct Run {
    const Program& program;
    const Launch& launch;
    const Options& options;
    const Memory& memory;                 // for names and shapes
    std::vector<Segment> segments;        // of global memory, the file's variables, the parameters
    std::vector<std::byte> variables;     // behind the module window
    std::vector<std::byte> parameters;
    std::atomic<uint64_t> budget;         // warp instructions left
    std::chrono::steady_clock::time_point deadline;
    double seconds = 0;                   // that the run may take
    std::atomic<bool> stop{false};
    std::atomic<int> workers{0}, stuck{0}; // threads that execute blocks; those whose block gets nowhere
    std::mutex wide_atomics;
    GlobalShadow shadow;
    bool too_large = false;               // for the shadow: nothing is watched
    Publications publications;

    Run(const Program&, const Launch&, Memory&, const Options&);
    // The same without changing the memory. For one thread only.
    Run(const Program&, const Launch&, const Memory&, const Options&, std::vector<Overlay>&);

private:
    void add_segments_of_the_launch();
    void start_clock();
    void watch_memory();
};

// Buffers aligned for the lane handlers.
struct AlignedBytes {
    explicit AlignedBytes(size_t bytes);
    std::byte* data() { return data_; }

private:
    std::unique_ptr<std::byte[]> room_;
    std::byte* data_;
};

class Block {
public:
    Block(Run&, trace::Observer*);

    // Executes the block at `index`. With `trace`, records into it.
    void execute(base::Dim3 index, trace::Trace* trace);
    // The same, but stops after so many warp instructions (events of the trace); the state can then be read.
    void execute_until(base::Dim3 index, uint64_t steps);

    trace::Counts counts() const; // of all blocks that it executed: executed, threads, diverged
    Findings& findings() { return findings_; }
    const SharedMemory& shared() const { return shared_; }
    const std::vector<Warp>& warps() const { return warps_; }
    const Program& program() const { return program_; }
    std::unique_lock<std::mutex> one_at_a_time() { return std::unique_lock(run_.wide_atomics); }

    // For the lane handlers, through access.h.
    std::byte* resolve(Warp&, const Operation&, Access&, std::byte** host);
    void report(const Operation&, const Access&, trace::Space);
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
    void no_such_block(const Warp&, const Operation&, uint32_t lanes, uint32_t rank); // of the cluster
    void not_together(const Warp&, const Operation&, uint32_t active); // an instruction of all lanes
    void print(const Warp&, const Operation&, uint32_t active);
    void compute_parts(const Warp&, const Operation&, uint32_t active);
    void lanes_meet(Warp& w, uint32_t lanes) { shared_.lanes_meet(w.index, lanes); }

private:
    enum class Pause : uint8_t { barrier, poll, exited, stopped, turn };
    enum class Pace : uint8_t {
        free,     // to the next pause
        recorded, // the same, noting every instruction for the trace or the steps
        single,   // one instruction, noted likewise: Pause::turn
    };
    Run& run_;
    const Program& program_;
    trace::Observer* observer_;
    trace::Trace* trace_ = nullptr;
    bool stepping_ = false;
    uint64_t steps_left_ = 0;
    trace::Counts counts_;    // diverged only
    struct Executed { // from this operation on: so often, by so many lanes, more than the one before
        uint64_t times = 0, threads = 0;
        uint64_t guarded_off = 0; // lanes of this operation alone
    };
    std::vector<Executed> executed_; // by operation, and one for the end
    Findings findings_;
    SharedMemory shared_;
    SharedView view_;
    std::map<uint64_t, Ordering::Clocks> told_; // by word of shared memory: what who takes it knows of other warps
    std::vector<Pattern> patterns_;        // by Operation::pattern
    uint64_t shapes_ = 0;                  // learnt
    std::vector<SharedRange> shared_ranges_; // by Operation::memory_number
    struct PendingCopy { // of one lane
        const Operation* by;
        uint64_t to;      // in shared memory
        uint32_t group;   // of the warp's commits
        uint8_t lane, bytes;
        uint64_t number;  // of all that the warp began
        std::byte data[16];
    };
    std::vector<std::vector<PendingCopy>> copies_; // [warp], as issued
    std::vector<uint64_t> begun_;                  // [warp]: copies, ever
    Mbarriers mbarriers_;
    std::vector<Products> products_; // [warp]
    std::vector<std::byte> local_;
    AlignedBytes registers_, constants_;
    alignas(64) trace::Addresses addresses_{};
    std::vector<Warp> warps_;
    std::vector<base::Dim3> threads_; // where each lies in the block
    base::Dim3 index_;
    uint64_t bulk_trace_bytes_ = 0; // of trace_->bulk_copies
    uint64_t fuel_ = 0;       // warp instructions until the next look at budget and stop
    uint64_t idle_ = 0;       // warp instructions, at the last such look, since the block got somewhere: Options::idle_budget
    bool stuck_ = false;      // counted in Run::stuck
    bool advanced_ = false;   // since that look
    uint64_t charged_ = 0;    // of the block's instructions, for findings
    // Lanes may wait in a loop for what others write: after so many branches it is the turn of those. The first wait makes
    // the block impatient. Branches, because what is counted must be the same when the block is executed again.
    uint32_t patience_ = 0;
    struct Reached { uint64_t low = ~uint64_t{0}, high = 0; };
    std::vector<Reached> reached_; // of global memory in this block, by Operation::memory_number
    const Segment* last_segment_ = nullptr;
    uint32_t last_access_ = trace::no_access;
    std::vector<uint32_t> assigned_; // [warp][tracked register]: lanes that have written it
    bool unknown_ran_ = false;       // a statement that the engine does not execute was reached in this block
    bool gave_up_ = false;           // lanes of this block were ended by trap or a failed assert

    // block.cpp
    void start(base::Dim3 index);
    void fill_constants();
    void fill_specials(Warp&);
    void run_warps();
    void run_in_order(size_t first);
    void run_shuffled(uint64_t seed);
    uint32_t ready() const;
    template <Pace pace> Pause run_warp(Warp&);
    template <Pace pace> const Operation* run_straight(Warp&, uint32_t& active);
    void note_executed(uint32_t first, uint32_t end, uint32_t lanes);
    uint32_t guarded(const Warp&, const Operation&, uint32_t lanes);
    bool refuel(const Warp&, const Operation&);
    bool all_are_stuck(bool this_one);
    bool endless(const Warp&, const Operation&, std::string why);
    void unsupported(const Warp&, const Operation&, uint32_t active);
    void charge(uint64_t instructions);
    void record(const Warp&, const Operation&, uint32_t active);

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

    // leaving.cpp
    uint32_t leaving(const Warp&) const;
    void note_exit(const Path&, const Operation&);
    bool passed_by(const Operation& barrier) const;
    std::vector<uint32_t> left_after_; // the operations, each once, after which threads of this block exited
    struct NamedBarrier { // who has arrived there without waiting
        uint32_t threads = 0, expected = 0;
        Ordering::Clocks clocks{};
    };
    std::array<NamedBarrier, 16> barriers_;
    void open(int barrier);
    bool opened_ = false; // since run_shuffled looked last

    // access.cpp
    std::byte* resolve_global(Warp&, const Operation&, Access&, std::byte** host);
    std::byte* resolve_shared(Warp&, const Operation&, Access&, std::byte** host);
    std::byte* resolve_local(Warp&, const Operation&, Access&, std::byte** host);
    std::byte* resolve_generic(Warp&, const Operation&, Access&, std::byte** host);
    void check_alignment(const Warp&, const Operation&, const Access&, Space);
    const Segment* segment(uint64_t low, uint64_t end);
    void advance(const Operation&, uint64_t low, uint64_t high);
    std::byte* host_of(const Segment&, uint64_t address, uint64_t bytes, bool writes);
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
        bool wrote = false;   // the earlier one
        uint64_t at = 0;      // of the lowest lane
        uint32_t lanes = 0, lanes_before = 0;
    };
    void touch_shared(const Warp&, const Operation&, const Access&, uint32_t lanes);
    void look_for_races(const Warp&, const Operation&, const Access&, int lane);
    void note_touch(const Warp&, const Operation&, const Access&, int lane);
    bool races(Touch before, const Warp&, const Operation&, int lane, uint32_t mask) const;
    void note_conflict(Touch before, bool wrote, int lane, uint64_t at);
    std::vector<Conflict> conflicts_; // of the access being looked at
    void check_overlaps(const Warp&, const Operation&, const Access&, uint32_t lanes, Space);
    // What the lane's store writes, all elements. False: it is not known.
    static bool stored_bytes(const Warp&, const Operation&, int lane, std::byte (&bytes)[64]);

    // global_races.cpp: between blocks
    struct GlobalConflict {
        GlobalTouch before;
        bool wrote = false;
        uint64_t at = 0;
        uint32_t lanes = 0, lanes_before = 0;
    };
    void watch(const Warp&, const Operation&, const Access&, uint32_t lanes, const Segment&);
    // `stored`: the bytes of the word that are written, if they are known.
    void watch_word(const Warp&, const Operation&, bool writes, int lane, uint64_t address, uint32_t mask, const std::byte* stored, ShadowPage&, uint64_t word);
    bool global_races(GlobalTouch before, bool wrote, const Operation&, uint32_t mask, bool writes);
    void take_awaited();
    void synchronise_global(const Warp&, const Operation&, const Access&, uint32_t lanes);
    void synchronise_shared(const Warp&, const Operation&, const Access&, uint32_t lanes);
    std::vector<GlobalConflict> global_conflicts_;
    uint64_t number_ = 0;           // of this block in the grid
    uint32_t published_ = 0;        // so often
    Publications::Taken taken_;
    std::vector<uint64_t> awaited_; // words of the last strong access, which are not taken yet

    // tracking.cpp
    uint32_t* assigned(const Warp& w) { return assigned_.data() + w.index * program_.tracked_registers.size(); }
    void track_guard(const Warp&, const Operation&, uint32_t lanes);
    void use(const Warp&, const Operation&, int64_t reg, uint32_t lanes);

    // async.cpp
    template <class F> void land_if(const Warp&, F chosen); // chosen(copy)
    void land(const Warp&, uint32_t group);
    void land_begun(const Warp&, uint64_t copies);
    void abandon_copies(const Warp&);

    // mbarrier.cpp
    uint64_t shared_offset(const Warp&, const Operation&, RowAt at, uint8_t bytes, int64_t offset, uint32_t lane) const;
    void check_mbarriers(const Warp&, const Operation&, const Access&, uint32_t lanes);
    void misuse(const Warp&, const Operation&, uint32_t lane, uint64_t at, const char* what);
    Mbarrier* mbarrier(const Warp&, const Operation&, uint32_t lane, uint64_t at); // nullptr, and a finding: there is none
    void initialise_mbarrier(const Warp&, const Operation&, uint32_t lane, uint64_t at, uint32_t count);
    void after_arrival(const Warp&, const Operation&, uint32_t lane, uint64_t at, Mbarrier&);
    void settle(uint64_t at);
    void wait_for_others(Warp&, const Operation&, uint32_t lanes);

    // bulk_copy.cpp
    bool open_bulk(const Warp&, const Operation&, const BulkUse&, BulkCopy&);
    std::byte* reach_bulk(const Warp&, const BulkCopy&, uint64_t address, uint64_t bytes, bool shared,
                          bool writes);
    void touch_bulk(const BulkCopy&, uint64_t address, Access::Direction);
    void report_bulk(const BulkCopy&);
    void land_one(const BulkCopy&);
    void move_bytes(const Warp&, const BulkCopy&, const BulkUse&);
    template <class F> void land_bulk(F chosen) { // chosen(copy)
        auto& copies = mbarriers_.copies;
        const auto later = std::stable_partition(copies.begin(), copies.end(), [&](const BulkCopy& c) { return !chosen(c); });
        const std::vector<BulkCopy> now(later, copies.end());
        copies.erase(later, copies.end());
        for (const BulkCopy& c : now) land_one(c);
    }
    void abandon_bulk_copies(const Warp&);

    // tensor_copy.cpp
    bool open_tensor_copy(const Warp&, const Operation&, const BulkUse&, BulkCopy&);
    bool read_tensor_map(const Warp&, const Operation&, const BulkUse&, const BulkCopy&, uint64_t address,
                         trace::TensorMap&);
    void move_box(const Warp&, const BulkCopy&, const BulkUse&);

    // warpgroup.cpp
    Products& products_of(const Warp& w) { return products_[w.index]; }
    void finish_products(Warp&, size_t count);
    void finish_product(Warp&, PendingProduct&);
    bool read_operand(const Warp&, const Operation&, uint32_t bytes, ProductOperand&); // bytes: of an element
    void check_unchanged(const Warp&, const Operation&, uint32_t bytes, const ProductOperand&);
    void abandon_products(const Warp&);

    // system_calls.cpp
    template <class T> T argument(const Warp&, uint32_t slot, uint32_t lane) const;
    std::string text_at(uint64_t address);
    void give_up(const Warp&, const Operation&, uint32_t active);

    // report.cpp: wording
    trace::Finding about(trace::FindingKind, const Warp&, const Operation&, uint32_t lanes, std::string text) const;
    FindingKey key(trace::FindingKind, const Operation&, int64_t other) const;
    // Whether there is a finding like this already; it is counted then.
    bool known(trace::FindingKind kind, const Operation& op, int64_t other = -1);
    void finding(trace::FindingKind, const Warp&, const Operation&, uint32_t lanes, std::string text, int64_t other = -1,
                 trace::Severity = trace::Severity::error);
    void misaligned(const Warp&, const Operation&, const Access&, uint32_t lanes, Space);
    void out_of_bounds(const Warp&, const Operation&, const Access&, uint32_t lanes, Space);
    void beyond_array(const Warp&, const Operation&, const Access&, uint32_t lanes);
    void race(const Warp&, const Operation&, const Access&, const Conflict&);
    void global_race(const Warp&, const Operation&, const GlobalConflict&);
    void overlap(const Warp&, const Operation&, uint32_t lanes, Space, uint64_t at);
    std::string place_text(uint32_t pc) const;
    std::string statement(uint32_t pc) const; // as listed, without its semicolon
    trace::Finding::Other other_access(uint32_t pc, base::Dim3 block, uint32_t warp, uint32_t lanes) const;
    std::string memory_name(Space, const Operation&, uint64_t at) const;
    std::string global_name(uint64_t address) const;
    std::string shared_name(const Operation&, uint64_t offset) const;
    std::string beyond_shared(const Operation&, uint64_t offset) const;
    std::string element_of(const Operation&, size_t array, uint64_t offset) const;
    int64_t shared_number(uint64_t offset) const; // of Program::shared_variables; -1: none
};

} // namespace sim
