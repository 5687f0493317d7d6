// One measured point of OpenBLAS.
#pragma once

#include "cpu/openblas.h"
#include "gpu/point_log.h"

#include <functional>
#include <stop_token>

namespace cpu {

struct Limits {
    int samples = 100;
    double time_s = 20; // of sampling, at most
};

// What a point of this launch is found by in a log, and says of itself: threads as its parameter, this CPU as
// its device, OpenBLAS's version.
gpu::PointLog::Key key(const OpenBlas&, const gpu::Launch&);

// Checks C against long double (sampled elements), then times multiplications until their median has settled.
// The launch says the problem; its code plays no part. Errors: a wrong C; "stopped", after the multiplication
// that `stop` came in. With beta != 0, C changes from one to the next.
base::Result<gpu::Point> bench(const OpenBlas&, const gpu::Launch&, const Limits&,
                               const std::function<void(const gpu::Progress&)>& report, std::stop_token stop);

} // namespace cpu
