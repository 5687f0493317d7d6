#include "session/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>
#include <type_traits>

namespace session {
namespace {

constexpr size_t panel = 256; // rows and columns of B that are worked on at a time: 256 KiB of floats, stays in L2

// The sums' type: products of floats are exact in double, those of doubles are rounded to 64 bits here,
// eleven more than the kernel has.
template <class T>
using Sum = std::conditional_t<std::is_same_v<T, float>, double, long double>;
static_assert(std::numeric_limits<long double>::digits >= 64, "the reference must be more exact than a double");

// sums[4][panel] += a[4 rows][depth] * b[depth][width]; four rows share each load of b.
void multiply_rows(double* sums, const float* a, size_t a_stride, const float* b, size_t b_stride, size_t depth,
                   size_t width) {
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

// The same; no vector unit adds long doubles, so the four sums of a column stay in registers instead.
void multiply_rows(long double* sums, const double* a, size_t a_stride, const double* b, size_t b_stride, size_t depth,
                   size_t width) {
    for (size_t j = 0; j < width; ++j) {
        long double sum0 = 0, sum1 = 0, sum2 = 0, sum3 = 0;
        for (size_t k = 0; k < depth; ++k) {
            const long double value = b[k * b_stride + j];
            sum0 += a[k] * value;
            sum1 += a[a_stride + k] * value;
            sum2 += a[2 * a_stride + k] * value;
            sum3 += a[3 * a_stride + k] * value;
        }
        sums[j] += sum0, sums[panel + j] += sum1, sums[2 * panel + j] += sum2, sums[3 * panel + j] += sum3;
    }
}

template <class T>
void multiply_row(Sum<T>* sums, const T* a, const T* b, size_t b_stride, size_t depth, size_t width) {
    for (size_t k = 0; k < depth; ++k) {
        const Sum<T> factor = a[k];
        for (size_t j = 0; j < width; ++j) sums[j] += factor * static_cast<Sum<T>>(b[k * b_stride + j]);
    }
}

struct Worst {
    double error = 0, largest = 0; // largest: magnitude in the reference
    size_t row = 0, column = 0;
    double expected = 0;
    uint64_t wrong = 0;
    uint64_t unknown = 0; // elements of the reference that are not finite: anything would be close enough to them
};

struct Box { // of C
    size_t row = 0, column = 0, rows = 0, columns = 0;
};

// Judges a box of C against A B in `sums` (rows x panel), and keeps what it should be.
template <class T>
void judge(Worst& worst, std::vector<double>& reference, const Gemm& gemm, const Product<T>& product,
           const std::vector<Sum<T>>& sums, Box box, double tolerance) {
    const Sum<T> alpha = gemm.alpha, beta = gemm.beta;
    const auto n = static_cast<size_t>(gemm.problem.n);
    for (size_t i = 0; i < box.rows; ++i) {
        for (size_t j = 0; j < box.columns; ++j) {
            const size_t at = (box.row + i) * n + box.column + j;
            Sum<T> expected = alpha * sums[i * panel + j];
            if (beta != 0) expected += beta * static_cast<Sum<T>>(product.c_before[at]);
            reference[at] = static_cast<double>(expected);
            const auto error = static_cast<double>(std::fabs(static_cast<Sum<T>>(product.c[at]) - expected));
            if (!std::isfinite(reference[at])) {
                ++worst.unknown;
                continue;
            }
            worst.largest = std::max(worst.largest, std::fabs(reference[at]));
            if (!(error <= tolerance)) ++worst.wrong;
            // The first NaN stays the worst.
            if (std::isnan(worst.error) || error <= worst.error) continue;
            worst.error = error, worst.row = box.row + i, worst.column = box.column + j, worst.expected = reference[at];
        }
    }
}

double tolerance_of(const Gemm& gemm) {
    const double root = std::sqrt(static_cast<double>(gemm.problem.k));
    const double typical =
        std::fabs(gemm.alpha) * root * catalog::typical_product(gemm.operands) + std::fabs(gemm.beta);
    return catalog::tolerance(gemm.operands, gemm.problem.k, gemm.rounding) * typical;
}

template <class T>
std::string_view reference_name() {
    return std::is_same_v<T, float> ? "float64" : "long double";
}

base::Sentence wrong_elements(uint64_t wrong, size_t all) {
    return base::say("{} of {} elements are wrong", wrong, all);
}

template <class T>
trace::Finding finding(const Worst& worst, const Gemm& gemm, const Product<T>& product) {
    trace::Finding found;
    found.kind = trace::FindingKind::wrong_result;
    found.times = worst.wrong;
    constexpr int digits = std::numeric_limits<T>::max_digits10;
    const auto n = static_cast<size_t>(gemm.problem.n);
    const auto number = [&](auto value) { return fmt::format("{:.{}g}", value, digits); };
    found.text = base::list(
        {base::say("C[{}][{}] is {} where the {} reference has {}", worst.row, worst.column,
                   number(product.c[worst.row * n + worst.column]), reference_name<T>(), number(worst.expected)),
         wrong_elements(worst.wrong, product.c.size())});
    return found;
}

trace::Finding unknown_reference(const Worst& worst, size_t elements) {
    trace::Finding found;
    found.kind = trace::FindingKind::wrong_result;
    found.times = std::max<uint64_t>(worst.unknown, 1);
    const base::Sentence why =
        worst.unknown > 0 ? base::say("{} of {} elements of the reference are not finite", worst.unknown, elements)
                          : base::say("what an element may be off is not finite");
    found.text = base::list({base::say("C cannot be verified: {}", why), base::say("choose a smaller alpha or beta")});
    return found;
}

// sums = the box of A B.
template <class T>
void multiply(std::vector<Sum<T>>& sums, const Gemm& gemm, const Product<T>& product, Box box) {
    const auto n = static_cast<size_t>(gemm.problem.n), k = static_cast<size_t>(gemm.problem.k);
    std::fill(sums.begin(), sums.end(), Sum<T>(0));
    for (size_t l = 0; l < k; l += panel) {
        const size_t depth = std::min(panel, k - l);
        const T* a = product.a.data() + box.row * k + l;
        const T* b = product.b.data() + l * n + box.column;
        size_t i = 0;
        for (; i + 4 <= box.rows; i += 4) multiply_rows(&sums[i * panel], a + i * k, k, b, n, depth, box.columns);
        for (; i < box.rows; ++i) multiply_row(&sums[i * panel], a + i * k, b, n, depth, box.columns);
    }
}

template <class T>
std::optional<Judgement> judged(const Gemm& gemm, const Product<T>& product, const std::stop_token& stop) {
    constexpr size_t rows = 1024; // of C at a time, so that tall products need no more memory
    const auto m = static_cast<size_t>(gemm.problem.m), n = static_cast<size_t>(gemm.problem.n);
    const double tolerance = tolerance_of(gemm);
    Worst worst;
    Judgement judgement;
    judgement.reference.resize(m * n);
    std::vector<Sum<T>> sums(std::min(rows, m) * panel);
    for (size_t i = 0; i < m; i += rows) {
        for (size_t j = 0; j < n; j += panel) {
            if (stop.stop_requested()) return {};
            const Box box{i, j, std::min(rows, m - i), std::min(panel, n - j)};
            multiply<T>(sums, gemm, product, box);
            judge<T>(worst, judgement.reference, gemm, product, sums, box, tolerance);
        }
    }
    judgement.verification = {fmt::format("{} on the CPU", reference_name<T>()),
                              worst.error,
                              worst.largest > 0 ? worst.error / worst.largest : worst.error,
                              tolerance,
                              worst.error <= tolerance,
                              m * n,
                              gemm.rounding};
    if (worst.unknown > 0 || !std::isfinite(tolerance)) {
        constexpr double none = std::numeric_limits<double>::quiet_NaN();
        judgement.verification.max_abs_error = judgement.verification.max_rel_error = none;
        judgement.verification.passed = false;
        judgement.wrong = unknown_reference(worst, m * n);
    } else if (!judgement.verification.passed) {
        judgement.wrong = finding(worst, gemm, product);
    }
    return judgement;
}

// Of elements that are to be exact.
class ElementJudge {
public:
    ElementJudge(const Gemm& gemm, std::span<const float> a, std::span<const std::byte> c)
        : a_(a), c_(c), layout_(gemm.matrix('C').layout()), rounding_(gemm.rounding) {
        judgement_.reference.resize(a.size());
    }

    std::optional<Judgement> judge(const std::stop_token& stop) {
        constexpr uint64_t chunk = 1 << 16; // between looks at the token
        const bool is_packed = layout_.packing != base::Packing::none;
        for (uint64_t i = 0; i < layout_.stored(); ++i) {
            if (i % chunk == 0 && stop.stop_requested()) return {};
            is_packed ? judge_word(i) : judge_sum(i);
        }
        judgement_.verification = {
            "exact, on the CPU", worst_,   largest_ > 0 ? worst_ / largest_ : worst_, 0, wrong_ == 0,
            a_.size(),           rounding_};
        if (wrong_ == 0) return std::move(judgement_);
        trace::Finding& found = judgement_.wrong.emplace();
        found.kind = trace::FindingKind::wrong_result;
        found.times = wrong_;
        found.text = base::list({first_, wrong_elements(wrong_, a_.size())});
        return std::move(judgement_);
    }

private:
    std::span<const float> a_;
    std::span<const std::byte> c_;
    base::MatrixLayout layout_;
    uint32_t rounding_;
    Judgement judgement_;
    base::Sentence first_; // what is wrong first
    uint64_t wrong_ = 0;
    double worst_ = 0, largest_ = 0;

    template <class T>
    T stored(uint64_t i) const {
        T value;
        std::memcpy(&value, c_.data() + i * sizeof value, sizeof value);
        return value;
    }

    // Only the first one that is wrong is worded.
    template <class What>
    void note(double error, const What& what) {
        if (wrong_++ == 0) first_ = what();
        if (!(error <= worst_)) worst_ = error; // a NaN stays
    }

    void judge_sum(uint64_t i) {
        const float expected = a_[i] + 1, value = stored<float>(i);
        judgement_.reference[i] = static_cast<double>(expected);
        largest_ = std::max(largest_, std::fabs(judgement_.reference[i]));
        if (value == expected) return;
        const uint64_t row = i / layout_.columns, column = i % layout_.columns;
        note(std::fabs(static_cast<double>(value) - judgement_.reference[i]), [&] {
            return base::say("C[{}][{}] is {:.9g} where A[{}][{}] + 1 is {:.9g}", row, column, value, row, column,
                             expected);
        });
    }

    void judge_word(uint64_t i) {
        const base::MatrixLayout::Box box = layout_.box_of(i);
        const uint32_t word = stored<uint32_t>(i);
        largest_ = 1;
        for (uint64_t bit = 0; bit < base::bits_in_a_word; ++bit) {
            const bool down = layout_.packing == base::Packing::along_columns;
            const uint64_t row = box.row + (down ? bit : 0), column = box.column + (down ? 0 : bit);
            const bool is_set = word >> bit & 1, is_element = bit < box.rows * box.columns;
            const bool expected = is_element && a_[row * layout_.columns + column] < 0;
            if (is_element) judgement_.reference[row * layout_.columns + column] = expected ? -1 : 1;
            if (is_set == expected) continue;
            constexpr double apart = 2; // +1 and -1
            note(apart, [&] {
                return is_element ? base::say("C[{}][{}] is {}1 where A has {:.9g}", row, column, is_set ? '-' : '+',
                                              a_[row * layout_.columns + column])
                                  : base::say("C[{}][{}] lies after the last element; its bit must be 0", row, column);
            });
        }
    }
};

} // namespace

std::optional<Judgement> verify(const Gemm& gemm, const Product<float>& product, std::stop_token stop) {
    return judged(gemm, product, stop);
}
std::optional<Judgement> verify(const Gemm& gemm, const Product<double>& product, std::stop_token stop) {
    return judged(gemm, product, stop);
}

std::optional<Judgement> verify_elements(const Gemm& gemm, std::span<const float> a, std::span<const std::byte> c,
                                         std::stop_token stop) {
    return ElementJudge(gemm, a, c).judge(stop);
}

} // namespace session
