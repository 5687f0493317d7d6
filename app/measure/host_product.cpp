#include "measure/host_product.h"

#include "base/clock.h"
#include "measure/seeded.h"
#include "measure/verify.h"

#include <algorithm>
#include <chrono>
#include <cstring>

namespace measure {
namespace {

using base::Clock;
using base::Error;
using base::Failure;
using base::seconds_since;
using base::Status;

// Returns C before the first multiplication, empty where beta does not count it.
base::Numbers fill(const HostProduct& product) {
    const Workload& workload = product.workload;
    seed(workload, 'A', product.a);
    seed(workload, 'B', product.b);
    if (workload.beta == 0) { // NaN: what is not written shows
        std::memset(product.c.data(), 0xFF, product.c.size());
        return {};
    }
    seed(workload, 'C', product.c);
    return base::Numbers(base::NumbersView(workload.matrix('C').element, product.c));
}

// The point learns how the first C was compared, if it is right.
Status verify(BenchPoint& point, const HostProduct& product, const base::Numbers& before) {
    const Workload& workload = product.workload;
    const auto view = [&](char matrix, std::span<const std::byte> bytes) {
        return base::NumbersView(workload.matrix(matrix).element, bytes);
    };
    const Reference expected = reference({workload.problem, workload.alpha, workload.beta, view('A', product.a),
                                          view('B', product.b), before, workload.operands});
    const auto error = relative_error(workload, expected, max_abs_error(expected, view('C', product.c)), product.cure);
    if (!error) return error.error();
    point.max_rel_error = *error;
    point.elements_checked = static_cast<int>(expected.elements.size());
    return base::Done{};
}

void tell(BenchPoint& p, const Workload& workload, const std::vector<double>& ms) {
    p.kernel = workload.kernel;
    p.operands = workload.operands;
    p.m = workload.problem.m, p.n = workload.problem.n, p.k = workload.problem.k;
    p.samples = static_cast<int>(ms.size());
    p.median_ms = median(ms);
    p.min_ms = *std::min_element(ms.begin(), ms.end());
    p.gflops = gflops(p.m, p.n, p.k, p.median_ms);
    p.date = today();
    p.spread = interquartile_spread(ms);
}

} // namespace

base::Result<BenchPoint> bench(const HostProduct& product, const StopRule& rule,
                               const std::function<void(const Progress&)>& report, std::stop_token stop) {
    const auto multiply = [&]() -> Status {
        if (stop.stop_requested()) return Error{Failure::check_failed, base::say("stopped"), {}, {}};
        return product.multiply();
    };
    report({Phase::inputs, 0, 0});
    const base::Numbers before = fill(product);

    report({Phase::verify, 0, 0});
    if (auto done = multiply(); !done) return done.error();
    BenchPoint point;
    if (auto right = verify(point, product, before); !right) return right.error();

    report({Phase::warm_up, 0, 0});
    for (const auto begin = Clock::now(); seconds_since(begin) < warm_up_s;)
        if (auto done = multiply(); !done) return done.error();

    std::vector<double> ms;
    for (const auto begin = Clock::now(); measure::stop(rule, ms, {}, seconds_since(begin)) == Stop::not_yet;) {
        if (!stop.stop_requested()) report({Phase::samples, static_cast<int>(ms.size()), rule.most});
        const auto start = Clock::now();
        if (auto done = multiply(); !done) return done.error();
        ms.push_back(seconds_since(start) * 1e3);
    }
    tell(point, product.workload, ms);
    return point;
}

} // namespace measure
