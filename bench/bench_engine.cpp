// The engine's speed: thread instructions per second of one core's time, with checks and counts on, and with the
// observer that counts wavefronts and sectors; and one block alone, as a slider's move needs it.
#include "base/file.h"
#include "catalog/catalog.h"
#include "session/stages.h"

#include <benchmark/benchmark.h>

#include <cstring>

namespace {

struct Case {
    session::Job job;
    session::Prepared prepared;
    session::Inputs inputs;
    sim::Launch launch;
};

base::Result<Case> make(const char* kernel, catalog::Values values, catalog::Problem problem) {
    const auto folder = base::resource_folder("kernels");
    if (!folder) return folder.error();
    const catalog::Catalog kernels = catalog::load({*folder});
    session::Subject subject;
    subject.kernel = kernel;
    subject.parameters = std::move(values);
    subject.problem = problem;
    auto job = session::resolve(kernels, subject);
    if (!job) return job.error();
    auto prepared = session::prepare(*job);
    if (!prepared.value) return prepared.failed->error;
    auto inputs = session::make_inputs(*job, *prepared.value->program);
    if (!inputs) return inputs.error();
    sim::Launch launch{job->shape.grid, job->shape.block, job->shape.dynamic_shared_bytes, inputs->parameters};
    return Case{std::move(*job), *prepared.value, std::move(*inputs), std::move(launch)};
}

void run_case(benchmark::State& state, const char* kernel, catalog::Values values, bool one_block, bool counting) {
    auto made = make(kernel, std::move(values), {512, 512, 256});
    if (!made) {
        state.SkipWithError(made.error().sentence().c_str());
        return;
    }
    double instructions = 0;
    for (auto _ : state) {
        sim::Options options;
        analysis::Counting counts(analysis::bank_rule("sm_90"), made->prepared.listing->instructions.size());
        if (counting) options.observer = [&] { return counts.observer(); };
        if (one_block) options.traced_block = base::Dim3{0, 0, 0};
        options.traced_block_only = one_block;
        auto outcome = sim::run(*made->prepared.program, made->launch, made->inputs.memory, options);
        if (!outcome) return state.SkipWithError(outcome.error().sentence().c_str());
        instructions += static_cast<double>(outcome->thread_instructions);
    }
    state.counters["thread instructions"] = benchmark::Counter(instructions, benchmark::Counter::kIsRate);
}

} // namespace

int main(int argc, char** argv) {
    const struct { const char* kernel; catalog::Values values; } cases[] = {
        {"naive", {}}, {"shared_tile", {{"TILE", 16}}}, {"shared_tile", {{"TILE", 32}}}, {"register_tile", {}}, {"double_buffer", {}}};
    for (const auto& c : cases) {
        const std::string name = c.kernel + (c.values.empty() ? std::string() : "_" + std::to_string(c.values.begin()->second));
        const auto add = [&](const char* what, bool one_block, bool counting) {
            benchmark::RegisterBenchmark((name + "/" + what).c_str(), [=](benchmark::State& s) { run_case(s, c.kernel, c.values, one_block, counting); })
                ->Unit(benchmark::kMillisecond);
        };
        add("checked", false, false);
        add("counted", false, true);
        add("one_block_traced", true, true);
    }
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
}
