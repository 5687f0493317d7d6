// The engine's speed: thread instructions per second of one core, for every set of lane handlers that this processor can run,
// with the observer that counts wavefronts and sectors and all checks ("counted"), with the checks alone ("checked"), and with
// neither ("none"); on two threads; and one block alone, as a slider's move needs it. At the end a table of the best of all
// iterations beside published figures.
// Those named "all" run every kernel of the catalogue, counted, on one thread, at every setting of engine_settings.h and two sizes, of
// which one divides nothing, the PTX with each set of handlers and the machine code. At the end a table of them for each size, and the settings below 1 G.
#include "engine_settings.h"

#include "analysis/counters.h"
#include "analysis/counting.h"
#include "base/file.h"
#include "catalog/catalog.h"
#include "ptx/parser.h"
#include "session/stages.h"
#include "sim/program/program.h"

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
    std::string name() const {
        return id + (values.empty() ? std::string() : "_" + std::to_string(values.begin()->second));
    }
};
const Kernel kernels[] = {{"shared_tile", {{"TILE", 16}}},
                          {"shared_tile", {{"TILE", 32}}},
                          {"register_tile", {}},
                          {"double_buffer", {}},
                          {"naive", {}}};
constexpr size_t tabled = 3; // the first so many are in the table

enum Mode { counted, checked, none };
constexpr const char* mode_names[] = {"counted", "checked", "none"};

constexpr catalog::Problem problem{512, 512, 256}, ragged{509, 503, 251};

struct Case {
    session::Job job;
    session::Prepared prepared;
    session::Inputs inputs;
    sim::Launch launch;
    std::shared_ptr<const sim::Program> program; // with the lane handlers asked for
};

using trace::Engine;

// Machine code has the best lane handlers, whatever is asked for.
base::Result<Case> make(const catalog::Catalog& all, const Kernel& kernel, sim::Lanes lanes,
                        catalog::Problem size = problem, Engine engine = Engine::ptx) {
    session::Subject subject;
    subject.engine = engine;
    subject.kernel = kernel.id;
    subject.parameters = kernel.values;
    subject.problem = size;
    auto job = session::resolve(all, subject);
    if (!job) return job.error();
    auto prepared = session::prepare(*job);
    if (!prepared.value) return prepared.failed->error;
    auto inputs = session::make_inputs(*job, *prepared.value->program);
    if (!inputs) return inputs.error();
    sim::Launch launch{job->shape.grid, job->shape.block, job->shape.dynamic_shared_bytes, inputs->parameters};
    if (engine == Engine::machine) {
        if (const base::Sentence& why = prepared.value->fallback; !why.empty())
            return base::Error{base::Failure::missing, why, kernel.id, {}};
        return Case{std::move(*job), *prepared.value, std::move(*inputs), std::move(launch), prepared.value->program};
    }
    auto module = ptx::parse(prepared.value->ptx->text);
    if (!module) return module.error();
    auto program = sim::decode(std::make_shared<const ptx::Module>(std::move(*module)), prepared.value->ptx->entry,
                               sim::Rows::reused, lanes);
    if (!program) return program.error();
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
// By lanes or "machine", and whether the size is ragged; then by kernel.
using Figures = std::map<std::pair<std::string, bool>, std::map<std::string, Settings>>;

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

void run_grid(benchmark::State& state, const catalog::Catalog& all, const Kernel& kernel, sim::Lanes lanes, Mode mode,
              int threads, Best& results) {
    auto made = make(all, kernel, lanes);
    if (!made) return state.SkipWithError(made.error().sentence().c_str());
    double instructions = 0;
    double& best = results[{kernel.name(), lanes.name, mode, threads}];
    for (auto _ : state) {
        analysis::Counting counts(analysis::bank_rule("sm_90"), made->prepared.listing->instructions.size());
        const auto done = run_once(*made, counts, mode, threads);
        if (!done) return state.SkipWithError(done.error().sentence().c_str());
        const auto executed = static_cast<double>(done->outcome.thread_instructions);
        instructions += executed;
        best = std::max(best, executed / done->seconds);
    }
    state.counters["thread instructions"] = benchmark::Counter(instructions, benchmark::Counter::kIsRate);
}

void run_setting(benchmark::State& state, const catalog::Catalog& all, const Kernel& kernel, sim::Lanes lanes,
                 Engine engine, catalog::Problem size, Figure& best) {
    auto made = make(all, kernel, lanes, size, engine);
    if (!made) return state.SkipWithError(made.error().sentence().c_str());
    const trace::Listing& listing = *made->prepared.listing;
    double instructions = 0;
    for (auto _ : state) {
        analysis::Counting counts(analysis::bank_rule("sm_90"), listing.instructions.size());
        const auto done = run_once(*made, counts, counted, 1);
        if (!done) return state.SkipWithError(done.error().sentence().c_str());
        if (!done->outcome.findings.empty())
            return state.SkipWithError(done->outcome.findings[0].text.english().c_str());
        const auto executed = static_cast<double>(done->outcome.thread_instructions);
        instructions += executed;
        if (best.seconds > 0 && best.seconds <= done->seconds) continue;
        best = {done->seconds, executed,
                static_cast<double>(analysis::totals(listing, done->outcome.counts).tensor_core_flop)};
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

void add_settings(const catalog::Catalog& all, const catalog::Kernel& kernel, const std::string& cases,
                  sim::Lanes lanes, Engine engine, Figures& figures) {
    const std::string by = engine == Engine::machine ? "machine" : lanes.name;
    const auto settings = bench::settings_of(kernel, cases);
    for (const bool divides_nothing : {false, true}) {
        Settings& results = figures[{by, divides_nothing}][kernel.id];
        const catalog::Problem size = divides_nothing ? ragged : problem;
        for (const catalog::Values& values : settings) {
            const bool initial = &values == &settings.front();
            const std::string name = initial ? "initial" : setting_name(kernel, values);
            const std::string full_name =
                "all/" + kernel.id + "/" + by + "/" + (divides_nothing ? "ragged/" : "") + name;
            Figure& best = initial ? results.initial : results.others[name];
            benchmark::RegisterBenchmark(full_name.c_str(),
                                         [=, &all, &kernel, &best](benchmark::State& s) {
                                             run_setting(s, all, {kernel.id, values}, lanes, engine, size, best);
                                         })
                ->Unit(benchmark::kMillisecond)
                ->Iterations(2);
        }
    }
}

void add_benchmarks(const catalog::Catalog& all, const std::string& cases, Best& results, Figures& figures) {
    for (const sim::Lanes& lanes : sim::supported_lanes())
        for (const auto& kernel : all.kernels) add_settings(all, *kernel, cases, lanes, Engine::ptx, figures);
    for (const auto& kernel : all.kernels)
        add_settings(all, *kernel, cases, sim::best_lanes(), Engine::machine, figures);
    for (const Kernel& kernel : kernels) {
        for (const sim::Lanes& lanes : sim::supported_lanes())
            for (const Mode mode : {counted, checked, none}) {
                const std::string name = kernel.name() + "/" + lanes.name + "/" + mode_names[mode];
                const auto add = [&](const std::string& full_name, int threads) {
                    return benchmark::RegisterBenchmark(full_name.c_str(),
                                                        [=, &all, &kernel, &results](benchmark::State& s) {
                                                            run_grid(s, all, kernel, lanes, mode, threads, results);
                                                        })
                        ->Unit(benchmark::kMillisecond);
                };
                add(name, 1);
                if (lanes.name == std::string(sim::best_lanes().name)) add(name + "/two_threads", 2)->UseRealTime();
            }
        benchmark::RegisterBenchmark((kernel.name() + "/one_block_traced").c_str(), [&](benchmark::State& s) {
            run_block(s, all, kernel);
        })->Unit(benchmark::kMillisecond);
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

// One row a kernel; the setting with the lowest rate stands beside the initial one. Below: every setting that is too slow, the worst first.
void print_figures(const catalog::Catalog& all, const std::string& lanes, catalog::Problem size,
                   const std::map<std::string, Settings>& figures) {
    constexpr double enough = 1e9; // thread instructions per second
    const auto run = [](const Figure& f) { return f.seconds > 0; };
    if (std::none_of(figures.begin(), figures.end(), [&](const auto& f) {
            return run(f.second.initial) || std::any_of(f.second.others.begin(), f.second.others.end(),
                                                        [&](const auto& o) { return run(o.second); });
        }))
        return;
    std::multimap<double, std::string> below;
    const auto rate = [&](const Figure& f) { return run(f) ? fmt::format("{:.2f} G", f.rate() / 1e9) : std::string(); };
    fmt::print(
        "\nEvery kernel, {}, checks and counters, one core, {} x {} x {}: thread instructions, time and rate with initial values; the slowest other values\n",
        lanes, size.m, size.n, size.k);
    fmt::print("| {:<22} | {:>9} | {:>9} | {:>8} | {:>8} | {}\n", "kernel", "instr.", "time", "rate", "slowest",
               "with");
    for (const auto& kernel : all.kernels) {
        const Settings& s = figures.at(kernel->id);
        const std::pair<const std::string, Figure>* slowest = nullptr;
        bool tensor = s.initial.flop > 0;
        const auto look = [&](const std::string& name, const Figure& f) {
            if (run(f) && f.flop == 0 && f.rate() < enough) below.emplace(f.rate(), kernel->id + " with " + name);
        };
        look("initial values", s.initial);
        for (const auto& other : s.others) {
            look(other.first, other.second);
            tensor |= other.second.flop > 0;
            if (run(other.second) && (!slowest || other.second.rate() < slowest->second.rate())) slowest = &other;
        }
        if (!run(s.initial) && !slowest) continue;
        fmt::print("| {:<22} | {:>7.1f} M | {:>6.1f} ms | {:>8} | {:>8} | {}\n", kernel->id,
                   s.initial.instructions / 1e6, s.initial.seconds * 1e3, rate(s.initial),
                   slowest ? rate(slowest->second) : "",
                   (slowest ? slowest->first : "") + (tensor ? " (tensor cores)" : ""));
    }
    fmt::print("Below {:.0f} G without tensor cores: {}\n", enough / 1e9, below.empty() ? "none" : "");
    for (const auto& [slow, name] : below) fmt::print("  {:.2f} G, {}\n", slow / 1e9, name);
}

void print_table(const Best& results) {
    const auto rate = [&](size_t kernel, const char* lanes, Mode mode, int threads) {
        const auto at = results.find({kernels[kernel].name(), lanes, mode, threads});
        return at == results.end() ? 0.0 : at->second;
    };
    const auto line = [](const std::string& engine, const auto& cell) {
        fmt::print("| {:<52} | {:>11} | {:>11} | {:>13} |\n", engine, cell(0), cell(1), cell(2));
    };
    fmt::print(
        "\nThread instructions per second of one core, {} x {} x {}, best iteration; published figures: 256^3, from the specification\n",
        problem.m, problem.n, problem.k);
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
    const auto cases = base::read_file(*folder / ".." / "tests" / "data" / "counters" / "cases.txt");
    if (!cases) fmt::print(stderr, "{}: its settings are left out\n", cases.error().sentence());
    add_benchmarks(all, cases ? *cases : std::string(), results, figures);
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
    benchmark::RunSpecifiedBenchmarks();
    if (!results.empty()) print_table(results);
    for (const auto& [of, all_kernels] : figures)
        print_figures(all, of.first, of.second ? ragged : problem, all_kernels);
}
