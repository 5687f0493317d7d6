// A frame of the full window at 1600x900 into a buffer without a display (llvmpipe where there is no GPU): at rest,
// and with playback moving every view. The contract: 95th percentile under 16 ms.
#include "base/file.h"
#include "ui/frame.h"
#include "ui/gui.h"
#include "ui/offscreen.h"
#include "ui/stepping.h"

#include <backends/imgui_impl_opengl3.h>
#include <benchmark/benchmark.h>
#include <glad/gl.h>

#include <algorithm>
#include <chrono>

namespace {

constexpr int width = 1600, height = 900;

void frames(benchmark::State& state, session::MiddleTab tab, bool stepping) {
    const auto assets = base::resource_folder("assets"), kernels = base::resource_folder("kernels");
    if (!assets || !kernels) return state.SkipWithError("assets or kernels are missing");
    auto strings = ui::Strings::load(*assets / "i18n");
    auto buffer = ui::Offscreen::create(width, height);
    if (!strings || !buffer) return state.SkipWithError(buffer ? "no strings" : buffer.error().sentence().c_str());
    session::Options options;
    options.kernel_folders = {*kernels};
    options.assets = *assets;
    session::Session session(std::move(options));
    session::View view;
    view.middle_tab = tab;
    session.apply(view, {});
    session.wait();
    ui::Gui gui(*std::move(strings), ui::characters_of(session.catalog()));
    gui.prepare(session.view(), 1);
    ImGui_ImplOpenGL3_Init("#version 330");
    ImGui::GetIO().DisplaySize = {width, height};
    ImGui::GetIO().DeltaTime = 1.0f / 60;
    ImGui::GetIO().MousePos = {500, 450};

    std::vector<double> milliseconds;
    for (auto _ : state) {
        const auto start = std::chrono::steady_clock::now();
        ImGui_ImplOpenGL3_NewFrame();
        gui.frame(session, {}, [&](ui::Context& context) {
            if (stepping) ui::step(context, 1);
            ui::draw_window(context);
        });
        glViewport(0, 0, width, height);
        glClear(GL_COLOR_BUFFER_BIT);
        ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
        glFinish();
        milliseconds.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
    }
    std::sort(milliseconds.begin(), milliseconds.end());
    state.counters["p50_ms"] = milliseconds[milliseconds.size() / 2];
    state.counters["p95_ms"] = milliseconds[milliseconds.size() * 95 / 100];
    ImGui_ImplOpenGL3_Shutdown();
}

} // namespace

BENCHMARK_CAPTURE(frames, banks_at_rest, session::MiddleTab::banks, false)->Unit(benchmark::kMillisecond)->Iterations(200);
BENCHMARK_CAPTURE(frames, banks_stepping, session::MiddleTab::banks, true)->Unit(benchmark::kMillisecond)->Iterations(200);
BENCHMARK_CAPTURE(frames, timeline_stepping, session::MiddleTab::timeline, true)->Unit(benchmark::kMillisecond)->Iterations(200);
