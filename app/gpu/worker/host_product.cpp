#include "gpu/worker/host_product.h"

#include "gpu/seeded.h"
#include "gpu/statistics.h"
#include "gpu/verify.h"
#include "gpu/worker/cublas_xt.h"
#include "gpu/worker/stopwatch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace gpu {
namespace {

using base::Status;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Matrices {
    HostArray a, b, c;
    base::Numbers before; // C, where beta counts it
};

base::Result<Matrices> matrices(const Driver& driver, const Launch& launch) {
    const auto allocate = [&](char name) { return HostArray::allocate(driver, launch.matrix(name).bytes()); };
    auto a = allocate('A'), b = allocate('B'), c = allocate('C');
    for (auto* array : {&a, &b, &c})
        if (!*array) return array->error();
    for (auto [name, array] : {std::pair{'A', &a}, {'B', &b}}) {
        const base::Numbers values = seeded(launch, name);
        std::memcpy((*array)->bytes().data(), values.bytes().data(), values.bytes().size());
    }
    base::Numbers before;
    if (launch.beta != 0) {
        before = seeded(launch, 'C');
        std::memcpy(c->bytes().data(), before.bytes().data(), before.bytes().size());
    } else { // NaN: what is not written shows
        std::fill(c->bytes().begin(), c->bytes().end(), std::byte{0xFF});
    }
    return Matrices{std::move(*a), std::move(*b), std::move(*c), std::move(before)};
}

base::Result<double> verified(const Launch& launch, const Matrices& all) {
    const auto view = [&](const HostArray& array) {
        return base::NumbersView(base::NumberType::f32, array.bytes());
    };
    const Reference expected = reference(
        {launch.problem, launch.alpha, launch.beta, view(all.a), view(all.b), all.before, launch.operands});
    return relative_error(launch, expected, max_abs_error(expected, view(all.c)), "install another cuBLAS");
}

BenchPoint point_of(const Station& station, const Launch& launch, const std::string& library,
                    const std::vector<double>& ms) {
    BenchPoint p;
    p.kernel = launch.kernel;
    p.operands = launch.operands;
    p.m = launch.problem.m, p.n = launch.problem.n, p.k = launch.problem.k;
    p.samples = static_cast<int>(ms.size());
    p.median_ms = median(ms);
    p.min_ms = *std::min_element(ms.begin(), ms.end());
    p.gflops = gflops(p.m, p.n, p.k, p.median_ms);
    p.device = station.device.name;
    p.driver = station.driver_version;
    p.library = library;
    p.date = today();
    p.spread = interquartile_spread(ms);
    return p;
}

} // namespace

base::Result<Point> bench_host_product(Station& station, const HostProductRequest& request,
                                       const Report& report) {
    const Launch& launch = request.launch;
    const Driver& driver = station.context.driver();
    report({Phase::inputs, 0, 0});
    auto library = CublasXt::open(request.device);
    if (!library) return library.error();
    auto all = matrices(driver, launch);
    if (!all) return all.error();
    const auto values = [](HostArray& array) { return reinterpret_cast<float*>(array.bytes().data()); };
    const auto multiply = [&]() -> Status {
        auto done = library->multiply(launch, values(all->a), values(all->b), values(all->c));
        if (!done) return done;
        return driver.check(driver.context_synchronize(), "the product failed");
    };

    report({Phase::verify, 0, 0});
    if (auto done = multiply(); !done) return done.error();
    auto error = verified(launch, *all);
    if (!error) return error.error();

    report({Phase::warm_up, 0, 0});
    for (const auto begin = Clock::now(); seconds_since(begin) < warm_up_s;)
        if (auto done = multiply(); !done) return done.error();

    std::vector<double> ms;
    const StopRule rule{.most = request.max_samples, .time_limit_s = request.time_limit_s / 2};
    for (const auto begin = Clock::now(); stop(rule, ms, {}, seconds_since(begin)) == Stop::not_yet;) {
        report({Phase::samples, static_cast<int>(ms.size()), rule.most});
        const auto start = Clock::now();
        if (auto done = multiply(); !done) return done.error();
        ms.push_back(seconds_since(start) * 1e3);
    }
    Point point{point_of(station, launch, "cublasXt " + library->version(), ms), {}};
    point.point.sm_clock_mhz = station.clocks.sm_mhz();
    point.point.max_rel_error = *error;
    return point;
}

} // namespace gpu
