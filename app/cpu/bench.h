// One measured point of OpenBLAS.
#pragma once

#include "cpu/openblas.h"
#include "measure/point_log.h"
#include "measure/progress.h"

#include <functional>
#include <stop_token>

namespace cpu {

struct Limits {
    int samples = 100;
    double time_s = 20; // of sampling, at most
};

// What a point of this workload is found by in a log, and says of itself: threads as its parameter, this CPU as
// its device, OpenBLAS's version.
measure::PointLog::Key key(const OpenBlas&, const measure::Workload&);

// Checks C against long double (sampled elements), then times multiplications until their median has settled.
// Errors: a wrong C; "stopped", after the multiplication
// that `stop` came in. With beta != 0, C changes from one to the next.
base::Result<measure::NotedPoint> bench(const OpenBlas&, const measure::Workload&, const Limits&,
                                        const std::function<void(const measure::Progress&)>& report,
                                        std::stop_token stop);

} // namespace cpu
