#include "cpu/bench.h"

#include "cpu/processor.h"
#include "gpu/seeded.h"
#include "gpu/statistics.h"
#include "gpu/verify.h"

#include <algorithm>
#include <chrono>
#include <limits>

namespace cpu {
namespace {

using base::Error;
using base::Failure;
using Clock = std::chrono::steady_clock;

constexpr double warm_up_s = 0.3; // until the threads are awake and the clock has risen

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Matrices {
    base::Numbers a, b, before, c; // before: empty if beta is 0
};

Matrices matrices(const gpu::Launch& launch) {
    Matrices made{gpu::seeded(launch, 'A'), gpu::seeded(launch, 'B'), {}, {}};
    const catalog::Matrix c = launch.matrix('C');
    if (launch.beta != 0) {
        made.before = made.c = gpu::seeded(launch, 'C');
    } else { // NaN: what is not written shows
        made.c = base::Numbers(c.element, c.shape().stored());
        std::fill(made.c.bytes().begin(), made.c.bytes().end(), std::byte{0xFF});
    }
    return made;
}

// The relative error of the first product, if it is right.
base::Result<double> verified(const gpu::Launch& launch, const Matrices& all) {
    const gpu::Reference expected = gpu::reference(
        {launch.problem, launch.alpha, launch.beta, all.a, all.b, all.before, launch.operands});
    return gpu::relative_error(launch, expected, gpu::max_abs_error(expected, all.c),
                               "install another OpenBLAS");
}

gpu::BenchPoint point_of(const OpenBlas& openblas, const gpu::Launch& launch, const std::vector<double>& ms) {
    const gpu::PointLog::Key said = key(openblas, launch);
    gpu::BenchPoint p;
    p.kernel = said.kernel;
    p.parameters = said.parameters;
    p.operands = said.operands;
    p.m = said.problem.m, p.n = said.problem.n, p.k = said.problem.k;
    p.samples = static_cast<int>(ms.size());
    p.median_ms = gpu::median(ms);
    p.min_ms = *std::min_element(ms.begin(), ms.end());
    p.gflops = gpu::gflops(p.m, p.n, p.k, p.median_ms);
    p.device = said.device;
    p.library = said.library;
    p.date = gpu::today();
    p.spread = gpu::interquartile_spread(ms);
    return p;
}

} // namespace

gpu::PointLog::Key key(const OpenBlas& openblas, const gpu::Launch& launch) {
    return {launch.kernel,
            {{"threads", openblas.threads()}},
            launch.operands,
            launch.problem,
            name_of(this_processor()),
            {},
            "OpenBLAS " + openblas.version()};
}

base::Result<gpu::Point> bench(const OpenBlas& openblas, const gpu::Launch& launch, const Limits& limits,
                               const std::function<void(const gpu::Progress&)>& report,
                               std::stop_token stop) {
    const Error stopped{Failure::check_failed, "stopped", {}, {}};
    report({gpu::Phase::inputs, 0, 0});
    Matrices all = matrices(launch);
    const auto multiply = [&] { openblas.multiply(launch, all.a, all.b, all.c); };

    report({gpu::Phase::verify, 0, 0});
    if (stop.stop_requested()) return stopped;
    multiply();
    if (stop.stop_requested()) return stopped;
    auto error = verified(launch, all);
    if (!error) return error.error();

    report({gpu::Phase::warm_up, 0, 0});
    for (const auto begin = Clock::now(); seconds_since(begin) < warm_up_s && !stop.stop_requested();)
        multiply();

    std::vector<double> ms;
    const gpu::StopRule rule{.most = limits.samples, .time_limit_s = limits.time_s};
    for (const auto begin = Clock::now();
         gpu::stop(rule, ms, {}, seconds_since(begin)) == gpu::Stop::not_yet;) {
        if (stop.stop_requested()) return stopped;
        report({gpu::Phase::samples, static_cast<int>(ms.size()), rule.most});
        const auto start = Clock::now();
        multiply();
        ms.push_back(seconds_since(start) * 1e3);
    }
    gpu::Point point{point_of(openblas, launch, ms), {}};
    point.point.max_rel_error = *error;
    return point;
}

} // namespace cpu
