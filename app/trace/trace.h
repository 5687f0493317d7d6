// The plain records that the engine writes and the analysis reads. No behaviour here.
#pragma once

#include "base/dim3.h"
#include "base/matrix_layout.h"
#include "base/number_type.h"
#include "base/sentence.h"
#include "trace/listing.h"
#include "trace/schedule.h"

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace trace {

constexpr int warp_size = 32;
constexpr uint32_t no_access = std::numeric_limits<uint32_t>::max();

// One array of the kernel's arguments in the engine's global memory.
struct Buffer {
    std::string name;     // "A", or "arg3" for a file's arguments
    uint64_t address = 0; // of the first byte, as the kernel sees it
    uint64_t bytes = 0;
    base::NumberType element = base::NumberType::f32;
    uint64_t rows = 0, columns = 0;              // row-major shape; rows 1 for a plain array
    base::Packing packing = base::Packing::none; // otherwise `element` is the word that holds 32 elements
    uint64_t padding = 0;                        // elements behind each row that are none of the matrix
    uint32_t element_bytes() const { return base::bytes_of(element); }
    base::MatrixLayout layout() const { return {rows, columns, packing, padding}; }
};

// The byte address of each lane. Shared: offset in the block's shared memory. Cluster: the same, with the block's rank + 1 from
// bit 24 on, where that is not the own block. Global: address.
using Addresses = std::array<uint64_t, warp_size>;

// One warp instruction of the traced block, in the order of execution.
struct Event {
    uint32_t pc = 0;
    uint32_t active = 0;         // bit n: lane n executed it (guard predicate included)
    uint32_t access = no_access; // index into Trace::accesses; an async copy has its shared
                                 // destination there and its global source at access + 1:
                                 // 0 for a lane that reads nothing and writes zeros
    uint16_t warp = 0;
};

// What the copy engine moves for one thread: rows that lie apart in global memory and one after the other in shared memory.
struct BulkCopy {
    struct Row {              // the part of it that lies inside the tensor
        uint64_t address = 0; // in global memory
        uint32_t skipped = 0; // bytes before it
        uint32_t bytes = 0;
    };
    uint32_t event = 0;  // that asked for it: index into Trace::events
    uint16_t thread = 0; // linear thread of the block
    bool to_shared = true;
    uint8_t swizzle = 0;    // bytes, see swizzled() in tensor_map.h
    uint64_t shared = 0;    // offset of the first byte in the block's shared memory
    uint32_t row_bytes = 0; // in shared memory; zeros arrive for what lies outside the tensor
    std::vector<Row> rows;
    static constexpr uint64_t none = ~uint64_t{0};
    uint64_t mbarrier = none; // that counts its bytes, of a copy to the own shared memory: its offset there,
    uint64_t phase = 0;       // and the phase that does
};

// What a warp did with an mbarrier of its block, however many of its lanes.
struct MbarrierUse {
    enum What : uint8_t {
        arrives,
        arrives_after_copies, // cp.async.mbarrier.arrive: once the copies before it are done
        goes_on,              // a wait that is over
    } what = arrives;
    uint32_t event = 0;    // index into Trace::events
    uint64_t mbarrier = 0; // its offset in shared memory
    uint64_t phase = 0;    // from 0, that is arrived at or that was waited for
    bool operator==(const MbarrierUse&) const = default;
};

// What a warp did at a barrier of its block where a register of machine code holds the barrier's number or how many it waits for.
struct BarrierUse {
    uint32_t event = 0;   // index into Trace::events
    uint8_t number = 0;   // 0 to 15
    uint32_t threads = 0; // 0: all of the block
};

// Everything one block did.
struct Trace {
    std::shared_ptr<const Listing> listing;
    base::Dim3 grid, block;
    base::Dim3 block_index;    // which block this is
    Schedule schedule;         // of its warps
    uint32_t shared_bytes = 0; // static + dynamic, of one block
    std::vector<Buffer> buffers;
    std::vector<Event> events;
    std::vector<Addresses> accesses;
    std::vector<BulkCopy> bulk_copies;      // by event
    std::vector<MbarrierUse> mbarrier_uses; // likewise
    std::vector<BarrierUse> barrier_uses;   // likewise
    bool truncated = false;                 // the bound on memory was reached; the trace ends early
};

enum class FindingKind : uint8_t {
    out_of_bounds,
    misaligned,
    uninitialised_shared,
    uninitialised_register,
    shared_race,
    global_race,
    divergent_barrier,
    unwaited_async_copy,
    endless_loop,
    mbarrier_misuse,
    wrong_result,
    unsupported,
    unfinished_read,
    unwaited_register, // of machine code: read or overwritten before a scoreboard or a latency allows it
};
enum class Severity : uint8_t { error, warning };

struct Finding {
    FindingKind kind = FindingKind::unsupported;
    Severity severity = Severity::error;
    int source_line = 0; // 0: unknown
    int64_t pc = -1;     // -1: not tied to an instruction
    base::Dim3 block;    // block index
    int warp = -1;
    uint32_t lanes = 0;      // bit mask
    base::Sentence text;     // one sentence: what, both accesses where two are involved, array and element
    struct Other {           // the access that this one is in conflict with
        int source_line = 0; // 0: unknown
        int64_t pc = -1;
        base::Dim3 block;
        int warp = -1;
        uint32_t lanes = 0;
    };
    std::optional<Other> other;
    uint64_t times =
        1; // how often it happened: one finding for each kind, source line, and array or other line involved
};

const char* name(FindingKind kind); // as in the JSON: "out_of_bounds"

} // namespace trace
