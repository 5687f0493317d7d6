#include "session/stages.h"

#include "analysis/counting.h"
#include "base/cpu_time.h"
#include "base/heap.h"
#include "base/memory.h"
#include "compile/refusal.h"
#include "ptx/parser.h"
#include "sass/reader.h"
#include "session/ceiling.h"
#include "session/hazards.h"
#include "session/symbols.h"
#include "session/verify.h"
#include "timing/code.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <future>

namespace session {
namespace {

using base::Error;
using base::Failure;

Error stopped() { return {Failure::check_failed, base::say("stopped before it was done"), {}, {}}; }

// The launch of a job and its inputs, which the run may write to; or why it cannot be run.
struct Run {
    Inputs inputs;
    sim::Launch launch;
};
base::Result<Run> make_run(const Job& job, const sim::Program& program, std::stop_token stop) {
    auto inputs = job.inputs ? base::Result<Inputs>(*job.inputs) : make_inputs(job, program, stop);
    if (!inputs) return inputs.error();
    sim::Launch launch{job.shape.grid, job.shape.block, job.shape.dynamic_shared_bytes, inputs->parameters};
    return Run{std::move(*inputs), std::move(launch)};
}

base::Status check_block(base::Dim3 block, base::Dim3 grid) {
    if (block.x < grid.x && block.y < grid.y && block.z < grid.z) return base::Done{};
    return Error{Failure::usage,
                 base::say("block ({}, {}, {}) is outside the grid of {} x {} x {}", block.x, block.y, block.z, grid.x,
                           grid.y, grid.z),
                 {},
                 base::say("choose a block inside")};
}

// What a whole grid takes beside the engine: the inputs where they are not there yet, C again where the kernel writes it, a reference
// of doubles, and matrices as floats that are stored otherwise.
base::Status fits_memory(const Job& job) {
    double bytes = 0;
    if (!job.inputs)
        for (const Argument& argument : job.arguments) bytes += static_cast<double>(argument.buffer.bytes);
    if (!job.gemm) return base::fits_memory(bytes, base::say("the arguments"));
    const Gemm& gemm = *job.gemm;
    const catalog::Problem& p = gemm.problem;
    const double elements = static_cast<double>(p.m) * p.n;
    bytes += static_cast<double>(gemm.matrix('C').bytes()) + elements * sizeof(double);
    for (const char name : {'A', 'B', 'C'}) {
        const catalog::Matrix matrix = gemm.matrix(name);
        const bool as_stored = matrix.element == base::NumberType::f64 ||
                               (matrix.element == base::NumberType::f32 && matrix.layout().padding == 0);
        if (as_stored && matrix.packing == base::Packing::none) continue;
        bytes += (name == 'C' ? 2 : 1) * sizeof(float) * static_cast<double>(matrix.layout().rows) *
                 static_cast<double>(matrix.layout().columns);
    }
    return base::fits_memory(bytes, base::say("executing {} x {} x {} and comparing the result", p.m, p.n, p.k));
}

template <class T>
std::span<const T> array_of(const sim::Memory& memory, uint64_t address) {
    auto bytes = memory.bytes(address); // 256-byte aligned
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
}

// A matrix's numbers as they are stored, without padding; `room` holds them where there is some.
template <class T>
std::span<const T> dense(const sim::Memory& memory, uint64_t address, const catalog::Matrix& matrix,
                         std::vector<T>& room) {
    const auto stored = array_of<T>(memory, address);
    const base::MatrixLayout layout = matrix.layout();
    if (layout.padding == 0) return stored;
    room.resize(layout.stored_rows() * layout.stored_columns());
    base::remove_padding(layout, sizeof(T), std::as_bytes(stored), std::as_writable_bytes(std::span(room)));
    return room;
}

// A matrix of the product; `room` holds it where it is not stored as floats, one after the other.
std::span<const float> floats(const sim::Memory& memory, uint64_t address, const catalog::Matrix& matrix,
                              std::vector<float>& room) {
    if (matrix.packing != base::Packing::none) {
        room = base::unpacked(matrix.layout(), array_of<uint32_t>(memory, address));
        return room;
    }
    if (matrix.element != base::NumberType::bf16) return dense<float>(memory, address, matrix, room);
    std::vector<uint16_t> halves;
    const auto stored = dense<uint16_t>(memory, address, matrix, halves);
    room.resize(stored.size());
    std::transform(stored.begin(), stored.end(), room.begin(), base::from_bf16);
    return room;
}

// Nothing if it was stopped. `start` is what the run started from: C before it, where beta asks for that.
std::optional<Judgement> judge(const FullRun& run, const Gemm& gemm, const Inputs& start, std::stop_token stop) {
    const auto address = [&](char name) {
        return start.addresses[catalog::argument_number(gemm.operation, gemm.row_alignment, name).value()];
    };
    if (gemm.operation != catalog::Operation::product)
        return verify_elements(gemm, array_of<float>(start.memory, address('A')), run.memory.bytes(address('C')), stop);
    if (catalog::result_of(gemm.operands) == base::NumberType::f64) {
        std::array<std::vector<double>, 4> room;
        const auto of = [&](const sim::Memory& memory, char name, size_t number) {
            return dense<double>(memory, address(name), gemm.matrix(name), room[number]);
        };
        const Product<double> product{of(start.memory, 'A', 0), of(start.memory, 'B', 1), of(start.memory, 'C', 2),
                                      of(run.memory, 'C', 3)};
        return verify(gemm, product, stop);
    }
    std::array<std::vector<float>, 4> room;
    const auto of = [&](const sim::Memory& memory, char name, size_t number) {
        return floats(memory, address(name), gemm.matrix(name), room[number]);
    };
    const Product<float> product{of(start.memory, 'A', 0), of(start.memory, 'B', 1), of(start.memory, 'C', 2),
                                 of(run.memory, 'C', 3)};
    return verify(gemm, product, stop);
}

void verify_into(FullRun& run, const Job& job, const Inputs& start, std::stop_token stop) {
    auto judgement = judge(run, *job.gemm, start, stop);
    if (!judgement) {
        run.stopped = true;
        return;
    }
    run.verification = judgement->verification;
    run.reference = std::move(judgement->reference);
    if (judgement->wrong) run.findings.push_back(*judgement->wrong);
}

void return_spare_room(trace::Trace& trace) {
    base::return_spare_room(trace.events);
    base::return_spare_room(trace.accesses);
}

size_t bytes_of(const trace::Trace& trace) {
    size_t bytes = trace.events.size() * sizeof(trace::Event) + trace.accesses.size() * sizeof(trace::Addresses);
    for (const trace::BulkCopy& copy : trace.bulk_copies)
        bytes += sizeof copy + copy.rows.capacity() * sizeof(trace::BulkCopy::Row);
    return bytes;
}

} // namespace

// Far more than any sensible kernel needs per multiply-add.
uint64_t instruction_budget(const Job& job) {
    constexpr double warp_instructions_per_madd = 64.0 / trace::warp_size;
    const uint64_t least = sim::Options{}.instruction_budget;
    if (!job.gemm) { // blocks that get nowhere are noticed one by one; the others may all be long
        const uint64_t blocks = job.shape.grid.count(), each = sim::Options{}.idle_budget;
        return blocks < (uint64_t{1} << 62) / each ? std::max(least, blocks * each) : uint64_t{1} << 62;
    }
    const auto& p = job.gemm->problem;
    const double most = 0x1p62;
    const double wanted = std::min(most, warp_instructions_per_madd * p.m * p.n * p.k);
    return std::max(least, static_cast<uint64_t>(wanted));
}

namespace {

// Takes the machine code for what is executed, or says why the PTX is.
void execute_machine_code(const Job& job, Prepared& prepared, const sim::VariableValues& values, std::stop_token stop) {
    const auto machine = machine_code(job, prepared.ptx.get(), std::move(stop));
    if (machine.failed) {
        prepared.fallback = machine.failed->error.what;
        return;
    }
    auto module = sass::read_module(machine.value->cubin, machine.value->entry);
    if (!module) {
        prepared.fallback = module.error().what;
        return;
    }
    const std::vector<sass::Hazard> found = sass::find_hazards(module->sm, module->instructions, module->jump_tables);
    if (const timing::Machine* m = timing::machine(machine.value->arch))
        prepared.timing = std::make_shared<const timing::Code>(timing::code_of(module->instructions, *m));
    prepared.resources = machine.value->resources;
    auto program =
        sim::prepare_machine_code(machine.value->cubin, std::move(*module), prepared.ptx_program.get(), values);
    prepared.fallback = program ? sim::not_executed(**program) : program.error().what;
    if (!prepared.fallback.empty()) return;
    prepared.program = *program;
    prepared.listing = sim::listing(**program);
    prepared.machine_code = sim::machine_listing(**program);
    prepared.hazards = findings_of(found, *prepared.listing);
}

} // namespace

Stage<Prepared> prepare(const Job& job, std::stop_token stop) {
    Prepared prepared;
    if (job.is_ptx) {
        prepared.ptx = std::make_shared<const compile::Ptx>(compile::Ptx{job.source.text, job.source.entry, {}});
    } else {
        auto compiled = compile::to_ptx(job.source, stop);
        if (compiled.failed) return {nullptr, Failed{compiled.failed->error, compiled.failed->diagnostics}};
        prepared.ptx = compiled.value;
    }
    auto module = ptx::parse(prepared.ptx->text);
    if (!module) {
        Error error = module.error();
        if (error.where.empty()) error.where = job.source.name;
        return {nullptr, failed(std::move(error))};
    }
    const auto values = set_symbols(*module, job);
    if (!values) return {nullptr, failed(values.error())};
    prepared.unset_constants = unset_constants(*module, prepared.ptx->entry);
    if (job.is_ptx) { // this is the source; what its .loc name may lie anywhere
        module->files.clear();
        for (ptx::Function& function : module->functions)
            for (ptx::Instruction& i : function.instructions) i.source_line = i.own_line = i.kernel_line = i.line;
    }
    std::erase_if(module->files, [&](const auto& file) { return compile::is_same_file(file.second, job.source.name); });
    auto program = sim::prepare(std::make_shared<const ptx::Module>(std::move(*module)), prepared.ptx->entry);
    if (!program) return {nullptr, failed(program.error())};
    prepared.program = prepared.ptx_program = *program;
    prepared.listing = prepared.ptx_listing = sim::listing(**program);
    if (job.engine == Engine::machine) {
        execute_machine_code(job, prepared, *values, stop);
        if (stop.stop_requested()) return {nullptr, failed(stopped())};
    }
    if (job.gemm) prepared.wrong_units = wrong_units(*job.gemm, *prepared.listing);
    return {std::make_shared<const Prepared>(std::move(prepared)), {}};
}

size_t bytes_of(const BlockRun& run) {
    size_t bytes = bytes_of(run.trace);
    for (const analysis::ArrayMap& array : run.mapping)
        bytes += (array.loads.size() + array.stores.size()) * sizeof(analysis::Touch);
    for (const analysis::WarpSteps& warp : run.timeline.warps)
        bytes += (warp.events.size() + warp.k_tiles.size()) * sizeof(uint32_t);
    return bytes;
}

size_t bytes_of(const FullRun& run) {
    size_t bytes = run.reference.capacity() * sizeof(double);
    for (const auto& buffer : run.memory.buffers()) bytes += buffer.bytes;
    return run.trace ? bytes + bytes_of(*run.trace) : bytes;
}

Stage<BlockRun> run_block(const Job& job, const Prepared& prepared, base::Dim3 block, std::stop_token stop) {
    if (auto inside = check_block(block, job.shape.grid); !inside) return {nullptr, failed(inside.error())};
    auto run = make_run(job, *prepared.program, stop);
    if (!run) return {nullptr, failed(run.error())};

    sim::Options options;
    options.traced_block = block;
    options.traced_block_only = true;
    options.instruction_budget = instruction_budget(job);
    options.schedule = job.schedule;
    options.stop = stop;
    const double start = base::thread_cpu_s(); // one block is executed on the thread that asks
    auto outcome = sim::run(*prepared.program, run->launch, run->inputs.memory, options);
    const double cpu_s = base::thread_cpu_s() - start;
    if (!outcome) return {nullptr, failed(outcome.error())};
    if (outcome->stopped) return {nullptr, failed(stopped())};

    BlockRun result;
    result.trace = std::move(outcome->trace);
    result.findings = std::move(outcome->findings);
    result.counts = std::move(outcome->counts);
    result.cpu_s = cpu_s;
    auto mapping = std::async(std::launch::async, [&] { return analysis::mapping(result.trace); }); // beside the rest
    result.timeline = analysis::timeline(result.trace);
    result.interesting_event = analysis::interesting_event(result.trace, result.timeline);
    result.mapping = mapping.get();
    return_spare_room(result.trace);
    for (analysis::ArrayMap& array : result.mapping)
        base::return_spare_room(array.loads), base::return_spare_room(array.stores);
    return {std::make_shared<const BlockRun>(std::move(result)), {}};
}

double estimate_grid_s(const Job& job, const BlockRun& block, int threads) {
    const uint64_t blocks = job.shape.grid.count(), at_a_time = static_cast<uint64_t>(std::max(threads, 1));
    const double executed = static_cast<double>((blocks + at_a_time - 1) / at_a_time) * block.cpu_s;
    if (!job.gemm) return executed;
    if (job.gemm->operation != catalog::Operation::product) return executed; // compared as fast as it is read
    // Multiply-adds of verify(), on one thread.
    const double verified_per_s = catalog::result_of(job.gemm->operands) == base::NumberType::f64 ? 4e8 : 2e9;
    const auto& p = job.gemm->problem;
    return executed + static_cast<double>(p.m) * p.n * p.k / verified_per_s;
}

Stage<FullRun> run_grid(const Job& job, const Prepared& prepared, int threads, std::stop_token stop,
                        const std::function<void(float)>& progress, std::optional<base::Dim3> traced_block) {
    if (traced_block) {
        if (auto inside = check_block(*traced_block, job.shape.grid); !inside) return {nullptr, failed(inside.error())};
    }
    if (auto fits = fits_memory(job); !fits) return {nullptr, failed(fits.error())};
    auto run = make_run(job, *prepared.program, stop);
    if (!run) return {nullptr, failed(run.error())};
    const Inputs start = run->inputs; // shares its memory with the run's until that is written

    analysis::Counting counting(analysis::bank_rule(job.source.arch), prepared.listing->instructions.size());
    sim::Options options;
    options.traced_block = traced_block;
    options.checks = job.checks;
    options.threads = std::max(threads, 1);
    options.instruction_budget = instruction_budget(job);
    options.schedule = job.schedule;
    options.observer = [&counting] { return counting.observer(); };
    options.stop = stop;
    const auto blocks = static_cast<float>(job.shape.grid.count());
    if (progress) options.progress = [&](uint64_t done) { progress(static_cast<float>(done) / blocks); };
    auto outcome = sim::run(*prepared.program, run->launch, run->inputs.memory, options);
    if (!outcome) return {nullptr, failed(outcome.error())};

    FullRun result;
    result.counts = std::move(outcome->counts);
    counting.add_to(result.counts);
    result.totals = analysis::totals(*prepared.listing, result.counts);
    result.findings = std::move(outcome->findings);
    if (job.checks) result.findings.insert(result.findings.end(), prepared.hazards.begin(), prepared.hazards.end());
    result.thread_instructions = outcome->thread_instructions;
    result.wall_s = outcome->wall_s;
    result.stopped = outcome->stopped;
    result.unwatched = outcome->unwatched;
    if (traced_block) {
        result.trace = std::move(outcome->trace);
        return_spare_room(*result.trace);
    }
    result.memory = std::move(run->inputs.memory);
    if (job.gemm && !result.stopped) verify_into(result, job, start, stop);
    return {std::make_shared<const FullRun>(std::move(result)), {}};
}

Stage<compile::MachineCode> machine_code(const Job& job, const compile::Ptx* ptx, std::stop_token stop) {
    if (job.is_ptx) {
        return {nullptr,
                failed({Failure::missing, base::say("machine code is made from CUDA source, and this is a PTX file"),
                        job.source.name, base::say("give the .cu file to see registers and machine code")})};
    }
    auto compiled = ptx ? compile::to_machine_code(*ptx, job.source, stop) : compile::to_machine_code(job.source, stop);
    if (compiled.failed) return {nullptr, Failed{compiled.failed->error, compiled.failed->diagnostics}};
    return {compiled.value, {}};
}

std::shared_ptr<const trace::MachineListing> disassembly(const compile::MachineCode& code, const Prepared* prepared) {
    if (prepared && prepared->machine_code) return prepared->machine_code;
    auto listing = sass::read(code.cubin, code.entry);
    return listing ? *listing : nullptr;
}

Stage<sim::BlockState> block_state(const Job& job, const Prepared& prepared, base::Dim3 block, uint32_t event,
                                   std::stop_token stop) {
    if (auto inside = check_block(block, job.shape.grid); !inside) return {nullptr, failed(inside.error())};
    auto run = make_run(job, *prepared.program, stop);
    if (!run) return {nullptr, failed(run.error())};
    auto state = sim::state_at(*prepared.program, run->launch, run->inputs.memory, block, uint64_t{event} + 1,
                               job.schedule, std::move(stop));
    if (!state) return {nullptr, failed(state.error())};
    return {std::make_shared<const sim::BlockState>(std::move(*state)), {}};
}

} // namespace session
