// The engine's speed: thread instructions per second of one core, for every set of lane handlers that this processor can run,
// with the observer that counts wavefronts and sectors and all checks ("counted"), with the checks alone ("checked"), and with
// neither ("none"); on two threads; and one block alone, as a slider's move needs it. At the end a table of the best of all
// iterations beside published figures.
// Those named "all" run every kernel of the catalogue, counted, on one thread: with its initial values, and with each parameter
// at each value that it offers, the others moved as little as the rules ask. At the end a table of them, and the worst.
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
    std::string id;
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

base::Result<Case> make(const catalog::Catalog& all, const Kernel& kernel, sim::Lanes lanes) {
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

// Of one setting of a kernel, by the fastest iteration.
struct Figure {
    double seconds = 0, instructions = 0; // of a core; thread instructions
    double flop = 0;                      // of the tensor cores
    double rate() const { return instructions / seconds; }
};
struct Settings { // of one kernel
    Figure initial;
    std::map<std::string, Figure> others;
};
using Figures = std::map<std::string, std::map<std::string, Settings>>; // by lanes, then by kernel

double core_seconds() {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

struct Done {
    double seconds;
    sim::Outcome outcome;
};

base::Result<Done> run_once(Case& made, analysis::Counting& counts, Mode mode, int threads) {
    sim::Options options;
    if (mode == counted) options.observer = [&] { return counts.observer(); };
    options.checks = mode != none;
    options.threads = threads;
    const double start = core_seconds();
    auto outcome = sim::run(*made.program, made.launch, made.inputs.memory, options);
    const double seconds = core_seconds() - start;
    if (!outcome) return outcome.error();
    return Done{threads == 1 ? seconds : outcome->wall_s, std::move(*outcome)};
}

void run_grid(benchmark::State& state, const catalog::Catalog& all, const Kernel& kernel, sim::Lanes lanes, Mode mode, int threads, Best& results) {
    auto made = make(all, kernel, lanes);
    if (!made) return state.SkipWithError(made.error().sentence().c_str());
    double instructions = 0;
    double& best = results[{kernel.name(), lanes.name, mode, threads}];
    const std::vector<bool> may_fuse = analysis::fusible(*made->prepared.listing);
    for (auto _ : state) {
        analysis::Counting counts(analysis::bank_rule("sm_90"), made->prepared.listing->instructions.size(), may_fuse);
        const auto done = run_once(*made, counts, mode, threads);
        if (!done) return state.SkipWithError(done.error().sentence().c_str());
        const auto executed = static_cast<double>(done->outcome.thread_instructions);
        instructions += executed;
        best = std::max(best, executed / done->seconds);
    }
    state.counters["thread instructions"] = benchmark::Counter(instructions, benchmark::Counter::kIsRate);
}

void run_setting(benchmark::State& state, const catalog::Catalog& all, const Kernel& kernel, sim::Lanes lanes, Figure& best) {
    auto made = make(all, kernel, lanes);
    if (!made) return state.SkipWithError(made.error().sentence().c_str());
    const trace::Listing& listing = *made->prepared.listing;
    const std::vector<bool> may_fuse = analysis::fusible(listing);
    double instructions = 0;
    for (auto _ : state) {
        analysis::Counting counts(analysis::bank_rule("sm_90"), listing.instructions.size(), may_fuse);
        const auto done = run_once(*made, counts, counted, 1);
        if (!done) return state.SkipWithError(done.error().sentence().c_str());
        if (!done->outcome.findings.empty()) return state.SkipWithError(done->outcome.findings[0].text.c_str());
        const auto executed = static_cast<double>(done->outcome.thread_instructions);
        instructions += executed;
        if (best.seconds > 0 && best.seconds <= done->seconds) continue;
        best = {done->seconds, executed, static_cast<double>(analysis::totals(listing, done->outcome.counts).tensor_core_flop)};
    }
    state.counters["thread instructions"] = benchmark::Counter(instructions, benchmark::Counter::kIsRate);
}

void run_block(benchmark::State& state, const catalog::Catalog& all, const Kernel& kernel) {
    auto made = make(all, kernel, sim::best_lanes());
    if (!made) return state.SkipWithError(made.error().sentence().c_str());
    for (auto _ : state) {
        sim::Options options;
        options.traced_block = base::Dim3{0, 0, 0};
        options.traced_block_only = true;
        auto outcome = sim::run(*made->program, made->launch, made->inputs.memory, options);
        if (!outcome) return state.SkipWithError(outcome.error().sentence().c_str());
    }
}

std::string setting_name(const catalog::Kernel& kernel, const catalog::Values& values) {
    std::string name;
    for (const catalog::Parameter& p : kernel.parameters)
        if (!p.host) name += (name.empty() ? "" : ",") + p.name + "=" + std::to_string(values.at(p.name));
    return name;
}

void add_settings(const catalog::Catalog& all, const catalog::Kernel& kernel, sim::Lanes lanes, Settings& results) {
    const auto add = [&](const std::string& name, const catalog::Values& values, Figure& best) {
        const std::string full_name = "all/" + kernel.id + "/" + lanes.name + "/" + name;
        benchmark::RegisterBenchmark(full_name.c_str(), [=, &all, &best](benchmark::State& s) { run_setting(s, all, {kernel.id, values}, lanes, best); })
            ->Unit(benchmark::kMillisecond)->Iterations(2);
    };
    const catalog::Values initial = catalog::initial_values(kernel);
    add("initial", initial, results.initial);
    for (const catalog::Parameter& parameter : kernel.parameters)
        for (const int value : parameter.values) {
            const auto values = catalog::nearest_legal(kernel, initial, parameter.name, value);
            if (parameter.host || !values || *values == initial) continue;
            const std::string name = setting_name(kernel, *values);
            if (!results.others.contains(name)) add(name, *values, results.others[name]);
        }
}

void add_benchmarks(const catalog::Catalog& all, Best& results, Figures& figures) {
    for (const sim::Lanes& lanes : sim::supported_lanes())
        for (const auto& kernel : all.kernels) add_settings(all, *kernel, lanes, figures[lanes.name][kernel->id]);
    for (const Kernel& kernel : kernels) {
        for (const sim::Lanes& lanes : sim::supported_lanes())
            for (const Mode mode : {counted, checked, none}) {
                const std::string name = kernel.name() + "/" + lanes.name + "/" + mode_names[mode];
                const auto add = [&](const std::string& full_name, int threads) {
                    return benchmark::RegisterBenchmark(full_name.c_str(), [=, &all, &kernel, &results](benchmark::State& s) { run_grid(s, all, kernel, lanes, mode, threads, results); })
                        ->Unit(benchmark::kMillisecond);
                };
                add(name, 1);
                if (lanes.name == std::string(sim::best_lanes().name)) add(name + "/two_threads", 2)->UseRealTime();
            }
        benchmark::RegisterBenchmark((kernel.name() + "/one_block_traced").c_str(), [&](benchmark::State& s) { run_block(s, all, kernel); })
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

// One row a kernel; the setting with the lowest rate stands beside the initial one.
void print_figures(const catalog::Catalog& all, const std::string& lanes, const std::map<std::string, Settings>& figures) {
    struct Worst {
        double rate = 0;
        std::string name;
    } worst[2]; // of all kernels: with initial values, with others; not of those that use tensor cores
    const auto lower = [](Worst& w, double rate, const std::string& name) {
        if (w.name.empty() || rate < w.rate) w = {rate, name};
    };
    const auto run = [](const Figure& f) { return f.seconds > 0; };
    if (std::none_of(figures.begin(), figures.end(), [&](const auto& f) { return run(f.second.initial); })) return;
    fmt::print("\nEvery kernel, {}, checks and counters, one core, {} x {} x {}: thread instructions, time and rate with initial values; the slowest other values\n", lanes, problem.m, problem.n, problem.k);
    fmt::print("| {:<22} | {:>9} | {:>9} | {:>8} | {:>8} | {}\n", "kernel", "instr.", "time", "rate", "slowest", "with");
    for (const auto& kernel : all.kernels) {
        const Settings& s = figures.at(kernel->id);
        if (!run(s.initial)) continue;
        const bool counts = s.initial.flop == 0;
        Worst slowest;
        for (const auto& [name, figure] : s.others)
            if (run(figure)) lower(slowest, figure.rate(), name);
        if (counts) lower(worst[0], s.initial.rate(), kernel->id);
        if (counts && !slowest.name.empty()) lower(worst[1], slowest.rate, kernel->id + " with " + slowest.name);
        fmt::print("| {:<22} | {:>7.1f} M | {:>6.1f} ms | {:>6.2f} G | {:>8} | {}\n", kernel->id, s.initial.instructions / 1e6, s.initial.seconds * 1e3, s.initial.rate() / 1e9,
                   slowest.name.empty() ? "" : fmt::format("{:.2f} G", slowest.rate / 1e9), slowest.name + (counts ? "" : " (tensor cores)"));
    }
    fmt::print("Worst without tensor cores: {:.2f} G, {}", worst[0].rate / 1e9, worst[0].name);
    if (!worst[1].name.empty()) fmt::print("; {:.2f} G, {}", worst[1].rate / 1e9, worst[1].name);
    fmt::print("\n");
}

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
    const auto folder = base::resource_folder("kernels");
    if (!folder) {
        fmt::print(stderr, "{}\n", folder.error().sentence());
        return 1;
    }
    const catalog::Catalog all = catalog::load({*folder});
    Best results;
    Figures figures;
    add_benchmarks(all, results, figures);
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    benchmark::RunSpecifiedBenchmarks();
    if (!results.empty()) print_table(results);
    for (const auto& [lanes, of_lanes] : figures) print_figures(all, lanes, of_lanes);
}
