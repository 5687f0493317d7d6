#include "measure/verify.h"

#include "base/random.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace measure {
namespace {

std::vector<uint64_t> chosen(uint64_t m, uint64_t n, size_t at_most) {
    const uint64_t count = m * n;
    std::vector<uint64_t> all;
    if (count <= at_most) {
        for (uint64_t i = 0; i < count; ++i) all.push_back(i);
        return all;
    }
    // Edges are where guards go wrong: both ends of the first and last row, then elements of the last row and
    // column.
    std::set<uint64_t> picked{0, n - 1, (m - 1) * n, count - 1};
    auto random = [stream = base::RandomStream(1, 0), i = uint64_t{0}](uint64_t below) mutable {
        return static_cast<uint64_t>((static_cast<double>(stream(i++)) + 1) / 2 * static_cast<double>(below));
    };
    size_t edge = at_most / 4;
    for (size_t i = 0; i < edge && picked.size() < edge; ++i) {
        picked.insert((m - 1) * n + random(n));
        picked.insert(random(m) * n + n - 1);
    }
    for (size_t i = 0; i < 4 * at_most && picked.size() < at_most; ++i) picked.insert(random(m) * n + random(n));
    all.assign(picked.begin(), picked.end());
    return all;
}

// Of an operation on single elements: exact. Words of bits are compared as numbers.
Reference reference_of_elements(const Operands& o, size_t at_most) {
    const base::MatrixLayout layout = catalog::matrix_of(o.problem, o.operation, o.type, 'C').layout();
    Reference result;
    result.elements = chosen(layout.stored_rows(), layout.stored_columns(), at_most);
    for (const uint64_t element : result.elements) {
        if (layout.packing == base::Packing::none)
            result.values.push_back(static_cast<long double>(static_cast<float>(o.a[element]) + 1));
        else
            result.values.push_back(
                static_cast<long double>(base::packed_word(layout, element, [&](uint64_t i) { return o.a[i] < 0; })));
    }
    return result;
}

// The larger, where NaN is larger than everything.
double worse(double a, double b) { return std::isnan(a) || a >= b ? a : b; }

} // namespace

Reference reference(const Operands& o, size_t at_most) {
    if (o.operation != catalog::Operation::product) return reference_of_elements(o, at_most);
    Reference result;
    result.elements = chosen(static_cast<uint64_t>(o.problem.m), static_cast<uint64_t>(o.problem.n), at_most);
    size_t n = static_cast<size_t>(o.problem.n), k = static_cast<size_t>(o.problem.k);
    double sum_of_squares = 0;
    for (uint64_t element : result.elements) {
        size_t row = element / n, column = element % n;
        long double sum = 0;
        double squares = 0;
        for (size_t i = 0; i < k; ++i) {
            const double a = o.a[row * k + i], b = o.b[i * n + column], product = a * b;
            sum += static_cast<long double>(a) * static_cast<long double>(b);
            squares += product * product;
        }
        const long double alpha = o.alpha, before = o.beta == 0 ? 0
                                                                : static_cast<long double>(o.beta) *
                                                                      static_cast<long double>(o.c[element]);
        result.values.push_back(alpha * sum + before);
        double size = std::abs(o.alpha) * std::sqrt(squares) + static_cast<double>(std::abs(before));
        sum_of_squares += size * size;
    }
    double typical = std::sqrt(sum_of_squares / static_cast<double>(result.elements.size()));
    result.tolerance = catalog::tolerance(o.type, o.problem.k, o.rounding) * typical;
    double largest = 0;
    for (long double value : result.values) largest = std::max(largest, static_cast<double>(std::abs(value)));
    result.largest = largest > 0 ? largest : 1; // C is 0: errors are absolute
    return result;
}

double max_abs_error(const Reference& reference, base::NumbersView c) {
    double largest = 0;
    for (size_t i = 0; i < reference.elements.size(); ++i)
        largest = worse(
            static_cast<double>(std::abs(static_cast<long double>(c[reference.elements[i]]) - reference.values[i])),
            largest);
    return largest;
}

base::Result<double> relative_error(const Workload& workload, const Reference& expected, double error,
                                    base::Sentence todo) {
    const auto [m, n, k] = workload.problem;
    if (!std::isfinite(expected.largest) || !std::isfinite(expected.tolerance))
        return base::Error{base::Failure::check_failed,
                           base::say("{} cannot be verified at {} x {} x {}: what C should be is not finite",
                                     workload.kernel, m, n, k),
                           {},
                           base::say("choose smaller factors")};
    if (error <= expected.tolerance) return error / expected.largest;
    return base::Error{base::Failure::check_failed,
                       base::say("{} is wrong at {} x {} x {}: relative error {:.2g}, {:.2g} would pass",
                                 workload.kernel, m, n, k, error / expected.largest,
                                 expected.tolerance / expected.largest),
                       {},
                       std::move(todo)};
}

double max_abs_difference(base::NumbersView c, base::NumbersView other) {
    double largest = 0;
    for (size_t i = 0; i < c.size(); ++i) largest = worse(std::abs(c[i] - other[i]), largest);
    return largest;
}

} // namespace measure
