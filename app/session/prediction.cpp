#include "session/prediction.h"

#include "analysis/occupancy.h"
#include "timing/grid.h"

#include <algorithm>
#include <cmath>

namespace session {
namespace {

using base::Error;
using base::Failure;

// The memory takes room only where blocks reach it, and no matrix is filled: time does not hang on values.
base::Result<std::vector<timing::Stream>> streams_of(const Job& job, const Prepared& prepared,
                                                     std::span<const uint64_t> blocks, const std::stop_token& stop) {
    Job empty = job;
    for (Argument& argument : empty.arguments) argument.fill = Argument::Fill::zero;
    auto inputs = make_inputs(empty, *prepared.program, stop);
    if (!inputs) return inputs.error();
    std::vector<timing::Stream> streams;
    for (const uint64_t block : blocks) {
        sim::Options options;
        options.traced_block = base::position(block, job.shape.grid);
        options.traced_block_only = true;
        options.checks = false;
        options.instruction_budget = instruction_budget(job);
        options.stop = stop;
        sim::Memory memory = inputs->memory;
        const sim::Launch launch{job.shape.grid, job.shape.block, job.shape.dynamic_shared_bytes, inputs->parameters};
        auto outcome = sim::run(*prepared.program, launch, memory, options);
        if (!outcome) return outcome.error();
        streams.push_back(timing::stream_of(outcome->trace, analysis::bank_rule(job.source.arch)));
    }
    return streams;
}

base::Status is_known(const Job& job, const Prepared& prepared) {
    if (!timing::machine(job.source.arch))
        return Error{Failure::missing,
                     base::say("no times are known of {}", job.source.arch),
                     {},
                     base::say("choose sm_90, whose times were measured")};
    if (prepared.timing && prepared.listing->engine == Engine::machine) return base::Done{};
    return Error{Failure::missing,
                 prepared.fallback.empty() ? base::say("only machine code has times, and the PTX is executed")
                                           : prepared.fallback,
                 {},
                 {}};
}

uint32_t shared_bytes(const Job& job, const Prepared& prepared) {
    return prepared.resources.static_shared_bytes + job.shape.dynamic_shared_bytes;
}

// Blocks that a multiprocessor has room for.
base::Result<int> residents_of(const Job& job, const Prepared& prepared) {
    auto sm = analysis::multiprocessor("sm_90");
    if (!sm) return sm.error();
    auto fits = analysis::occupancy(*sm, static_cast<int>(job.shape.block.count()), prepared.resources.registers,
                                    shared_bytes(job, prepared));
    if (!fits) return fits.error();
    return fits->blocks;
}

// How many of the blocks that run together read a line of A or B: they lie side by side, in the order of their numbers.
double sharing(const Job& job, const timing::Machine& m, int resident) {
    if (!job.gemm) return 1;
    const double columns = job.shape.grid.x, rows = job.shape.grid.y;
    const double together = std::min(m.multiprocessors * resident, columns * rows);
    const double wide = std::min(together, columns), high = std::ceil(together / columns);
    const double height = job.gemm->problem.m / rows, width = job.gemm->problem.n / columns; // elements of a block
    return together * (height + width) / (high * height + wide * width);
}

// The driver keeps 1 KiB of shared memory for each block, and carves the next of these sizes, in KiB, out of L1 (CUDA C++ Programming
// Guide, compute capability 9.0).
timing::Behind behind_of(const timing::Machine& m, const Job& job, const Prepared& prepared, int resident) {
    constexpr double kib = 1024, carve_outs[] = {8, 16, 32, 64, 100, 132, 164, 196, 228};
    const double wanted = resident * (shared_bytes(job, prepared) / kib + 1);
    const double* const carved = std::lower_bound(std::begin(carve_outs), std::prev(std::end(carve_outs)), wanted);
    timing::Behind behind{.l1_bytes = m.l1_bytes - *carved * kib};
    double bytes = 0;
    for (const Argument& argument : job.arguments) bytes += static_cast<double>(argument.buffer.bytes);
    if (bytes > m.l2_bytes) behind.from_memory = std::min(1.0, m.first_touch / sharing(job, m, resident));
    return behind;
}

// Of `residents` blocks that a multiprocessor holds at a time in the first wave.
base::Result<timing::Run> run_of(const catalog::Kernel& kernel, Subject subject, int depth, const Prepared& prepared,
                                 int residents, timing::Setup setup, const std::stop_token& stop) {
    subject.problem.k = depth;
    auto job = resolve(kernel, subject);
    if (!job) return job.error();
    const uint64_t grid = job->shape.grid.count();
    std::vector<uint64_t> blocks;
    for (int n = 0; n < residents; ++n)
        blocks.push_back(static_cast<uint64_t>(n) * static_cast<uint64_t>(setup.machine.multiprocessors) % grid);
    auto streams = streams_of(*job, prepared, blocks, stop);
    if (!streams) return streams.error();
    std::vector<const timing::Stream*> pointers;
    for (const timing::Stream& s : *streams) pointers.push_back(&s);
    return timing::simulate(setup, pointers);
}

} // namespace

Stage<Prediction> predict(const catalog::Kernel& kernel, const Subject& subject, const timing::WhatIf& what_if,
                          std::stop_token stop) {
    auto job = resolve(kernel, subject);
    if (!job) return {nullptr, failed(job.error())};
    const auto prepared = prepare(*job, stop);
    if (prepared.failed) return {nullptr, prepared.failed};
    return predict(kernel, subject, *prepared.value, what_if, std::move(stop));
}

Stage<Prediction> predict(const catalog::Kernel& kernel, const Subject& subject, const Prepared& prepared,
                          const timing::WhatIf& what_if, std::stop_token stop) {
    auto job = resolve(kernel, subject);
    if (!job) return {nullptr, failed(job.error())};
    if (auto known = is_known(*job, prepared); !known) return {nullptr, failed(known.error())};
    const timing::Machine* m = timing::machine(job->source.arch);
    auto fits = residents_of(*job, prepared);
    if (!fits) return {nullptr, failed(fits.error())};

    Prediction p;
    p.blocks = job->shape.grid.count();
    const auto places = static_cast<uint64_t>(m->multiprocessors);
    const auto per_sm = (p.blocks + places - 1) / places;
    p.resident = static_cast<int>(std::min<uint64_t>(static_cast<uint64_t>(*fits), per_sm));
    const timing::Behind behind = behind_of(*m, *job, prepared, p.resident);
    p.from_memory = behind.from_memory;
    const timing::Setup setup{*m, *prepared.timing, behind, what_if, false};

    // Of each of some blocks that begin together, the whole depth.
    const int k = subject.problem.k, rest = k % 128;
    const int first = std::min(k, 128 + rest), second = std::min(k, 256 + rest);
    const auto ends = [&](int residents) -> base::Result<std::vector<double>> {
        auto a = run_of(kernel, subject, first, prepared, residents, setup, stop);
        if (!a) return a.error();
        std::vector<double> all(a->block_cycles.begin(), a->block_cycles.end());
        if (second == first) return all;
        auto b = run_of(kernel, subject, second, prepared, residents, setup, stop);
        if (!b) return b.error();
        for (size_t n = 0; n < all.size(); ++n) {
            const auto longer = static_cast<double>(b->block_cycles[n]);
            all[n] = longer + (longer - all[n]) / (second - first) * (k - second);
        }
        if (residents == p.resident) p.lost = std::move(b->lost);
        return all;
    };
    auto together = ends(p.resident);
    if (!together) return {nullptr, failed(together.error())};
    timing::BlockCycles cycles{.first = *together};
    cycles.alone = p.wave_cycles = *std::max_element(together->begin(), together->end());
    if (p.resident > 1) {
        auto alone = ends(1);
        if (!alone) return {nullptr, failed(alone.error())};
        cycles.alone = p.tail_cycles = alone->front();
    }
    p.cycles = std::max(timing::grid_cycles(*m, p.blocks, cycles), static_cast<double>(p.blocks) * m->block_interval);
    p.ms = p.cycles / m->clock_mhz / 1e3 + m->launch_us / 1e3;
    const auto& q = subject.problem;
    p.gflops = 2.0 * q.m * q.n * q.k / p.ms / 1e6;
    return {std::make_shared<const Prediction>(std::move(p)), {}};
}

Stage<BlockTime> time_block(const Job& job, const Prepared& prepared, const BlockRun& block,
                            const timing::WhatIf& what_if, std::stop_token stop) {
    if (auto known = is_known(job, prepared); !known) return {nullptr, failed(known.error())};
    if (block.trace.truncated)
        return {nullptr, failed({Failure::missing,
                                 base::say("the block executes more than is kept of it"),
                                 {},
                                 base::say("choose a smaller problem")})};
    auto fits = residents_of(job, prepared);
    if (!fits) return {nullptr, failed(fits.error())};
    const timing::Machine& m = *timing::machine(job.source.arch);
    const uint64_t grid = job.shape.grid.count(), places = static_cast<uint64_t>(m.multiprocessors),
                   here = base::index_of(block.trace.block_index, job.shape.grid);
    std::vector<uint64_t> others;
    for (uint64_t n = 1; n < static_cast<uint64_t>(*fits) && n * places < grid; ++n)
        others.push_back((here + n * places) % grid);
    auto streams = streams_of(job, prepared, others, stop);
    if (!streams) return {nullptr, failed(streams.error())};
    const timing::Stream own = timing::stream_of(block.trace, analysis::bank_rule(job.source.arch));
    std::vector<const timing::Stream*> blocks{&own};
    for (const timing::Stream& s : *streams) blocks.push_back(&s);
    BlockTime time;
    time.resident = static_cast<int>(blocks.size());
    time.run =
        timing::simulate({m, *prepared.timing, behind_of(m, job, prepared, time.resident), what_if, true}, blocks);
    return {std::make_shared<const BlockTime>(std::move(time)), {}};
}

} // namespace session
