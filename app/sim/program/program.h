// A kernel decoded for execution: operations, where rows lie, what a launch must fill in. Made of a Draft by finish() (draft.h).
#pragma once

#include "base/dim3.h"
#include "base/result.h"
#include "ptx/module.h"
#include "sim/program/effect.h"
#include "sim/program/mbarrier.h"
#include "sim/program/operation.h"
#include "sim/program/parameter.h"
#include "sim/program/tensor_core.h"
#include "sim/program/video.h"
#include "sim/program/warpgroup.h"
#include "sim/program/wide_rows.h"
#include "trace/listing.h"
#include "trace/machine.h"

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace sim {

// What an address was made from: a variable or a function (a number of the front end's, from 1 on), or a parameter of the kernel (its
// offset + first_parameter_origin).
using Origin = int64_t;
constexpr Origin no_origin = 0, first_parameter_origin = Origin{1} << 40;

constexpr uint32_t constant_row_bytes = 256;
struct Constant { // one row that is the same in every warp of a launch, by place in the constants' file
    RowAt at = 0;
    uint8_t width = 4; // 0: predicate
    uint64_t bits = 0;
    bool parameter = false; // the value lies in the parameter block instead:
    uint32_t offset = 0, bytes = 0;
    bool sign = false; // extend by the sign
    Origin origin = no_origin;
    auto operator<=>(const Constant&) const = default;
};

struct SpecialRow { // %tid.x and the like, filled in when a block starts
    ptx::Special special{};
    RowAt at = 0;
    uint8_t width = 4;
};

struct NamedRow { // a PTX register of the entry
    std::string name;
    RowAt at = 0;
    uint8_t width = 4; // 0: predicate
};

// An operation that may read a register before it is written, or writes one that another such operation reads. Its handlers
// stand here; in the operation stands one that looks first.
struct Tracked {
    Handler full = nullptr, masked = nullptr;
    static constexpr int64_t none = -1;
    int64_t row[8] = {none, none, none, none, none, none, none, none}; // as in Operation, of Program::tracked_registers
    int64_t address = none, source = none, guard = none;
    std::vector<int64_t> wide_written, wide_read;                // as in WideRows
    uint8_t written = 0;                                         // bit n: row[n] is written
    enum : uint8_t { uses, moves, selects, merges } kind = uses; // moves and choices pass on what they read
};

constexpr uint32_t stack_bytes = 32u << 10; // of a thread
constexpr uint32_t matrix_row_bytes = 16;   // of one of the 8 rows of a matrix that ldmatrix and stmatrix move

// An operation that reads shared memory so that a bulk copy might overwrite it before the value is there, or that may be the first to use
// such a value (unfinished_reads.cpp). Its handlers stand here; in the operation stands one that looks first.
struct Watched {
    static constexpr uint32_t none = ~0u;
    Handler full = nullptr, masked = nullptr;
    uint32_t begins = none;        // the read of this number
    uint32_t bytes = 0, lanes = 0; // of a lane; that give addresses
    std::vector<uint32_t> uses, moved,
        sets; // numbers of registers: that may hold a value nobody has used; that a mov reads; that it writes
    bool fences = false; // fence.proxy.async: waits for all
};

// Functions that CUDA's runtime brings, called by name and without a body in the file: device printf, a failed assert. [0] is
// the instruction trap, which ends its lanes like a failed assert, and [1] a call to where no function is. Calls deeper than they are
// expanded end them likewise.
struct SystemCall {
    enum Kind : uint8_t { trap, no_function, too_deep, print, assertion_failed } kind = trap;
    std::vector<uint32_t> arguments; // where they lie in the thread's local memory
    uint32_t result = 0;
    bool returns = false;
    bool in_registers = false; // the arguments are rows 1, 2 ... and the result is row 0
    uint32_t depth = 0;        // of too_deep: that it is beyond
};

struct Draft; // draft.h

class Program {
public:
    std::shared_ptr<const Draft> draft; // that it was made of
    std::shared_ptr<const trace::Listing> listing;
    std::shared_ptr<const trace::MachineListing> machine_listing; // by pc; nullptr: it is of PTX
    const Vectors* vectors = nullptr;                             // of the same set as the handlers
    std::vector<Operation> operations;
    std::vector<Effect> effects; // by operation
    std::vector<Constant> constants;
    std::vector<SpecialRow> specials;
    std::vector<NamedRow> names;
    std::vector<std::vector<uint32_t>> tables; // of multiway branches: operations
    std::vector<std::vector<uint64_t>>
        callees;                         // beside `tables`, of calls through a register: the functions' addresses
    std::vector<base::Sentence> reasons; // of Flow::unknown, by Detail::number
    std::vector<SystemCall> system_calls{{}, {.kind = SystemCall::no_function, .arguments = {}}}; // by Detail::number
    std::vector<Tracked> tracked{1};                     // by Operation::tracked; [0]: none
    std::vector<std::string> tracked_registers;          // names
    std::vector<Watched> watched{1};                     // by Operation::watched; [0]: none
    uint32_t watched_reads = 0, watched_registers = 0;   // how many
    std::vector<WideRows> wide{1};                       // by Operation::wide; [0]: none
    std::vector<MbarrierUse> mbarrier_uses;              // by Detail::number
    std::vector<BulkUse> bulk_copies;                    // by Detail::number
    std::vector<MatrixProduct> products;                 // by Detail::number of mma and wmma.mma
    std::vector<WarpgroupProduct> warpgroup_products;    // by Detail::number of wgmma.mma_async
    std::map<uint32_t, AccumulatorUse> accumulator_uses; // by operation
    std::vector<VideoUse> video_uses;                    // by Detail::number
    std::vector<StoredFragment> fragments;               // by Detail::number of wmma.load and wmma.store
    std::vector<Parameter> parameters;
    uint32_t parameter_bytes = 0, parameters_at = 0;   // and where they begin in the window of their generic addresses
    uint32_t register_bytes = 0, constant_bytes = 0;   // of a warp's file, of the constants' file
    uint32_t static_shared = 0, dynamic_shared_at = 0; // bytes; where dynamic shared memory begins
    uint32_t local_bytes = 0;                          // per thread
    uint32_t registers = 0;                            // that a thread is launched with; 0: of PTX nobody knows
    uint32_t accesses = 0;                             // operations that access memory
    uint32_t patterns = 0;                             // of them with addresses of their own
    // The same kernel, but every register keeps a row of its own, for showing them. Made at the first call.
    std::shared_ptr<const Program> with_own_rows() const;
    std::vector<std::byte> variables; // .global and .const of the file, as they start
    struct FileVariable {             // one of them, by its name in the source
        std::string name;
        uint64_t at = 0, bytes = 0; // in `variables`
        uint32_t element_bytes = 1; // 1: not known, PTX mostly declares bytes
        bool writable = true;
    };
    std::vector<FileVariable> file_variables; // by place
    struct SharedVariable {                   // by its name in the source; bytes 0: dynamic
        std::string name;
        uint32_t at = 0, bytes = 0, element_bytes = 1;
    };
    std::vector<SharedVariable> shared_variables; // by address
    // What global memory the kernel may write to: through pointers that are parameters (their offsets), variables of the file, or
    // more than that.
    std::set<uint32_t> stored_parameters;
    bool stores_variables = false, stores_anywhere = false;
    std::vector<Strength> strengths; // by pc
    // By pc of machine code: instructions at which lanes of a warp meet, in the PTX before that of which it was made. ptxas moves accesses past
    // votes and shuffles, which order none. Of PTX: empty.
    std::vector<uint32_t> meetings;
    std::vector<bool> blind; // by pc: an atomic whose result nothing reads
    base::Dim3 cluster;      // in blocks
    // Lanes that branch to where others of their region have yet to go on join them, if they are no fewer than those that do not branch: the
    // larger part goes first. So an H200 counts.
    bool joins_pending = false;
    // By branch of machine code that leads out of regions whose lanes wait for each other: where those regions' lanes meet, without these.
    std::map<uint32_t, std::vector<uint32_t>> leaving;
    // By load of machine code from shared memory: bit e: element e may go unused. Its bytes may be read before they are written.
    std::map<uint32_t, uint8_t> unsure_elements;
    bool writes_to_cluster = false;    // may write to shared memory of other blocks
    uint32_t shared_element_bytes = 4; // smallest element that the kernel loads from or stores to shared memory

private:
    struct OwnRows { // made by each copy of the program for itself
        OwnRows() = default;
        OwnRows(const OwnRows&) {}
        OwnRows& operator=(const OwnRows&) = delete;
        std::once_flag once;
        std::shared_ptr<const Program> made;
    };
    mutable OwnRows own_rows_;
};

// The lane handlers that this processor can run, the best first.
std::vector<Lanes> supported_lanes();

// A kernel of a PTX file, as prepare() makes it, with these handlers and rows.
enum class Rows : uint8_t {
    reused, // a row serves several registers in turn
    own,    // every register keeps its own, for showing them
};
base::Result<std::shared_ptr<const Program>> decode(std::shared_ptr<const ptx::Module>, const std::string& entry,
                                                    Rows rows, Lanes lanes = best_lanes());

// Handlers that are not per lane.
void no_operation(Warp&, const Operation&, uint32_t active);
void track_registers(Warp&, const Operation&, uint32_t active);
void watch_form(Warp&, const Operation&, uint32_t active);
void watch_reads(Warp&, const Operation&, uint32_t active);
void is_in_space(Warp&, const Operation&, uint32_t active);
void print_text(Warp&, const Operation&, uint32_t active);
void fence_memory(Warp&, const Operation&, uint32_t active);
void tell_barrier(Warp&, const Operation&, uint32_t active); // which one, where a register holds that
void copy_async(Warp&, const Operation&, uint32_t active);
void commit_async(Warp&, const Operation&, uint32_t active);
void wait_async(Warp&, const Operation&, uint32_t active);
void use_mbarrier(Warp&, const Operation&, uint32_t active);
void poll_mbarrier(Warp&, const Operation&, uint32_t active);
void pending_count(Warp&, const Operation&, uint32_t active);
void arrive_after_copies(Warp&, const Operation&, uint32_t active);
void set_registers(Warp&, const Operation&, uint32_t active);
void start_bulk_copy(Warp&, const Operation&, uint32_t active);
void commit_bulk_copies(Warp&, const Operation&, uint32_t active);
void wait_bulk_copies(Warp&, const Operation&, uint32_t active);
void multiply_matrices(Warp&, const Operation&, uint32_t active);
void multiply_in_warpgroup(Warp&, const Operation&, uint32_t active);
void commit_products(Warp&, const Operation&, uint32_t active);
void wait_products(Warp&, const Operation&, uint32_t active);
void guard_accumulators(Warp&, const Operation&, uint32_t active);
void load_matrix(Warp&, const Operation&, uint32_t active);
void store_matrix(Warp&, const Operation&, uint32_t active);
void transpose_matrix(Warp&, const Operation&, uint32_t active);
void load_fragment(Warp&, const Operation&, uint32_t active);
void store_fragment(Warp&, const Operation&, uint32_t active);
void map_address(Warp&, const Operation&, uint32_t active);
void find_rank(Warp&, const Operation&, uint32_t active);
void elect_lane(Warp&, const Operation&, uint32_t active);
void read_clock(Warp&, const Operation&, uint32_t active);
void convert_and_pack(Warp&, const Operation&, uint32_t active);
void compute_parts(Warp&, const Operation&, uint32_t active);
void allocate_stack(Warp&, const Operation&, uint32_t active);
void set_stack(Warp&, const Operation&, uint32_t active);
void convert_float8(Warp&, const Operation&, uint32_t active);
constexpr uint32_t all_copies = ~0u; // of wait_async: committed or not

} // namespace sim
