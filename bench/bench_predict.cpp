// From a compiled setting to its predicted time, for every kernel: what a slider's step takes beyond compiling.
// Figures: median and worst over the moves that a slider allows from the kernel's initial values, at 4096 cubed; in CPU time, for other
// programs may run, and it works on one thread.
#include "base/cpu_time.h"
#include "base/file.h"
#include "base/heap.h"
#include "moves.h"
#include "session/prediction.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdio>
#include <memory>

namespace {

struct Setting {
    session::Subject subject;
    std::shared_ptr<const session::Prepared> prepared;
};

std::vector<Setting> settings_of(const catalog::Kernel& kernel) {
    std::vector<Setting> settings;
    for (const session::View& view : bench::moves(kernel)) {
        const auto job = session::resolve(kernel, view.subject);
        if (!job) continue;
        auto prepared = session::prepare(*job);
        if (!prepared.value) continue;
        settings.push_back({view.subject, prepared.value});
        settings.back().subject.problem = {4096, 4096, 4096};
    }
    return settings;
}

void predict(benchmark::State& state, const catalog::Kernel& kernel) {
    const std::vector<Setting> settings = settings_of(kernel);
    if (settings.empty()) return state.SkipWithError("nothing compiles");
    std::vector<double> took;
    size_t next = 0, failed = 0;
    for (auto _ : state) {
        const Setting& setting = settings[next++ % settings.size()];
        const double start = base::thread_cpu_s();
        const auto made = session::predict(kernel, setting.subject, *setting.prepared);
        took.push_back(base::thread_cpu_s() - start);
        if (made.failed) ++failed;
        state.SetIterationTime(took.back());
    }
    std::sort(took.begin(), took.end());
    state.counters["median_ms"] = took[took.size() / 2] * 1e3;
    state.counters["worst_ms"] = took.back() * 1e3;
    state.counters["failed"] = static_cast<double>(failed);
}

} // namespace

int main(int argc, char** argv) {
    base::keep_freed_memory();
    benchmark::Initialize(&argc, argv);
    const auto folder = base::resource_folder("kernels");
    if (!folder) {
        std::fprintf(stderr, "bench_predict: %s\n", folder.error().sentence().c_str());
        return 3;
    }
    const auto catalog = catalog::load({*folder});
    for (const auto& kernel : catalog.kernels) {
        const auto count = static_cast<int64_t>(bench::moves(*kernel).size());
        if (count == 0) continue;
        benchmark::RegisterBenchmark(kernel->id.c_str(), [kernel](benchmark::State& state) { predict(state, *kernel); })
            ->UseManualTime()
            ->Unit(benchmark::kMillisecond)
            ->Iterations(count);
    }
    benchmark::RunSpecifiedBenchmarks();
}
