// A problem on the device: the operands with their seeded values, C, the kernel or the library that
// multiplies them, and a watch to time with.
#pragma once

#include "gpu/driver/matrices.h"
#include "gpu/worker/cublas.h"
#include "gpu/worker/device_product.h"
#include "gpu/worker/stopwatch.h"
#include "measure/verify.h"

#include <memory>
#include <optional>
#include <vector>

namespace gpu {

class Rig {
public:
    // `library`, if given, multiplies in place of a kernel; the launch then has no image. Errors: too little
    // memory (Failure::missing, says how much is needed and free), an image that does not load.
    static base::Result<std::unique_ptr<Rig>> build(const Driver&, const Launch&, DeviceProduct library = {});

    const Launch& launch() const { return launch_; }
    measure::Operands operands() const {
        return {launch_.problem, launch_.alpha,    launch_.beta,      host_a_,         host_b_,
                host_c_,         launch_.operands, launch_.operation, launch_.rounding};
    }

    base::Status launch_kernel();
    base::Status launch_cublas(const CublasAlgorithm& algorithm) const {
        return algorithm.run((float_a_ ? *float_a_ : matrices_.a).address(),
                             (float_b_ ? *float_b_ : matrices_.b).address(), matrices_.c.address());
    }
    Stopwatch& watch() { return watch_; }
    // ms of one launch, which finds the matrices where it says that they are; of cuBLAS, on the GPU.
    base::Result<double> time_kernel(Deadline);
    base::Result<double> time_cublas(const CublasAlgorithm&, Deadline);

    // Another kernel or setting on the same matrices; what was seeded stays. Errors: an image that does not load.
    base::Status exchange(const Driver&, const Launch&);
    // C is seeded where beta counts it, else NaN: what is not written shows.
    base::Status reset();
    base::Status place() { return matrices_.place(); }
    const DeviceArray& c() const { return matrices_.c; }
    base::Result<base::Numbers> download() const;

    // The kernel as it records its blocks, see TimelineRequest; then launches it, its records cleared, and fetches them.
    base::Status load_recording(const Driver&, const std::vector<std::byte>& image);
    base::Status launch_recording();
    base::Result<std::vector<measure::BlockRecord>> records() const;

    // C after `work`, which finds C as a first launch does. `ms` takes the time, if given.
    template <class Work>
    base::Result<base::Numbers> result_of(Work work, Deadline deadline, double* ms = nullptr) {
        if (auto done = reset(); !done) return done.error();
        if (auto done = matrices_.place(); !done) return done.error();
        auto took = watch_.time(work, deadline);
        if (!took) return took.error();
        if (ms) *ms = *took;
        return download();
    }

private:
    Rig(Launch launch, Matrices matrices, DeviceArray before, GemmArguments arguments, Stopwatch watch);
    base::Status fill(const Driver&);
    base::Status unpack(const Driver&);

    Launch launch_;
    std::optional<LoadedKernel> kernel_; // nothing: library_ multiplies
    DeviceProduct library_;
    Matrices matrices_;
    DeviceArray before_;                           // C before a launch; one element if beta is 0
    std::optional<DeviceArray> float_a_, float_b_; // of bits, for cuBLAS
    GemmArguments arguments_;
    Stopwatch watch_;
    base::Numbers host_a_, host_b_, host_c_; // without padding; of bits as floats
    struct Recording {
        LoadedKernel kernel;
        DeviceArray records; // their words
    };
    std::optional<Recording> recording_;
};

} // namespace gpu
