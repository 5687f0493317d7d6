// A library's product of matrices in the host's memory, which may be larger than the GPU's.
#pragma once

#include "gpu/worker/bench.h"

namespace gpu {

// Checks C against float64 (sampled elements), then times products from host memory to host memory by the
// host's clock until their median has settled. The matrices are page-locked. Errors: no cublasXt, too little
// memory, a wrong C.
base::Result<measure::NotedPoint> bench_host_product(Station&, const HostProductRequest&, const Report&);

} // namespace gpu
