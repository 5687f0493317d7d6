// What a library makes of matrices in host memory, OpenBLAS on the CPU or cublasXt through a GPU: checked, and
// timed by the host's clock. No CUDA here.
#pragma once

#include "measure/bench_point.h"
#include "measure/progress.h"
#include "measure/statistics.h"
#include "measure/workload.h"

#include <functional>
#include <span>
#include <stop_token>
#include <string>

namespace measure {

struct HostProduct {
    const Workload& workload;
    std::span<std::byte> a, b, c;           // room for the matrices as they are stored
    std::function<base::Status()> multiply; // C = alpha A B + beta C of them
    base::Sentence cure;                    // what to do if C is wrong
};

// Seeds the matrices, checks the first C against long double (sampled elements), then times multiplications until
// their median has settled. With beta != 0, C changes from one to the next. The point says nothing of where it was
// measured. Errors: those of `multiply`; a wrong C; "stopped", after the multiplication that `stop` came in.
base::Result<BenchPoint> bench(const HostProduct&, const StopRule&, const std::function<void(const Progress&)>& report,
                               std::stop_token stop = {});

} // namespace measure
