// A frame of the full window: at rest, with playback moving every view, and while jobs run on all cores. The contract:
// 95th percentile under 16 ms.
#include "base/heap.h"
#include "moves.h"
#include "screen.h"
#include "ui/stepping.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>

namespace {

using session::MiddleTab;

// One frame after the other; `edit` moves the view, `update` lets the session's jobs come and go.
void frames(benchmark::State& state, session::View view, const std::function<void(ui::Context&)>& edit, bool update) {
    auto screen = bench::Screen::open();
    if (!screen) return state.SkipWithError(screen.error().sentence().c_str());
    session::Session session((*screen)->options());
    session.apply(view, {});
    session.wait();

    std::vector<double> milliseconds;
    for (auto _ : state) {
        const auto start = std::chrono::steady_clock::now();
        if (update) session.update(1.0 / 60);
        (*screen)->draw(session, edit);
        milliseconds.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
    }
    std::sort(milliseconds.begin(), milliseconds.end());
    state.counters["p50_ms"] = milliseconds[milliseconds.size() / 2];
    state.counters["p95_ms"] = milliseconds[milliseconds.size() * 95 / 100];
}

session::View showing(MiddleTab tab) {
    session::View view;
    view.middle_tab = tab;
    return view;
}

void at_rest(benchmark::State& state) { frames(state, showing(MiddleTab::banks), {}, false); }

void stepping(benchmark::State& state, MiddleTab tab) {
    frames(state, showing(tab), [](ui::Context& context) { ui::step(context, 1); }, false);
}

// The grid is counted and verified on every core; when it is done, another size.
void counting(benchmark::State& state) {
    frames(state, showing(MiddleTab::banks), [](ui::Context& context) {
        if (context.session.products().grid.face == session::Slot<session::FullRun>::Face::computing) return;
        const int k = context.view.subject.problem.k;
        context.view.subject.problem = {1024, 1024, k < 1024 ? 1024 : k + 8};
    }, true);
}

// A tile size every tenth frame, none of them ever compiled before: compilations, blocks and grids, started and cancelled.
void dragging(benchmark::State& state) {
    const auto cache = std::filesystem::temp_directory_path() / "gemmscope_bench_frame";
    std::filesystem::remove_all(cache);
    ::setenv("GEMMSCOPE_CACHE", cache.c_str(), 1);
    frames(state, showing(MiddleTab::banks), [frame = size_t{0}](ui::Context& context) mutable {
        const auto views = bench::moves(*context.session.kernel());
        if (frame % 10 == 0) context.view.subject = views[frame / 10 % views.size()].subject;
        ++frame;
    }, true);
    std::filesystem::remove_all(cache);
}

BENCHMARK(at_rest)->Unit(benchmark::kMillisecond)->Iterations(200);
BENCHMARK_CAPTURE(stepping, banks, MiddleTab::banks)->Unit(benchmark::kMillisecond)->Iterations(200);
BENCHMARK_CAPTURE(stepping, timeline, MiddleTab::timeline)->Unit(benchmark::kMillisecond)->Iterations(200);
BENCHMARK(counting)->Unit(benchmark::kMillisecond)->Iterations(200);
BENCHMARK(dragging)->Unit(benchmark::kMillisecond)->Iterations(200);

} // namespace

int main(int argc, char** argv) {
    base::keep_freed_memory();
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
}
