// What the lane handlers see of a running block. Plain data; the functions that are not per lane are in block.h and
// access.h.
#pragma once

#include "sim/program/operation.h"
#include "trace/observer.h"

#include <cstddef>
#include <cstdint>

namespace sim {

class Block;
class Overlay;

// Addresses as the kernel sees them. Global buffers lie below (memory.h).
constexpr uint64_t module_window = uint64_t{1} << 52; // .global and .const variables of the PTX file
constexpr uint64_t parameter_window = uint64_t{2} << 52;
constexpr uint64_t shared_window = uint64_t{3} << 52; // generic addresses of shared memory
constexpr uint64_t local_window = uint64_t{4} << 52;
constexpr uint64_t code_window = uint64_t{5} << 52; // of functions; nothing can be loaded there
constexpr uint64_t window_bytes = uint64_t{1} << 32;
// Shared memory of a block of the cluster: its rank + 1 stands above the offset. Without it an address leads to the own block.
constexpr uint64_t rank_unit = uint64_t{1} << 24, rank_bits = window_bytes - rank_unit;
constexpr uint32_t no_rank = 253; // in addresses of blocks that the cluster lacks
constexpr uint64_t cluster_part(uint32_t rank) { return (rank + 1) * rank_unit; }
constexpr uint64_t offset_of(uint64_t shared_address) { return shared_address % rank_unit; }

struct Segment { // memory at consecutive addresses
    uint64_t first = 0, bytes = 0;
    std::byte* data = nullptr;
    bool writable = true;
    Overlay* overlay = nullptr; // where the memory must stay as it is; `data` is not used then
    int watched = -1;           // its number in GlobalShadow; -1: it is not watched

    bool holds(uint64_t low, uint64_t end) const { return low >= first && end <= first + bytes && low <= end; }
};

// The shape of an operation's last access: lane addresses relative to the first active lane's. Most accesses of an
// operation differ from the one before by a translation only, so what follows from the shape is kept. Operations that take
// the same addresses, each with an offset of its own, share one (Operation::pattern).
struct Pattern {
    alignas(64) trace::Addresses offset{}; // of inactive lanes: 0
    alignas(64) int32_t word[32] = {};     // the same from the lowest address on, in words; if `near`
    uint64_t first = 0; // where the first active lane's was last, for the first operation that has this pattern,
    uint32_t warp = 0;  // of this warp
    uint64_t shape = 0; // unique among the shapes of a run's thread; 0: nothing known yet
    uint32_t active = 0, bytes = 0; // bytes: of a lane
    uint64_t below = 0, above = 0;  // distance of the lowest and the highest address from the first lane's
    uint64_t ones = 0;              // all offsets' bits, for alignment
    bool contiguous = false;        // lane n is n times the element's size above the lowest
    bool near = false;              // whole words, less than 4 GB apart
    bool repeats = false;           // lanes 16 to 31 lie where lanes 0 to 15 do
    // If `near`, for the lanes of each vector register of this processor, up to four of them: their lowest
    // word, from the lowest of all on, and how many words there are from it to their highest one. If all of
    // them find room in a register, `parts` says how many there are, and `pick` says where in it each lane
    // finds its own; else it is 0.
    alignas(64) int32_t pick[32] = {};
    uint32_t part_first[4] = {}, part_words[4] = {};
    uint32_t parts = 0;
    uint64_t reach = 0; // bytes from the lowest lane's first to the highest lane's last
    bool whole = false; // all 32 lanes, `near`, and every lane aligned to its own size where the lowest one is
    // Once find_runs() was asked for them; 0: it was not.
    uint32_t runs = 0;         // the bytes touched, each once, as stretches; `at` relative to the lowest address
    bool overlaps = false;     // several lanes touch the same bytes
    uint64_t logged = 0;       // ReadLog::generation in which they stand in the log, last,
    uint32_t logged_first = 0; // from here on,
    uint32_t logged_runs = 0;  // so many; 0: in ReadLog::lanes instead
    struct Run {
        uint32_t at, bytes, lane;
    } run[32]; // `lane` and those after it, in order
};
// Pattern::runs and overlaps, if they are not known yet.
void find_new_runs(Pattern&);
inline void find_runs(Pattern& p) {
    if (p.runs == 0) find_new_runs(p);
}

// Where an operation may access shared memory.
struct SharedRange {
    uint64_t first = 0, end = 0;
};

// Who touched a word of shared memory, and when: epoch (BlockOrder; 27 bits), warp (5), lane (5), which of the word's bytes (4),
// pc (23). 0: nobody.
using Touch = uint64_t;
constexpr int touch_epoch_at = 37, touch_warp_at = 32, touch_lane_at = 27, touch_mask_at = 23;
constexpr uint32_t most_pcs = 1u << touch_mask_at;
constexpr size_t trace_warps = 32; // of a block, at most

// Reads of shared memory since the last barrier, as long as nothing was written since: nothing can race with them yet,
// so they are only put down here. The first write enters them into the words' touches; a barrier forgets them.
struct ReadLog {
    struct Entry {
        Touch by;
        uint32_t low;
        uint32_t first;      // of `run`; several entries may share them
        uint16_t runs, each; // bytes of a lane; no runs: `first` is of `lanes`
    };
    struct Lanes {
        static constexpr uint32_t none = ~uint32_t{0}; // an inactive lane
        uint32_t at[32];                               // from the lowest address on
    };
    static constexpr uint32_t most_entries = 8192, most_runs = 8192, most_shapes = 1024; // then they are entered, too
    Entry* entry = nullptr;
    Pattern::Run* run = nullptr;
    Lanes* lanes = nullptr;
    uint32_t entries = 0, runs = 0, shapes = 0;
    uint64_t generation = 1; // counts how often the log was emptied, for Pattern
    bool quiet = false;      // nothing was written since the barrier
    bool complete = false;   // every byte of shared memory has been written, in this block
};

// Raw pointers into the block's SharedMemory (shared_memory.h), for the lane handlers.
struct SharedView {
    std::byte* data = nullptr;
    uint8_t* state = nullptr;
    Touch *writer = nullptr, *reader = nullptr, *other_reader = nullptr;
    uint64_t bytes = 0;
    const uint32_t *epoch = nullptr, *floor = nullptr, *own_floor = nullptr; // of BlockOrder; own_floor by warp
    const uint32_t* known = nullptr;                                         // of BlockOrder: trace_warps of each warp
    ReadLog* log = nullptr;
    const SharedRange* read_by_products = nullptr;
    bool checked = true;   // Options::checks
    uint64_t own_part = 0; // cluster_part() of the block; 0: it is its cluster's only one
};

struct Path { // lanes at the same place
    uint32_t pc = 0;
    uint32_t reconverge = 0;
    uint32_t mask = 0;
    uint32_t from = ~uint32_t{0}; // the branch that last led these lanes elsewhere
    // Functions that have been called and not returned, here and where the lanes meet: one that calls itself passes there before, deeper.
    int64_t calls = 0, calls_at_meet = 0;

    bool ends() const { return pc == reconverge && calls <= calls_at_meet; }
};
// Leaves of the tree of divergence hold disjoint lanes, so there are at most 32 leaves and 31 places to meet.
constexpr int most_paths = 64;

struct Warp {
    std::byte* file[2] = {}; // [0] registers of this warp, [1] constants of the launch
    Block* block = nullptr;
    uint64_t* addresses = nullptr;       // room for one access's 32
    Pattern* patterns = nullptr;         // by Operation::pattern
    uint64_t* shapes = nullptr;          // that were learnt, counted
    const SharedRange* ranges = nullptr; // by Operation::memory_number
    const SharedView* shared = nullptr;
    std::byte* local = nullptr;          // of lane 0, before those of the others:
    uint64_t local_bytes = 0;            // of each
    trace::Observer* observer = nullptr; // to be told of every access; nullptr: none, or the block does it (`records`)
    const trace::Instruction* listing = nullptr; // by Operation::pc
    bool records = false;                        // accesses are recorded or only counted down: report_access
    uint32_t index = 0;
    uint32_t first_lanes = 0;     // lanes that exist
    uint32_t live = 0;            // that have not exited
    uint32_t carry = 0;           // CC.CF of each lane
    uint64_t clock = 0;           // cycles, when it was looked at last
    uint32_t committed = 0;       // groups of async copies
    int depth = 0;                // of `path`; path[depth - 1] runs
    Path* path = nullptr;         // room for most_paths
    bool polling = false;         // found that it has to wait for other warps,
    bool suspended = false;       // and executes the operation again when it goes on
    bool fenced = false;          // executed a fence: what it then tells by atomic accesses, to any memory, counts
    uint32_t branches = 0;        // executed in this turn
    int waiting = -1;             // barrier it waits at
    bool arrived = false;         // at the barrier of the cluster, in this phase
    bool owes_wait = false;       // has arrived there and not waited since
    uint32_t waiting_threads = 0; // that the barrier was told to expect; 0: all of the block
    const Operation* waiting_at = nullptr;
    uint32_t waiting_mask = 0;
};

template <class T>
inline T* row(const Warp& w, RowAt at) {
    return reinterpret_cast<T*>(w.file[at & 1] + (at & ~RowAt{1}));
}

} // namespace sim
