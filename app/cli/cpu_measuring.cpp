#include "cli/cpu_measuring.h"

#include "cpu/bench.h"

#include <fmt/format.h>

#include <future>
#include <mutex>

namespace cli {

base::Result<std::unique_ptr<CpuMeasuring>> CpuMeasuring::start() {
    std::unique_ptr<CpuMeasuring> started(new CpuMeasuring);
    auto openblas = cpu::OpenBlas::open();
    if (!openblas) return openblas.error();
    started->openblas_ = std::move(*openblas);
    return started;
}

base::Result<measure::NotedPoint> CpuMeasuring::measure(const measure::Workload& workload, double time_limit_s,
                                                        const std::string& label) {
    using namespace std::chrono_literals;
    std::mutex mutex;
    measure::Progress latest;
    const auto report = [&](const measure::Progress& progress) {
        const std::lock_guard lock(mutex);
        latest = progress;
    };
    std::stop_source stop;
    auto point = std::async(std::launch::async, [&] {
        return cpu::bench(*openblas_, workload, {.time_s = time_limit_s}, report, stop.get_token());
    });
    while (point.wait_for(100ms) != std::future_status::ready) {
        if (terminal_.interrupts() > 1) stop.request_stop();
        const std::lock_guard lock(mutex);
        terminal_.show(label + ": " +
                       (stop.stop_requested() ? "ends after this multiplication"
                        : interrupted()       ? "ends after this point, Ctrl-C ends now"
                                              : words(latest)));
    }
    return point.get();
}

} // namespace cli
