// The engine's speed: thread instructions per second of one core, for every set of lane handlers that this processor can run,
// with the observer that counts wavefronts and sectors and all checks ("counted"), with the checks alone ("checked"), and with
// neither ("none"); on two threads; and one block alone, as a slider's move needs it. At the end a table of the best of all
// iterations beside published figures.
#include "analysis/counting.h"
#include "analysis/machine_counts.h"
#include "base/file.h"
#include "catalog/catalog.h"
#include "session/stages.h"
#include "sim/program.h"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <map>
#include <string>
#include <tuple>

namespace {

struct Kernel {
    const char* id;
    catalog::Values values;
    std::string name() const { return id + (values.empty() ? std::string() : "_" + std::to_string(values.begin()->second)); }
};
const Kernel kernels[] = {
    {"shared_tile", {{"TILE", 16}}}, {"shared_tile", {{"TILE", 32}}}, {"register_tile", {}}, {"double_buffer", {}}, {"naive", {}}};
constexpr size_t tabled = 3; // the first so many are in the table

enum Mode { counted, checked, none };
constexpr const char* mode_names[] = {"counted", "checked", "none"};

constexpr catalog::Problem problem{512, 512, 256};

struct Case {
    session::Job job;
    session::Prepared prepared;
    session::Inputs inputs;
    sim::Launch launch;
    std::shared_ptr<const sim::Program> program; // with the lane handlers asked for
};

base::Result<Case> make(const Kernel& kernel, sim::Lanes lanes) {
    const auto folder = base::resource_folder("kernels");
    if (!folder) return folder.error();
    const catalog::Catalog all = catalog::load({*folder});
    session::Subject subject;
    subject.kernel = kernel.id;
    subject.parameters = kernel.values;
    subject.problem = problem;
    auto job = session::resolve(all, subject);
    if (!job) return job.error();
    auto prepared = session::prepare(*job);
    if (!prepared.value) return prepared.failed->error;
    auto inputs = session::make_inputs(*job, *prepared.value->program);
    if (!inputs) return inputs.error();
    auto program = sim::decode(prepared.value->program->module, prepared.value->program->entry, true, lanes);
    if (!program) return program.error();
    sim::Launch launch{job->shape.grid, job->shape.block, job->shape.dynamic_shared_bytes, inputs->parameters};
    return Case{std::move(*job), *prepared.value, std::move(*inputs), std::move(launch), *program};
}

// Thread instructions per second of the fastest iteration: of a core's time on one thread, of the clock's on more.
using Best = std::map<std::tuple<std::string, std::string, Mode, int>, double>; // kernel, lanes, mode, threads

double core_seconds() {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

void run_grid(benchmark::State& state, const Kernel& kernel, sim::Lanes lanes, Mode mode, int threads, Best& results) {
    auto made = make(kernel, lanes);
    if (!made) return state.SkipWithError(made.error().sentence().c_str());
    double instructions = 0;
    double& best = results[{kernel.name(), lanes.name, mode, threads}];
    const std::vector<bool> may_fuse = analysis::fusible(*made->prepared.listing);
    for (auto _ : state) {
        sim::Options options;
        analysis::Counting counts(analysis::bank_rule("sm_90"), made->prepared.listing->instructions.size(), may_fuse);
        if (mode == counted) options.observer = [&] { return counts.observer(); };
        options.checks = mode != none;
        options.threads = threads;
        const double start = core_seconds();
        auto outcome = sim::run(*made->program, made->launch, made->inputs.memory, options);
        const double seconds = threads == 1 ? core_seconds() - start : outcome ? outcome->wall_s : 0;
        if (!outcome) return state.SkipWithError(outcome.error().sentence().c_str());
        const auto done = static_cast<double>(outcome->thread_instructions);
        instructions += done;
        best = std::max(best, done / seconds);
    }
    state.counters["thread instructions"] = benchmark::Counter(instructions, benchmark::Counter::kIsRate);
}

void run_block(benchmark::State& state, const Kernel& kernel) {
    auto made = make(kernel, sim::best_lanes());
    if (!made) return state.SkipWithError(made.error().sentence().c_str());
    for (auto _ : state) {
        sim::Options options;
        options.traced_block = base::Dim3{0, 0, 0};
        options.traced_block_only = true;
        auto outcome = sim::run(*made->program, made->launch, made->inputs.memory, options);
        if (!outcome) return state.SkipWithError(outcome.error().sentence().c_str());
    }
}

void add_benchmarks(Best& results) {
    for (const Kernel& kernel : kernels) {
        for (const sim::Lanes& lanes : sim::supported_lanes())
            for (const Mode mode : {counted, checked, none}) {
                const std::string name = kernel.name() + "/" + lanes.name + "/" + mode_names[mode];
                const auto add = [&](const std::string& full_name, int threads) {
                    return benchmark::RegisterBenchmark(full_name.c_str(), [=, &kernel, &results](benchmark::State& s) { run_grid(s, kernel, lanes, mode, threads, results); })
                        ->Unit(benchmark::kMillisecond);
                };
                add(name, 1);
                if (lanes.name == std::string(sim::best_lanes().name)) add(name + "/two_threads", 2)->UseRealTime();
            }
        benchmark::RegisterBenchmark((kernel.name() + "/one_block_traced").c_str(), [&kernel](benchmark::State& s) { run_block(s, kernel); })
            ->Unit(benchmark::kMillisecond);
    }
}

// Of the project's specification, which measured them at 256^3 on one core of a machine with AVX-512; ranges are its own.
struct Published {
    const char* engine;
    const char* rate[tabled];
};
constexpr Published published[] = {
    {"GPGPU-Sim, functional mode", {"11-12 M", "9.6 M", "7.3 M"}},
    {"GPU Ocelot, emulator with memory and race checks", {"30-32 M", "32 M", "27 M"}},
    {"GPU Ocelot, LLVM JIT without checks", {"0.65-0.70 G", "1.18 G", "1.97 G"}},
    {"a prototype, AVX-512, with checks and counters", {"1.4-1.8 G", "2.9 G", "2.9 G"}},
    {"the same without checks", {"4.5-5.5 G", "5.6-9.8 G", "6.9 G"}},
};

void print_table(const Best& results) {
    const auto rate = [&](size_t kernel, const char* lanes, Mode mode, int threads) {
        const auto at = results.find({kernels[kernel].name(), lanes, mode, threads});
        return at == results.end() ? 0.0 : at->second;
    };
    const auto line = [](const std::string& engine, const auto& cell) {
        fmt::print("| {:<52} | {:>11} | {:>11} | {:>13} |\n", engine, cell(0), cell(1), cell(2));
    };
    fmt::print("\nThread instructions per second of one core, {} x {} x {}, best iteration; published figures: 256^3, from the specification\n", problem.m, problem.n, problem.k);
    line("engine", [](size_t kernel) { return std::array{"16x16 tile", "32x32 tile", "register tile"}[kernel]; });
    for (const Published& p : published) line(p.engine, [&](size_t kernel) { return p.rate[kernel]; });
    constexpr const char* what[] = {"checks and counters", "checks", "neither"};
    for (const sim::Lanes& lanes : sim::supported_lanes())
        for (const Mode mode : {counted, checked, none})
            line(fmt::format("gemmscope, {}, {}", lanes.name, what[mode]), [&](size_t kernel) {
                const double r = rate(kernel, lanes.name, mode, 1);
                return r > 0 ? fmt::format("{:.2f} G", r / 1e9) : std::string("not run");
            });
    const char* const lanes = sim::best_lanes().name;
    for (const Mode mode : {counted, checked, none})
        line(fmt::format("two threads over one, {}, {}", lanes, what[mode]), [&](size_t kernel) {
            const double one = rate(kernel, lanes, mode, 1), two = rate(kernel, lanes, mode, 2);
            return one > 0 && two > 0 ? fmt::format("{:.2f} x", two / one) : std::string("not run");
        });
}

} // namespace

int main(int argc, char** argv) {
    Best results;
    add_benchmarks(results);
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    benchmark::RunSpecifiedBenchmarks();
    print_table(results);
}
