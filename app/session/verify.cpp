#include "session/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace session {
namespace {

constexpr size_t panel = 256; // rows and columns of B that are worked on at a time: 256 KiB, stays in L2

// sums[4][panel] += a[4 rows][depth] * b[depth][width]; four rows share each load of b.
void multiply_rows(double* sums, const float* a, size_t a_stride, const float* b, size_t b_stride, size_t depth, size_t width) {
    for (size_t k = 0; k < depth; ++k) {
        const double a0 = a[k], a1 = a[a_stride + k], a2 = a[2 * a_stride + k], a3 = a[3 * a_stride + k];
        const float* row = b + k * b_stride;
        for (size_t j = 0; j < width; ++j) {
            const double value = row[j];
            sums[j] += a0 * value;
            sums[panel + j] += a1 * value;
            sums[2 * panel + j] += a2 * value;
            sums[3 * panel + j] += a3 * value;
        }
    }
}

void multiply_row(double* sums, const float* a, const float* b, size_t b_stride, size_t depth, size_t width) {
    for (size_t k = 0; k < depth; ++k) {
        const double factor = a[k];
        for (size_t j = 0; j < width; ++j) sums[j] += factor * b[k * b_stride + j];
    }
}

struct Worst {
    double error = 0, largest = 0; // largest: magnitude in the reference
    size_t row = 0, column = 0;
    double expected = 0;
    uint64_t wrong = 0;
};

struct Box { // of C
    size_t row = 0, column = 0, rows = 0, columns = 0;
};

// Judges a box of C against A B in `sums` (rows x panel), and keeps what it should be.
void judge(Worst& worst, std::vector<double>& reference, const Gemm& gemm, const Product& product, const std::vector<double>& sums, Box box, double tolerance) {
    const auto n = static_cast<size_t>(gemm.problem.n);
    for (size_t i = 0; i < box.rows; ++i) {
        for (size_t j = 0; j < box.columns; ++j) {
            const size_t at = (box.row + i) * n + box.column + j;
            double expected = gemm.alpha * sums[i * panel + j];
            if (gemm.beta != 0) expected += static_cast<double>(gemm.beta) * product.c_before[at];
            reference[at] = expected;
            double error = std::fabs(product.c[at] - expected);
            worst.largest = std::max(worst.largest, std::fabs(expected));
            if (!(error <= tolerance)) ++worst.wrong;
            // The first NaN stays the worst.
            if (std::isnan(worst.error) || error <= worst.error) continue;
            worst.error = error, worst.row = box.row + i, worst.column = box.column + j, worst.expected = expected;
        }
    }
}

double tolerance_of(const Gemm& gemm) {
    const double root = std::sqrt(static_cast<double>(gemm.problem.k));
    const double typical = std::fabs(gemm.alpha) * root / 3 + std::fabs(gemm.beta);
    return catalog::tolerance(gemm.operands, gemm.problem.k) * typical;
}

trace::Finding finding(const Worst& worst, const Gemm& gemm, const Product& product) {
    trace::Finding found;
    found.kind = trace::FindingKind::wrong_result;
    found.times = worst.wrong;
    const auto n = static_cast<size_t>(gemm.problem.n);
    found.text = fmt::format("C[{}][{}] is {:.9g} where the float64 reference has {:.9g}; {} of {} elements are wrong", worst.row,
                             worst.column, product.c[worst.row * n + worst.column], worst.expected, worst.wrong, product.c.size());
    return found;
}

// sums = the box of A B.
void multiply(std::vector<double>& sums, const Gemm& gemm, const Product& product, Box box) {
    const auto n = static_cast<size_t>(gemm.problem.n), k = static_cast<size_t>(gemm.problem.k);
    std::fill(sums.begin(), sums.end(), 0.0);
    for (size_t l = 0; l < k; l += panel) {
        const size_t depth = std::min(panel, k - l);
        const float* a = product.a.data() + box.row * k + l;
        const float* b = product.b.data() + l * n + box.column;
        size_t i = 0;
        for (; i + 4 <= box.rows; i += 4) multiply_rows(&sums[i * panel], a + i * k, k, b, n, depth, box.columns);
        for (; i < box.rows; ++i) multiply_row(&sums[i * panel], a + i * k, b, n, depth, box.columns);
    }
}

} // namespace

std::optional<Judgement> verify(const Gemm& gemm, const Product& product, std::stop_token stop) {
    constexpr size_t rows = 1024; // of C at a time, so that tall products need no more memory
    const auto m = static_cast<size_t>(gemm.problem.m), n = static_cast<size_t>(gemm.problem.n);
    const double tolerance = tolerance_of(gemm);
    Worst worst;
    Judgement judgement;
    judgement.reference.resize(m * n);
    std::vector<double> sums(std::min(rows, m) * panel);
    for (size_t i = 0; i < m; i += rows) {
        for (size_t j = 0; j < n; j += panel) {
            if (stop.stop_requested()) return {};
            const Box box{i, j, std::min(rows, m - i), std::min(panel, n - j)};
            multiply(sums, gemm, product, box);
            judge(worst, judgement.reference, gemm, product, sums, box, tolerance);
        }
    }
    judgement.verification = {"float64 on the CPU", worst.error, worst.largest > 0 ? worst.error / worst.largest : worst.error,
                              tolerance, worst.error <= tolerance};
    if (!judgement.verification.passed) judgement.wrong = finding(worst, gemm, product);
    return judgement;
}

} // namespace session
