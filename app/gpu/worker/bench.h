// One measured point, and one verified run, on an open GPU.
#pragma once

#include "gpu/worker/cublas.h"
#include "gpu/worker/nvml.h"

#include <functional>
#include <memory>
#include <optional>

namespace gpu {

class Rig;
class StreamRig;
class SweepBench;

// A GPU in use.
struct Station {
    Station(Context, measure::Device, Nvml, std::string driver_version, std::string cuda_version);
    Station(Station&&) noexcept;
    ~Station();

    Context context;
    measure::Device device;
    Nvml nvml;
    std::string driver_version, cuda_version;
    std::optional<base::Result<Cublas>> cublas; // opened by the first bench; nothing: not tried yet
    // The last request's arrays and kernel. Kept until its answer is sent: to free them waits for the GPU, which a kernel
    // that never ends makes endless.
    std::unique_ptr<Rig> rig;
    std::unique_ptr<StreamRig> stream_rig;
    std::unique_ptr<SweepBench> sweep_bench; // stays between the requests of a sweep
};

// After an illegal address every call fails until the process ends. A kernel that still runs is as bad.
bool usable(const Driver&);

base::Result<Station> open_station(std::shared_ptr<const Driver>, int ordinal);

using Report = std::function<void(const measure::Progress&)>;

// Of a kernel, or of CUTLASS where the launch has no code and names it (measure/references.h).
// Checks C against float64 (sampled elements) and cuBLAS (every element), then times single launches: the kernel and each of
// cuBLAS's algorithms have turns of five, before each of which they run until the clock is their own. After the first round those near the fastest
// have another; the fastest then has samples of its own, until its median and the kernel's have settled; then 50 launches in a row. A wrong C is
// an error (Failure::check_failed), not a point. A and B stay in the L2 cache from launch to launch where they fit, for all
// alike. With beta != 0, C changes from launch to launch.
// A quick one is checked against float64 only, and timed alone.
base::Result<measure::NotedPoint> bench(Station&, const BenchRequest&, const Report&);

base::Result<RunResult> run(Station&, const RunRequest&);

} // namespace gpu
