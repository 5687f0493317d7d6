// From a moved slider to its new picture in the full window, for every rung: compile, parse, execute one block, analyse,
// draw. Cold: nothing of this kernel was ever compiled. Ahead: nothing was when the kernel was chosen, and the program has compiled
// what one slider can lead to, as it does while one looks at the picture; ahead_ms is how long that took. Cached: on disk, in another session.
// Each where machine code is executed, and where PTX is.
// Figures: median and 95th percentile over all the moves that a slider of the rung allows from its initial values; in
// wall time, and in CPU time of all threads, which tells more where other programs run.
#include "base/heap.h"
#include "moves.h"
#include "screen.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <optional>
#include <semaphore>
#include <unistd.h>

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using session::View;

enum class Cache { cold, ahead, on_disk };

fs::path cache_root() { return fs::temp_directory_path() / ("gemmscope_bench_slider." + std::to_string(::getpid())); }

struct Cost {
    double wall_ms = 0, cpu_ms = 0;
};

double cpu_ms() {
    timespec time{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
}

// Of the picture after the move, from the frame in which the slider moves to the one that shows it; nothing if there is none.
std::optional<Cost> picture(bench::Screen& screen, const View& moved) {
    std::counting_semaphore news{0};
    session::Options options = screen.options();
    options.wake = [&] { news.release(); };
    session::Session session(std::move(options));
    View before = moved; // the kernel is shown already; everything of the machine is warm but this setting
    before.subject.parameters.clear();
    session.apply(before, {});
    session.wait();
    screen.draw(session);
    const auto start = Clock::now();
    const double cpu_start = cpu_ms();
    screen.draw(session, [&](ui::Context& context) { context.view.subject = moved.subject; });
    while (session.products().block.face == session::Slot<session::BlockRun>::Face::computing) {
        news.acquire();
        session.update(0);
    }
    screen.draw(session);
    const Cost cost{std::chrono::duration<double, std::milli>(Clock::now() - start).count(), cpu_ms() - cpu_start};
    if (session.products().block.face != session::Slot<session::BlockRun>::Face::ready) return {};
    return cost;
}

// As a new user comes to the kernel: returns how long what is compiled ahead of the sliders takes, in milliseconds.
double compile_ahead(bench::Screen& screen, const catalog::Kernel& kernel, session::Engine engine) {
    std::counting_semaphore news{0};
    session::Options options = screen.options();
    options.interactive = true;
    options.wake = [&] { news.release(); };
    session::Session session(std::move(options));
    View view;
    view.subject.kernel = kernel.id;
    view.subject.engine = engine;
    view.subject.parameters = catalog::initial_values(kernel); // from where the moves start
    session.apply(view, {});
    session.wait();
    const auto start = Clock::now();
    while (session.compiling_ahead()) {
        news.acquire();
        session.update(0);
    }
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

double percentile(std::vector<double> values, size_t percent) {
    std::sort(values.begin(), values.end());
    return values[std::min(values.size() * percent / 100, values.size() - 1)];
}

void slider(benchmark::State& state, bench::Screen& screen, const catalog::Kernel& kernel, session::Engine engine,
            Cache cache) {
    auto views = bench::moves(kernel);
    for (View& view : views) view.subject.engine = engine;
    std::vector<double> wall, cpu;
    size_t next = 0;
    ::setenv("GEMMSCOPE_CACHE", cache_root().c_str(), 1);
    if (cache == Cache::ahead) state.counters["ahead_ms"] = compile_ahead(screen, kernel, engine);
    for (auto _ : state) {
        const View& view = views[next++ % views.size()];
        if (cache == Cache::cold) fs::remove_all(cache_root());
        if (cache == Cache::on_disk) (void)picture(screen, view); // now it is
        const auto cost = picture(screen, view);
        if (!cost) return state.SkipWithError("no picture");
        state.SetIterationTime(cost->wall_ms / 1e3);
        wall.push_back(cost->wall_ms), cpu.push_back(cost->cpu_ms);
    }
    state.counters["median_ms"] = percentile(wall, 50);
    state.counters["p95_ms"] = percentile(wall, 95);
    state.counters["cpu_median_ms"] = percentile(cpu, 50);
    state.counters["cpu_p95_ms"] = percentile(cpu, 95);
    fs::remove_all(cache_root());
}

} // namespace

int main(int argc, char** argv) {
    base::keep_freed_memory();
    benchmark::Initialize(&argc, argv);
    auto screen = bench::Screen::open();
    if (!screen) {
        std::fprintf(stderr, "bench_slider: %s\n", screen.error().sentence().c_str());
        return 3;
    }
    const auto catalog = catalog::load((*screen)->options().kernel_folders);
    for (const auto& kernel : catalog.kernels) {
        const auto count = static_cast<int64_t>(bench::moves(*kernel).size());
        if (count == 0) continue;
        using session::Engine;
        for (const auto& [by, engine] : {std::pair{"machine", Engine::machine}, {"ptx", Engine::ptx}})
            for (const auto& [name, cache] :
                 {std::pair{"cold", Cache::cold}, {"ahead", Cache::ahead}, {"cached", Cache::on_disk}}) {
                auto run = [&, kernel, engine = engine, cache = cache](benchmark::State& state) {
                    slider(state, **screen, *kernel, engine, cache);
                };
                benchmark::RegisterBenchmark((kernel->id + "/" + by + "/" + name).c_str(), run)
                    ->UseManualTime()
                    ->Unit(benchmark::kMillisecond)
                    ->Iterations(count);
            }
    }
    benchmark::RunSpecifiedBenchmarks();
}
