// CUTLASS's FP32 kernels, in a library that only some builds have: see gpu/cutlass/product.h. Loaded when it is first
// needed.
#pragma once

#include "gpu/cutlass/product.h"
#include "gpu/protocol.h"
#include "gpu/worker/device_product.h"

#include <string>
#include <vector>

namespace gpu {

class Cutlass {
public:
    // The first of `names` that loads. Errors (Failure::missing): this build has none, or it lacks a function.
    static base::Result<Cutlass> open(const std::vector<std::string>& names = usual_names());
    static std::vector<std::string> usual_names(); // on the loader's search path, and beside this program

    const std::string& path() const { return path_; }
    const std::string& version() const { return version_; } // "4.2.0, 5 stages"
    const std::string& cuda() const { return cuda_; }       // "13.0": of the compiler that made it

    // What the launch's kernel names, "cutlass_256x128": the tile of C that a block computes. Errors: it multiplies floats
    // only, and not on a device before sm_80.
    base::Result<DeviceProduct> product(const Launch&, const measure::Device&) const;

private:
    Cutlass() = default;

    decltype(&gemmscope_cutlass_sgemm) sgemm_ = nullptr;
    std::string path_, version_, cuda_;
};

} // namespace gpu
