// Runs a kernel's grid on the CPU: warps in lockstep over decoded instructions, every access checked.
#pragma once

#include "base/dim3.h"
#include "base/result.h"
#include "ptx/module.h"
#include "sim/memory.h"
#include "sim/program/parameter.h"
#include "trace/counts.h"
#include "trace/machine.h"
#include "trace/observer.h"
#include "trace/trace.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

namespace sass {
struct Module;
}

namespace sim {

// A kernel entry decoded once for execution. Immutable; may be run from several threads at a time.
class Program;

// `module` is what ptx::parse (ptx/parser.h) gives, moved to a shared pointer. Decodes `entry` (its name in the PTX; empty: the
// only one). A statement that the engine does not know becomes a
// finding when it is reached, not an error here.
base::Result<std::shared_ptr<const Program>> prepare(std::shared_ptr<const ptx::Module> module,
                                                     const std::string& entry);

// What host code copies to __constant__ and __device__ variables before the launch, by their names in the PTX.
using VariableValues = std::map<std::string, std::vector<std::byte>>;

// The same of the machine code of `entry` (its mangled name) in a cubin. An instruction that the engine does not execute becomes
// a finding when it is reached. `ptx`, from which the cubin was made, tells what the cubin does not: where inlined code was called from,
// and the names of shared arrays. nullptr: not known. Errors: those of sass::read_module, or an architecture whose machine code is not executed.
base::Result<std::shared_ptr<const Program>> prepare_machine_code(std::span<const std::byte> cubin,
                                                                  const std::string& entry,
                                                                  const Program* ptx = nullptr,
                                                                  const VariableValues& values = {});
// Of what was read of the cubin already.
base::Result<std::shared_ptr<const Program>> prepare_machine_code(std::span<const std::byte> cubin, sass::Module,
                                                                  const Program* ptx = nullptr,
                                                                  const VariableValues& values = {});

std::shared_ptr<const trace::Listing> listing(const Program&);
// What it was made of, by the same pc; nullptr: the program is of PTX.
std::shared_ptr<const trace::MachineListing> machine_listing(const Program&);

// The first instruction that the engine does not execute, whether or not a run reaches it: its address, text and why. Empty: there is none.
base::Sentence not_executed(const Program&);

std::span<const Parameter> parameters(const Program&);
uint32_t static_shared_bytes(const Program&);
base::Dim3 cluster_shape(const Program&); // in blocks: one, of a kernel without clusters

struct Launch {
    base::Dim3 grid, block;
    uint32_t dynamic_shared_bytes = 0;
    std::vector<std::byte> parameters; // laid out as parameters(program) says
};

struct Options {
    // Which block is recorded event by event; nothing: none.
    std::optional<base::Dim3> traced_block;
    // Only the traced block is executed, not the rest of the grid.
    bool traced_block_only = false;
    // The observer is told of that block's events, in their order, and no trace is kept.
    bool events_to_observer = false;
    // Off: what tensor cores compute is left out, their registers stay as they are. For those who ask which instructions are executed, of a
    // kernel that does not branch by results.
    bool matrix_products = true;
    // Off: races, reads of what nothing has written (shared memory, registers, asynchronous copies under way)
    // and mbarriers taken for data are not looked for, which takes less time. What cannot be executed as the
    // kernel asks is found as ever: accesses out of bounds or misaligned, barriers that not all reach,
    // endless loops.
    bool checks = true;
    int threads = 1; // blocks are spread over so many, at most
    // Bytes that the run may take beside `memory` itself. Not given: what the machine has left (base/memory.h). Where all does not find
    // room, there are fewer threads and narrower bounds (trace_bytes, shadow_bytes); a launch of which one cluster does not is an error.
    std::optional<uint64_t> memory_bytes;
    trace::Schedule schedule; // of the warps of each block
    // Two bounds in warp instructions; the finding endless_loop says which bound was met, and the run is over. A block gets nowhere as long as none
    // of its instructions accesses global memory below or above all that it accessed before: a loop over a matrix
    // does so with every row, every tile and every result, however long it runs, and a loop that never ends soon stops doing so.
    uint64_t idle_budget = 1 << 25;              // of one block getting nowhere
    uint64_t instruction_budget = 4'000'000'000; // of the whole run
    // A finding takes as long as many instructions do: each time that something is found counts as so many of both budgets.
    uint64_t finding_cost = 256;
    // Bounds the run whatever its instructions take; endless_loop says so. Not given: ten minutes, or what
    // instruction_budget needs at ten million warp instructions a second, if that is more.
    std::optional<double> seconds;
    uint64_t trace_bytes = 400u << 20; // bound on the trace; Trace::truncated says it was met
    uint64_t shadow_bytes =
        512u << 20; // bound on what is kept to find races between blocks; Outcome::unwatched says it was met
    // Makes one observer for each worker thread; may be empty. The caller keeps what it needs of each.
    std::function<trace::Observer*()> observer;
    // Called now and then from any thread with the number of blocks that are done; may be empty.
    std::function<void(uint64_t blocks_done)> progress;
    std::stop_token stop; // a stopped run returns soon with Outcome::stopped set
};

struct Outcome {
    trace::Trace trace;   // empty unless a block was traced
    trace::Counts counts; // executed and threads; wavefronts and sectors come from the observers
    std::vector<trace::Finding> findings;
    uint64_t warp_instructions = 0, thread_instructions = 0;
    double wall_s = 0;
    bool stopped = false;   // by the stop token
    bool unwatched = false; // some global memory was not watched for races between blocks
};

// `memory` is written by the kernel. A launch that CUDA would refuse (more than 1024 threads a block, more shared
// memory than any GPU has) is an error, and so are a schedule by a warp that the block lacks and memory that runs out, on whichever
// thread; whatever the kernel does wrong is a finding.
base::Result<Outcome> run(const Program&, const Launch&, Memory& memory, const Options&);

// What one block holds after `steps` events of its trace under `schedule`, found by executing it again from `memory` (which stays as it is).
// An error also where it was stopped.
struct Row {           // a register of one warp
    std::string name;  // "%f12"
    uint8_t bits = 32; // 1 for predicates
    std::array<uint64_t, trace::warp_size> lanes{};
};
struct BlockState {
    std::vector<std::vector<Row>> registers; // [warp][register], those written so far
    std::vector<std::byte> shared;
    std::vector<bool> shared_written; // per byte
    std::vector<bool>
        shared_in_flight; // per byte: an asynchronous copy to it has begun, and nobody has waited for it yet
};
base::Result<BlockState> state_at(const Program&, const Launch&, const Memory& memory, base::Dim3 block, uint64_t steps,
                                  trace::Schedule schedule = {}, std::stop_token stop = {});

} // namespace sim
