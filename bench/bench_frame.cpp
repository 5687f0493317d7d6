// A frame of the full window: at rest, with playback moving every view, and while jobs run on all cores. The contract:
// 95th percentile under 16 ms, and under 12 while a slider is dragged. Also what a turn of the window computes where a block is long.
#include "base/cpu_time.h"
#include "base/heap.h"
#include "catalog/rules.h"
#include "measure/sweep_record.h"
#include "moves.h"
#include "screen.h"
#include "ui/time/stepping.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>

namespace {

using session::MiddleTab;

// One frame after the other; `edit` moves the view, `update` lets the session's jobs come and go.
void frames(benchmark::State& state, session::View view, const std::function<void(ui::Context&)>& edit, bool update,
            const std::filesystem::path& sweeps = {}) {
    auto screen = bench::Screen::open();
    if (!screen) return state.SkipWithError(screen.error().sentence().c_str());
    session::Options options = (*screen)->options();
    options.own_sweeps = sweeps;
    session::Session session(std::move(options));
    session.apply(view, {});
    session.wait();

    std::vector<double> milliseconds;
    for (auto _ : state) {
        const auto start = std::chrono::steady_clock::now();
        if (update) session.update(1.0 / 60);
        (*screen)->draw(session, edit);
        milliseconds.push_back(
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
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
    frames(
        state, showing(tab), [](ui::Context& context) { ui::step(context, 1); }, false);
}

// The grid is counted and verified on every core; when it is done, another size.
void counting(benchmark::State& state) {
    frames(
        state, showing(MiddleTab::banks),
        [](ui::Context& context) {
            if (context.session.products().grid.face == session::Slot<session::FullRun>::Face::computing) return;
            const int k = context.view.subject.problem.k;
            context.view.subject.problem = {1024, 1024, k < 1024 ? 1024 : k + 8};
        },
        true);
}

// Some ten thousand points of a kernel, invented: what is timed is finding and drawing them.
std::filesystem::path invented_sweep(const std::string& id) {
    const auto folder = std::filesystem::temp_directory_path() / "gemmscope_bench_sweeps";
    const auto kernels = base::resource_folder("kernels");
    const auto kernel = kernels ? catalog::load({*kernels}).find(id) : nullptr;
    const auto settings = kernel ? catalog::legal_settings(*kernel, 1'000'000) : base::Error{};
    if (!settings) return folder;
    const std::string device = "NVIDIA H200"; // that the ladder shows
    std::string text = measure::header_of(*kernel, device) + measure::line_of(measure::SweepSource{}, 1);
    const size_t step = std::max<size_t>(settings->size() / 3500, 1);
    std::vector<catalog::Values> swept{catalog::initial_values(*kernel)};
    for (const session::View& view : bench::moves(*kernel)) swept.push_back(view.subject.parameters);
    for (size_t i = 0; i < settings->size(); i += step) swept.push_back((*settings)[i]);
    for (size_t i = 0; i < swept.size(); ++i)
        for (const int edge : {1024, 2048, 4096}) {
            std::vector<int> row;
            for (const auto& parameter : kernel->parameters) row.push_back(swept[i].at(parameter.name));
            measure::SweepPoint point;
            point.problem = {edge, edge, edge};
            point.ms = 1 + 0.001 * static_cast<double>(i % 1000), point.cublas_ms = 1, point.samples = 7,
            point.source = 0;
            text += measure::line_of(row, point);
        }
    const auto file = measure::sweep_path(folder, device, id);
    std::filesystem::create_directories(file.parent_path());
    if (auto written = base::write_file(file, text); !written) std::fputs(written.error().sentence().c_str(), stderr);
    return folder;
}

// A tile size every tenth frame, none of them ever compiled before: compilations, blocks and grids, started and cancelled.
void dragging(benchmark::State& state, session::PlotTab tab) {
    const auto cache = std::filesystem::temp_directory_path() / "gemmscope_bench_frame";
    std::filesystem::remove_all(cache);
    ::setenv("GEMMSCOPE_CACHE", cache.c_str(), 1);
    session::View view = showing(MiddleTab::banks);
    view.plot_tab = tab;
    const auto sweeps = invented_sweep(view.subject.kernel);
    frames(
        state, view,
        [frame = size_t{0}](ui::Context& context) mutable {
            const auto views = bench::moves(*context.session.kernel());
            if (frame % 10 == 0) context.view.subject = views[frame / 10 % views.size()].subject;
            ++frame;
        },
        true, sweeps);
    std::filesystem::remove_all(cache);
    std::filesystem::remove_all(sweeps);
}

// What a user does to a moment of a block.
struct Action {
    const char* name;
    std::function<void(ui::Context&)> act;
};

void show_moved(ui::Context& context) {
    const auto views = bench::moves(*context.session.kernel());
    if (!views.empty()) context.view.subject.parameters = views.front().subject.parameters;
}

const std::vector<Action>& actions() {
    static const std::vector<Action> all{{"end", [](ui::Context& c) { ui::step_to(c, UINT32_MAX); }},
                                         {"k-tile back", [](ui::Context& c) { ui::step_k_tile(c, -1); }},
                                         {"step back", [](ui::Context& c) { ui::step(c, -1); }},
                                         {"other warp", [](ui::Context& c) { ui::select_warp(c, 1); }},
                                         {"start", [](ui::Context& c) { ui::step_to(c, 0); }},
                                         {"k-tile forward", [](ui::Context& c) { ui::step_k_tile(c, 1); }},
                                         {"end again", [](ui::Context& c) { ui::step_to(c, UINT32_MAX); }},
                                         {"table", [](ui::Context& c) { c.view.table = true; }},
                                         {"slider", show_moved},
                                         {"slider back", [](ui::Context& c) { c.view.subject.parameters.clear(); }},
                                         {"picture", [](ui::Context& c) { c.view.table = false; }}};
    return all;
}

// A kernel at 4096 x 4096 x 4096, whose blocks are the longest that the window shows: the longest turn of the window's thread, in
// milliseconds that it computes, of all actions in all views.
void long_block(benchmark::State& state, const std::string& kernel) {
    auto screen = bench::Screen::open();
    if (!screen) return state.SkipWithError(screen.error().sentence().c_str());
    session::Session session((*screen)->options());
    session::View view;
    view.subject.kernel = kernel;
    view.subject.problem = {4096, 4096, 4096};
    double longest_ms = 0;
    std::string what;
    const auto turn = [&](const Action& action, const char* tab) {
        const double start = base::thread_cpu_s();
        session.update(0);
        (*screen)->draw(session, action.act);
        const double ms = (base::thread_cpu_s() - start) * 1e3;
        if (ms > longest_ms) longest_ms = ms, what = std::string(action.name) + ", " + tab;
    };
    const auto settled = [&] {
        const session::Products& products = session.products();
        return products.block.face != session::Slot<session::BlockRun>::Face::computing &&
               products.state.face != session::Slot<sim::BlockState>::Face::computing;
    };
    for (auto _ : state) {
        for (int i = 0; i < 2; ++i) (*screen)->draw(session); // the window's first frames make what later ones keep
        session.apply(view, {});
        for (const auto& [tab, name] : {std::pair{MiddleTab::banks, "banks"},
                                        {MiddleTab::sectors, "sectors"},
                                        {MiddleTab::timeline, "timeline"},
                                        {MiddleTab::shared, "shared"},
                                        {MiddleTab::registers, "registers"}}) {
            const Action show{"show", [tab = tab](ui::Context& context) { context.view.middle_tab = tab; }};
            turn(show, name);
            for (const Action& action : actions()) {
                turn(action, name);
                while (!settled())
                    turn({action.name, {}}, name), std::this_thread::sleep_for(std::chrono::milliseconds(10));
                for (int i = 0; i < 2; ++i) turn({action.name, {}}, name);
            }
        }
    }
    state.counters["longest_ms"] = longest_ms;
    state.SetLabel(what);
}

// Another size of type: every glyph is made again, in the window by a job. What the frame itself does is the time of its processor.
void making_type(benchmark::State& state, session::Language language, float scale) {
    auto screen = bench::Screen::open();
    if (!screen) return state.SkipWithError(screen.error().sentence().c_str());
    session::View view;
    view.language = language;
    for (auto _ : state) {
        view.scale = view.scale == scale ? 0.9f * scale : scale;
        (*screen)->make_type(view);
    }
}

BENCHMARK_CAPTURE(making_type, english, session::Language::en, 1)->Unit(benchmark::kMillisecond)->Iterations(10);
BENCHMARK_CAPTURE(making_type, chinese, session::Language::zh, 1)->Unit(benchmark::kMillisecond)->Iterations(10);
BENCHMARK_CAPTURE(making_type, largest_chinese, session::Language::zh, 4)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(10);
BENCHMARK(at_rest)->Unit(benchmark::kMillisecond)->Iterations(200);
BENCHMARK_CAPTURE(stepping, banks, MiddleTab::banks)->Unit(benchmark::kMillisecond)->Iterations(200);
BENCHMARK_CAPTURE(stepping, timeline, MiddleTab::timeline)->Unit(benchmark::kMillisecond)->Iterations(200);
BENCHMARK(counting)->Unit(benchmark::kMillisecond)->Iterations(200);
BENCHMARK_CAPTURE(dragging, sizes, session::PlotTab::sizes)->Unit(benchmark::kMillisecond)->Iterations(200);
BENCHMARK_CAPTURE(dragging, map_of_speeds, session::PlotTab::parameter)->Unit(benchmark::kMillisecond)->Iterations(200);

} // namespace

int main(int argc, char** argv) {
    base::keep_freed_memory();
    const auto kernels = base::resource_folder("kernels");
    const catalog::Catalog catalog = kernels ? catalog::load({*kernels}) : catalog::Catalog{};
    for (const auto& kernel : catalog.kernels)
        benchmark::RegisterBenchmark(("long_block/" + kernel->id).c_str(), long_block, kernel->id)
            ->Unit(benchmark::kSecond)
            ->Iterations(1);
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
}
