// What a sweep keeps on the GPU between settings: for each size the matrices, cuBLAS's C and its time.
#pragma once

#include "gpu/worker/bench.h"
#include "gpu/worker/rig.h"
#include "measure/verify.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gpu {

// Of one size.
class SweepField {
public:
    // Errors: too little memory (Failure::missing); a cuBLAS that is wrong. Without cuBLAS, and of what cuBLAS cannot do,
    // C is verified on the host.
    static base::Result<std::unique_ptr<SweepField>> make(Station&, const Launch&, double time_limit_s);

    const Launch& launch() const { return rig_->launch(); }
    // `clock_mhz` is set where cuBLAS was measured again.
    base::Status measure(Station&, const SweepRequest&, const Launch&, const LoadedKernel& comparer, Swept::At&,
                         int& clock_mhz);

private:
    explicit SweepField(std::unique_ptr<Rig> rig) : rig_(std::move(rig)) {}
    base::Status choose(std::vector<CublasAlgorithm>, const std::string& version, double time_limit_s);
    base::Status keep_right(const Driver&, double time_limit_s);
    base::Status refresh_cublas(const Nvml&, double time_limit_s, int& clock_mhz);
    base::Status verify(const SweepRequest&, const LoadedKernel& comparer);
    base::Result<double> largest_difference(const Launch& compare, const LoadedKernel& comparer, double time_limit_s);

    std::unique_ptr<Rig> rig_;
    measure::Reference expected_; // of a plain sum
    std::optional<CublasAlgorithm> cublas_;
    std::string cublas_name_;
    double cublas_ms_ = 0;
    std::optional<std::chrono::steady_clock::time_point> measured_; // when cuBLAS was
    std::optional<DeviceArray> right_, worst_;
    double first_ms_ = 0; // of the launch that was verified
};

class SweepBench {
public:
    base::Result<SweepField*> field_for(Station&, const Launch&, double time_limit_s);
    base::Result<const LoadedKernel*> comparer(const Driver&, const Launch&);

private:
    std::vector<std::unique_ptr<SweepField>> fields_;
    std::optional<LoadedKernel> comparer_;
    std::vector<std::byte> image_; // of the comparer
};

} // namespace gpu
