// The way of the data, one function a stage. The command line calls them in order; the session calls them from
// background jobs. Each result is immutable and shared.
#pragma once

#include "analysis/counters.h"
#include "analysis/mapping.h"
#include "analysis/timeline.h"
#include "base/random.h"
#include "catalog/catalog.h"
#include "compile/compiler.h"
#include "session/view.h"
#include "sim/engine.h"
#include "trace/machine.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace timing {
struct Code;
}

namespace session {

// One argument of a kernel: a scalar's bytes, a buffer, or a tensor map. A struct's members are consecutive arguments.
struct Argument {
    bool continues = false;        // a further member of the struct that the argument before is a member of
    std::vector<std::byte> scalar; // little-endian; empty for a buffer
    std::optional<size_t> maps;    // the scalar is a trace::TensorMap of this argument, a buffer
    trace::Buffer buffer;          // shape, element and name; address unused
    // random: seeded (base/random.h; the stream is `stream`, or else the argument's number), floats and
    // doubles in [-1, 1), integers over their whole range. poison: every bit set, which is NaN; a kernel that
    // reads what it should not read shows in the result. given: `contents`, which are as many bytes as the
    // buffer.
    enum class Fill { zero, random, poison, given } fill = Fill::zero;
    std::optional<size_t> stream = {};
    uint32_t below = 0; // random integers are from 0 to before it; 0: over their whole range
    std::shared_ptr<const std::string> contents = {};
};

// What the buffer argument starts with.
void fill(std::span<std::byte>, const Argument&, base::RandomStream, const std::stop_token&);

// A variable of the file, and what it starts with: a scalar's or a buffer's bytes.
struct Symbol {
    std::string name; // as declared, without namespaces
    Argument value;
};

// The seeded inputs of a job, in the engine's memory, and the parameter block that points to them. The memory is sealed:
// a copy costs only what is written to it.
struct Inputs {
    sim::Memory memory;
    std::vector<std::byte> parameters;
    std::vector<uint64_t> addresses; // of each buffer argument; 0 for scalars
};

// What a kernel of the catalogue computes, for verification: C = alpha A B + beta C, or another operation on
// A.
struct Gemm {
    catalog::Problem problem;
    double alpha = 1, beta = 0; // as the kernel takes them: catalog::as_factor()
    catalog::OperandType operands = catalog::OperandType::f32;
    catalog::Operation operation = catalog::Operation::product;
    uint32_t rounding = 1;      // catalog::rounding()
    uint32_t row_alignment = 0; // bytes, see catalog::Kernel
    bool tensor_cores = false;  // as its file says
    catalog::Matrix matrix(char name) const {
        return catalog::matrix_of(problem, operation, operands, name, row_alignment);
    }
};

// All that is needed to compile and execute one kernel.
struct Job {
    Engine engine = Engine::machine; // that is asked for; Prepared says which one it is
    std::string kernel;              // id or path, for messages
    compile::Source source;          // or, for a .ptx file, its text with is_ptx set
    bool is_ptx = false;
    catalog::LaunchShape shape;
    std::vector<Argument> arguments;
    std::vector<Symbol> symbols;
    std::optional<Gemm> gemm; // catalogue kernels; nothing to verify otherwise
    catalog::Values parameters;
    std::set<std::string> breaks;                   // planted mistakes that `source` has
    std::map<std::string, std::string> idle_breaks; // those of them that cannot show here, and where they could
    uint64_t seed = 1;
    bool checks = true;                   // sim::Options::checks of the whole grid's run
    trace::Schedule schedule;             // of the warps of each block
    std::shared_ptr<const Inputs> inputs; // made once by share_inputs(); without them every stage makes its own
};
// Errors name the kernel or parameter, and the nearest one that exists; sizes that are not positive, or that this
// machine has no memory for, are errors too.
base::Result<Job> resolve(const catalog::Catalog&, const Subject&);
base::Result<Job> resolve(const catalog::Kernel&, const Subject&);

struct Failed { // of any stage
    base::Error error;
    std::vector<compile::Diagnostic> diagnostics; // of a failed compilation
};
inline Failed failed(base::Error error) { return {std::move(error), {}}; }
template <class T>
struct Stage { // either
    std::shared_ptr<const T> value;
    std::optional<Failed> failed;
};

struct Prepared {
    std::shared_ptr<const compile::Ptx> ptx;
    std::shared_ptr<const sim::Program> program;
    std::shared_ptr<const trace::Listing> listing; // of what is executed: Listing::engine
    std::vector<trace::Finding> hazards;           // of the machine code that is executed, whatever a run of it does
    base::Sentence fallback; // why that is the PTX although the machine code was asked for; else empty
    // The PTX, decoded, whatever is executed: `program` and `listing` themselves where that is the PTX.
    std::shared_ptr<const sim::Program> ptx_program;
    std::shared_ptr<const trace::Listing> ptx_listing;
    std::shared_ptr<const trace::MachineListing> machine_code; // where that is executed, by the same pc; else nullptr
    std::shared_ptr<const timing::Code> timing; // of it; nullptr: no constants are known of the architecture
    compile::Resources resources;               // likewise
    // __constant__ variables that the kernel uses and that are zeros
    std::vector<std::string> unset_constants;
    base::Sentence wrong_units; // see ceiling.h
};
// Compiles to PTX, parses, decodes. Where Job::engine asks for the machine code and the engine cannot execute all of it, whatever a run
// would reach, or there is none, the PTX is executed in its place.
Stage<Prepared> prepare(const Job&, std::stop_token = {});

struct BlockRun { // of one block
    trace::Trace trace;
    std::vector<analysis::ArrayMap> mapping;
    analysis::Timeline timeline;
    std::vector<trace::Finding> findings;
    trace::Counts counts; // how often each instruction was executed
    uint32_t interesting_event = 0;
    double cpu_s = 0; // of executing it on one thread, recording every event
};
Stage<BlockRun> run_block(const Job&, const Prepared&, base::Dim3 block, std::stop_token);
size_t bytes_of(const BlockRun&); // of memory, its large parts

// Warp instructions that a run of the job may take before it counts as endless.
uint64_t instruction_budget(const Job&);

// What run_grid() would take with a core for each thread, from what one block took. Rough: within a factor of two.
double estimate_grid_s(const Job&, const BlockRun&, int threads);

struct Verification {
    std::string reference;    // "float64 on the CPU"; of doubles "long double on the CPU"
    double max_abs_error = 0; // NaN where the result is not a number
    double max_rel_error = 0; // max_abs_error / the largest magnitude in the reference
    double tolerance = 0;     // absolute; passed is max_abs_error <= tolerance, so NaN fails
    bool passed = false;
    uint64_t elements = 0; // of C, that were compared: all, padding apart
    uint32_t rounding = 1; // what the kernel's file multiplies the tolerance by: catalog::rounding()
};
struct Sample;
struct FullRun { // of the whole grid
    trace::Counts counts;
    analysis::Totals totals;
    std::optional<Verification> verification;
    std::vector<double> reference; // of the verification: what C should be, m x n, row-major
    std::vector<trace::Finding> findings;
    uint64_t thread_instructions = 0;
    double wall_s = 0;
    bool stopped = false;
    bool unwatched = false;               // for races between blocks, in part: sim::Outcome::unwatched
    std::optional<trace::Trace> trace;    // of the block asked for
    sim::Memory memory;                   // after the run
    std::shared_ptr<const Sample> sample; // that it was counted from (sample.h); nullptr: every block was executed
};
size_t bytes_of(const FullRun&);
// `progress` is called from any thread. A run stopped under way is a value with `stopped` set and nothing verified;
// one stopped before it began is an error.
Stage<FullRun> run_grid(const Job&, const Prepared&, int threads, std::stop_token,
                        const std::function<void(float fraction)>& progress = {},
                        std::optional<base::Dim3> traced_block = {});

// For registers, shared bytes, spills, and what a GPU runs. Of `ptx`, what was executed, so that its lines
// are those of the machine code; without it the job is compiled to PTX first.
Stage<compile::MachineCode> machine_code(const Job&, const compile::Ptx* ptx = nullptr, std::stop_token = {});

// Decoded: what is executed where that is machine code; nullptr: it cannot be.
std::shared_ptr<const trace::MachineListing> disassembly(const compile::MachineCode&, const Prepared*);

// What the block holds once `event` has been executed: registers and shared memory.
Stage<sim::BlockState> block_state(const Job&, const Prepared&, base::Dim3 block, uint32_t event,
                                   std::stop_token stop = {});

// Errors: arguments that are not the kernel's, or Failure::check_failed if it was stopped.
base::Result<Inputs> make_inputs(const Job&, const sim::Program&, std::stop_token = {});
// Whether the buffers of two jobs start alike: the same names, shapes and values at the same addresses.
bool same_buffers(const Job&, const Job&);
// The inputs of several stages of a job, for Job::inputs. Buffers of `other`, a job that had inputs, are taken where they are the same.
// Errors as above.
base::Result<std::shared_ptr<const Inputs>> share_inputs(const Job&, const sim::Program&, const Job* other,
                                                         std::stop_token = {});

} // namespace session
