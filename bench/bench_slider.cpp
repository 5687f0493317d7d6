// From a moved slider to its new picture, for every rung: compile, parse, execute one block, analyse; not
// the frame that draws it. Cold: nothing of this kernel was ever compiled. Cached: on disk, in another session.
// Figures: median and 95th percentile over all the moves that a slider of the rung allows from its initial values; in
// wall time, and in CPU time of all threads, which tells more where other programs run.
#include "base/file.h"
#include "session/session.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <optional>
#include <thread>
#include <unistd.h>

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using session::View;

enum class Cache { cold, on_disk };

fs::path cache_root() { return fs::temp_directory_path() / ("gemmscope_bench_slider." + std::to_string(::getpid())); }

session::Options options() {
    session::Options options;
    if (auto kernels = base::resource_folder("kernels")) options.kernel_folders = {*kernels};
    return options;
}

std::vector<View> moves(const catalog::Kernel& kernel) {
    std::vector<View> views;
    const auto initial = catalog::initial_values(kernel);
    for (const auto& parameter : kernel.parameters) {
        for (int value : parameter.values) {
            auto moved = catalog::nearest_legal(kernel, initial, parameter.name, value);
            if (!moved || *moved == initial) continue;
            View view;
            view.subject.kernel = kernel.id;
            view.subject.parameters = *moved;
            if (std::find(views.begin(), views.end(), view) == views.end()) views.push_back(view);
        }
    }
    return views;
}

struct Cost {
    double wall_ms = 0, cpu_ms = 0;
};

double cpu_ms() {
    timespec time{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
}

// Of the picture after the move; nothing if there is none.
std::optional<Cost> picture(const View& moved) {
    session::Session session(options());
    View before = moved; // the kernel is shown already; everything of the machine is warm but this setting
    before.subject.parameters.clear();
    session.apply(before, {});
    session.wait();
    const auto start = Clock::now();
    const double cpu_start = cpu_ms();
    session.apply(moved, {});
    while (session.products().block.face == session::Slot<session::BlockRun>::Face::computing) {
        session.update(0);
        std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    const Cost cost{std::chrono::duration<double, std::milli>(Clock::now() - start).count(), cpu_ms() - cpu_start};
    if (session.products().block.face != session::Slot<session::BlockRun>::Face::ready) return {};
    return cost;
}

double percentile(std::vector<double> values, size_t percent) {
    std::sort(values.begin(), values.end());
    return values[std::min(values.size() * percent / 100, values.size() - 1)];
}

void slider(benchmark::State& state, const catalog::Kernel& kernel, Cache cache) {
    const auto views = moves(kernel);
    std::vector<double> wall, cpu;
    size_t next = 0;
    for (auto _ : state) {
        const View& view = views[next++ % views.size()];
        ::setenv("GEMMSCOPE_CACHE", cache_root().c_str(), 1);
        if (cache == Cache::cold) fs::remove_all(cache_root());
        else (void)picture(view); // now it is on disk
        const auto cost = picture(view);
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
    benchmark::Initialize(&argc, argv);
    const auto catalog = catalog::load(options().kernel_folders);
    for (const auto& kernel : catalog.kernels) {
        const auto count = static_cast<int64_t>(moves(*kernel).size());
        if (count == 0) continue;
        for (auto [name, cache] : {std::pair{"cold", Cache::cold}, {"cached", Cache::on_disk}}) {
            benchmark::RegisterBenchmark((kernel->id + "/" + name).c_str(), [kernel, cache = cache](benchmark::State& state) { slider(state, *kernel, cache); })
                ->UseManualTime()
                ->Unit(benchmark::kMillisecond)
                ->Iterations(count);
        }
    }
    benchmark::RunSpecifiedBenchmarks();
}
