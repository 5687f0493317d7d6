#include "gpu/worker/peaks.h"

#include "gpu/worker/stopwatch.h"
#include "measure/statistics.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace gpu {
namespace {

using base::Status;
using Launcher = std::function<Status()>; // does not wait

constexpr int samples = 10;
constexpr double launch_ms = 20;
constexpr int first_turns = 16;                       // some milliseconds of doubles where there are two lanes of them
constexpr size_t most_copied_bytes = size_t{1} << 30; // far more than any L2 cache holds

// Milliseconds of one launch, the median of ten after a warm-up; `clock` is read while they run.
base::Result<double> settled(Stopwatch& watch, const Launcher& launch, Deadline deadline, const Nvml& nvml,
                             int& clock) {
    const Deadline warm = after(measure::warm_up_s);
    std::vector<double> taken;
    while (taken.size() < samples) {
        const bool counts = std::chrono::steady_clock::now() >= warm;
        auto ms = watch.time(launch, deadline, [&] { clock = nvml.sm_mhz(); });
        if (!ms) return ms.error();
        if (counts) taken.push_back(*ms);
    }
    return measure::median(taken);
}

// Turns in a millisecond of a kernel that makes `turns` of them.
base::Result<double> measure_turns(Station& station, const Launcher& launch, int& turns, Stopwatch& watch,
                                   Deadline deadline, int& clock) {
    turns = first_turns;
    base::Result<double> ms = 0.0;
    for (int i = 0; ms && i < 2; ++i) // the first loads the code
        ms = watch.time(launch, deadline);
    if (!ms) return ms.error();
    turns = static_cast<int>(std::clamp(turns * launch_ms / std::max(*ms, 1e-3), 1.0, 1e8));
    ms = settled(watch, launch, deadline, station.nvml, clock);
    if (!ms) return ms.error();
    return turns / *ms;
}

// GFLOPS of FMAs, of floats or of doubles.
base::Result<double> measure_fma(Station& station, const Launch& fma, double flop_per_turn, Stopwatch& watch,
                                 Deadline deadline, int& clock) {
    const Driver& driver = station.context.driver();
    auto kernel = LoadedKernel::load(driver, fma);
    if (!kernel) return kernel.error();
    auto out = DeviceArray::allocate(driver, sizeof(double));
    if (!out) return out.error();
    CUdeviceptr address = out->address();
    int turns = 0;
    void* arguments[] = {&address, &turns};
    const Launcher launch = [&] { return kernel->run(fma.grid, fma.block, 0, arguments); };
    auto rate = measure_turns(station, launch, turns, watch, deadline, clock);
    if (!rate) return rate.error();
    return flop_per_turn * *rate * 1e-6;
}

// GB/s of reads that a cache answers.
base::Result<double> measure_read(Station& station, const PeaksRequest::Read& request, Stopwatch& watch,
                                  Deadline deadline, int& clock) {
    const Driver& driver = station.context.driver();
    auto kernel = LoadedKernel::load(driver, request.read);
    if (!kernel) return kernel.error();
    auto from = DeviceArray::allocate(driver, request.bytes), out = DeviceArray::allocate(driver, sizeof(float));
    for (auto* array : {&from, &out})
        if (!*array) return array->error();
    if (auto filled = from->poison(); !filled) return filled.error();
    constexpr size_t element = 16; // a float4
    CUdeviceptr source = from->address(), target = out->address();
    size_t count = request.bytes / element;
    int turns = 0;
    void* arguments[] = {&source, &count, &turns, &target};
    const Launcher launch = [&] { return kernel->run(request.read.grid, request.read.block, 0, arguments); };
    auto rate = measure_turns(station, launch, turns, watch, deadline, clock);
    if (!rate) return rate.error();
    return request.bytes_per_turn * *rate * 1e-6;
}

Status measure_copy(Station& station, const PeaksRequest& request, Stopwatch& watch, Deadline deadline,
                    measure::Peaks& peaks) {
    const Driver& driver = station.context.driver();
    auto kernel = LoadedKernel::load(driver, request.copy);
    if (!kernel) return kernel.error();
    size_t free = 0, total = 0;
    auto asked = driver.check(driver.memory_info(&free, &total), base::phrase("cannot ask for the GPU's free memory"));
    if (!asked) return asked;
    constexpr size_t element = 16; // a float4
    size_t count = std::min(most_copied_bytes, free / 4) / element;
    auto from = DeviceArray::allocate(driver, count * element), to = DeviceArray::allocate(driver, count * element);
    for (auto* array : {&from, &to})
        if (!*array) return array->error();
    if (auto filled = from->poison(); !filled) return filled;
    CUdeviceptr source = from->address(), target = to->address();
    void* arguments[] = {&source, &target, &count};
    const Launcher launch = [&] { return kernel->run(request.copy.grid, request.copy.block, 0, arguments); };
    auto ms = settled(watch, launch, deadline, station.nvml, peaks.copy_clock_mhz);
    if (!ms) return ms.error();
    peaks.copy_gb_s = 2.0 * static_cast<double>(count * element) / *ms * 1e-6;
    return base::Done{};
}

} // namespace

base::Result<measure::Peaks> measure_peaks(Station& station, const PeaksRequest& request, const Report& report) {
    auto watch = Stopwatch::create(station.context.driver());
    if (!watch) return watch.error();
    measure::Peaks peaks;
    const Deadline deadline = after(request.time_limit_s);
    const auto fmas = [&](const Launch& launch, int& clock) {
        return measure_fma(station, launch, request.flop_per_turn, *watch, deadline, clock);
    };
    constexpr int kernels = 5;
    report({measure::Phase::samples, 0, kernels});
    auto fp32 = fmas(request.fma, peaks.fma_clock_mhz);
    if (!fp32) return fp32.error();
    report({measure::Phase::samples, 1, kernels});
    auto fp64 = fmas(request.fp64, peaks.fp64_clock_mhz);
    if (!fp64) return fp64.error();
    peaks.fma_gflops = *fp32;
    peaks.fp64_gflops = *fp64;
    report({measure::Phase::samples, 2, kernels});
    if (auto done = measure_copy(station, request, *watch, deadline, peaks); !done) return done.error();
    int done = 3;
    for (auto [read, gb_s, clock] : {std::tuple{&request.l1, &peaks.l1_gb_s, &peaks.l1_clock_mhz},
                                     {&request.l2, &peaks.l2_gb_s, &peaks.l2_clock_mhz}}) {
        report({measure::Phase::samples, done++, kernels});
        auto rate = measure_read(station, *read, *watch, deadline, *clock);
        if (!rate) return rate.error();
        *gb_s = *rate;
    }
    peaks.driver = station.driver_version;
    peaks.cuda = request.fma.cuda;
    peaks.date = measure::today();
    return peaks;
}

} // namespace gpu
