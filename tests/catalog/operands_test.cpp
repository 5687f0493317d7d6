// How exact a product of each type of operands is held to be: sums as tensor cores make them pass, those of
// the next lower precision do not.
#include "catalog/factor.h"
#include "catalog/kernel.h"

#include "base/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <span>
#include <vector>

namespace {

using catalog::OperandType;

TEST(Operands, AreNamedAndStored) {
    for (auto [type, name, bytes] : {std::tuple{OperandType::f32, "f32", 4u},
                                     {OperandType::tf32, "tf32", 4u},
                                     {OperandType::bf16, "bf16", 2u},
                                     {OperandType::f64, "f64", 8u},
                                     {OperandType::b1, "b1", 4u}}) {
        EXPECT_EQ(catalog::name_of(type), name);
        EXPECT_EQ(catalog::operand_type_named(name), type);
        EXPECT_EQ(base::bytes_of(catalog::stored_as(type)), bytes);
        const bool doubles = type == OperandType::f64;
        EXPECT_EQ(catalog::result_of(type), doubles ? base::NumberType::f64 : base::NumberType::f32);
        EXPECT_EQ(catalog::as_factor(type, 0.1), doubles ? 0.1 : static_cast<double>(0.1f));
    }
    EXPECT_FALSE(catalog::operand_type_named("fp8"));
}

TEST(Operands, FactorsAreFiniteAsTheKernelTakesThem) {
    using catalog::finite_factor;
    EXPECT_EQ(*finite_factor(OperandType::f64, 1e300, "alpha"), 1e300);
    EXPECT_EQ(*finite_factor(OperandType::bf16, 0.1, "alpha"), static_cast<double>(0.1f));
    for (const double value : {1e300, -1e39, std::numeric_limits<double>::infinity(), std::nan("")})
        EXPECT_FALSE(finite_factor(OperandType::f32, value, "alpha")) << value;
    EXPECT_EQ(
        finite_factor(OperandType::f32, 1e300, "alpha").error().sentence(),
        "alpha = 1e+300 is not finite as the float that the kernel takes; choose a value between -3.4e+38 and 3.4e+38");
    EXPECT_FALSE(finite_factor(OperandType::f64, std::numeric_limits<double>::infinity(), "beta"));
}

TEST(Operands, OfBitsAreWordsAlongK) {
    using base::Packing;
    const auto matrix = [](char name) {
        return catalog::matrix_of({100, 37, 65}, catalog::Operation::product, OperandType::b1, name);
    };
    EXPECT_EQ(matrix('A').packing, Packing::along_rows);
    EXPECT_EQ(matrix('A').bytes(), 100u * 3 * 4);
    EXPECT_EQ(matrix('A').pitch(), 12u);
    EXPECT_EQ(matrix('B').packing, Packing::along_columns);
    EXPECT_EQ(matrix('B').bytes(), 3u * 37 * 4);
    EXPECT_EQ(matrix('B').rows, 65);
    EXPECT_EQ(matrix('C').packing, Packing::none);
    EXPECT_EQ(matrix('C').bytes(), 100u * 37 * 4);
    EXPECT_EQ(catalog::matrix_of({100, 37, 65}, catalog::Operation::product, OperandType::f32, 'A').bytes(),
              100u * 65 * 4);
    EXPECT_EQ(catalog::cublas_operands(OperandType::b1), OperandType::f32);
    EXPECT_EQ(catalog::cublas_operands(OperandType::bf16), OperandType::bf16);
}

// With `bits` of the fraction: to the nearest, or cut off.
float rounded(float value, int bits) {
    int exponent = 0;
    const float fraction = std::frexp(value, &exponent);
    return std::ldexp(std::nearbyint(std::ldexp(fraction, bits + 1)), exponent - bits - 1);
}
float cut_off(float value, int bits) {
    return std::bit_cast<float>(std::bit_cast<uint32_t>(value) & ~uint32_t{0} << (23 - bits));
}

// What one instruction of a tensor core makes of a sum and some products, as the comment of
// sim/program/tensor_core.h's sources has it: all cut off 25 bits below the largest, added, and the sum cut off to a
// float.
float tensor_core_sum(float sum, std::span<const double> products) {
    double largest = std::fabs(sum);
    for (double product : products) largest = std::max(largest, std::fabs(product));
    if (largest == 0) return 0;
    const double unit = std::ldexp(1.0, std::ilogb(largest) - 25);
    double total = std::trunc(sum / unit);
    for (double product : products) total += std::trunc(product / unit);
    const auto nearest = static_cast<float>(total * unit);
    return std::fabs(nearest) > std::fabs(total * unit) ? std::nextafter(nearest, 0.0f) : nearest;
}

struct Sums {
    std::function<float(float)> operand = [](float x) { return x; }; // what the kernel multiplies
    std::function<float(float)> sum = [](float x) { return x; };     // what it keeps of a sum, after each step
    size_t depth = 8;      // products that a tensor core adds at once; 0: fused multiply-adds
    double share_of_k = 1; // that is added up at all
};

// The largest error of `edge` x `edge` elements of A B, of random operands that hold `type`, as a share of
// the tolerance.
double share_of_tolerance(OperandType type, int k, const Sums& made, size_t edge = 40) {
    const auto depth = static_cast<size_t>(k);
    std::vector<float> a(edge * depth), b(edge * depth); // B by columns
    const base::RandomStream random_a(1, 4), random_b(1, 5);
    for (size_t i = 0; i < a.size(); ++i) {
        a[i] = random_a(i), b[i] = random_b(i);
        if (type == OperandType::bf16)
            a[i] = base::from_bf16(base::to_bf16(a[i])), b[i] = base::from_bf16(base::to_bf16(b[i]));
    }
    double largest = 0, squares = 0;
    std::vector<double> products(depth);
    for (size_t i = 0; i < edge; ++i)
        for (size_t j = 0; j < edge; ++j) {
            double expected = 0;
            for (size_t l = 0; l < depth; ++l) {
                const float x = a[i * depth + l], y = b[j * depth + l];
                const double product = double(x) * y;
                expected += product, squares += product * product;
                products[l] = double(made.operand(x)) * made.operand(y);
            }
            const auto added = static_cast<size_t>(made.share_of_k * k);
            float sum = 0;
            for (size_t l = 0; l < added; l += std::max<size_t>(made.depth, 1)) {
                if (made.depth == 0) sum = static_cast<float>(sum + products[l]);
                else sum = tensor_core_sum(sum, std::span(products).subspan(l, std::min(made.depth, added - l)));
                sum = made.sum(sum);
            }
            largest = std::max(largest, std::fabs(sum - expected));
        }
    return largest / (catalog::tolerance(type, k) * std::sqrt(squares / static_cast<double>(edge * edge)));
}

// The same for doubles, by a chain of fused multiply-adds; `operand` and `sum` round what it multiplies and
// keeps.
double share_of_tolerance_of_doubles(int k, const std::function<double(double)>& operand,
                                     const std::function<double(double)>& sum_of, double share_of_k = 1,
                                     size_t edge = 40) {
    const auto depth = static_cast<size_t>(k), added = static_cast<size_t>(share_of_k * k);
    const base::RandomStream a(1, 4), b(1, 5);
    double largest = 0, squares = 0;
    for (size_t i = 0; i < edge; ++i)
        for (size_t j = 0; j < edge; ++j) {
            long double expected = 0;
            double sum = 0;
            for (size_t l = 0; l < depth; ++l) {
                const double x = a.wide(i * depth + l), y = b.wide(j * depth + l);
                expected += static_cast<long double>(x) * static_cast<long double>(y), squares += x * y * x * y;
                if (l < added) sum = sum_of(std::fma(operand(x), operand(y), sum));
            }
            largest = std::max(largest, static_cast<double>(std::fabs(static_cast<long double>(sum) - expected)));
        }
    return largest / (catalog::tolerance(OperandType::f64, k) * std::sqrt(squares / static_cast<double>(edge * edge)));
}

class Tolerance : public testing::TestWithParam<int> {};

TEST_P(Tolerance, HoldsForRightSums) {
    const int k = GetParam();
    const auto tf32_cut_off = [](float x) { return cut_off(x, 10); };
    const auto tf32_rounded = [](float x) { return rounded(x, 10); };
    EXPECT_LT(share_of_tolerance(OperandType::f32, k, {.depth = 0}), 0.7);
    EXPECT_LT(share_of_tolerance(OperandType::tf32, k, {.operand = tf32_cut_off}), 0.8);
    EXPECT_LT(share_of_tolerance(OperandType::tf32, k, {.operand = tf32_rounded}), 0.8);
    EXPECT_LT(share_of_tolerance(OperandType::bf16, k, {.depth = 8}), 0.7);
    EXPECT_LT(share_of_tolerance(OperandType::bf16, k, {.depth = 16}), 0.7);
    EXPECT_LT(share_of_tolerance_of_doubles(k, std::identity(), std::identity()), 0.7);
}

TEST_P(Tolerance, IsTooNarrowForTheNextLowerPrecisionAndForHalfOfTheSum) {
    const int k = GetParam();
    if (k < 8) return; // a few products may happen to be exact
    const auto fraction_of = [](int bits) { return [bits](float x) { return rounded(x, bits); }; };
    EXPECT_GT(share_of_tolerance(OperandType::f32, k, {.operand = fraction_of(10), .depth = 0}), 1.5);
    EXPECT_GT(share_of_tolerance(OperandType::tf32, k, {.operand = fraction_of(7)}), 1.2) << "bf16";
    EXPECT_GT(share_of_tolerance(OperandType::bf16, k, {.operand = fraction_of(3)}), 10) << "e4m3";
    EXPECT_GT(share_of_tolerance(OperandType::bf16, k, {.sum = fraction_of(10)}), 1.5) << "sums in f16";
    for (OperandType type : {OperandType::f32, OperandType::tf32, OperandType::bf16})
        EXPECT_GT(share_of_tolerance(type, k, {.share_of_k = 0.5}), 20) << catalog::name_of(type);
    const auto as_float = [](double x) { return static_cast<double>(static_cast<float>(x)); };
    EXPECT_GT(share_of_tolerance_of_doubles(k, as_float, std::identity()), 1e4) << "operands rounded to FP32";
    EXPECT_GT(share_of_tolerance_of_doubles(k, std::identity(), as_float), 1e4) << "sums in FP32";
    EXPECT_GT(share_of_tolerance_of_doubles(k, std::identity(), std::identity(), 0.5), 20);
}
// Sums of +1 and -1 are exact; what follows is rounded. One pair that is counted wrongly moves a sum by two.
TEST_P(Tolerance, OfBitsIsThatOfTheLastRoundings) {
    const int k = GetParam();
    const base::RandomStream a(1, 4), b(1, 5), before(1, 7);
    const float alpha = 1.1f, beta = -0.3f;
    double largest = 0, squares = 0;
    constexpr uint64_t elements = 4096;
    for (uint64_t i = 0; i < elements; ++i) {
        int sum = 0;
        for (uint64_t l = 0; l < static_cast<uint64_t>(k); ++l)
            sum += (a(i * 8192 + l) < 0) == (b(i * 8192 + l) < 0) ? 1 : -1;
        const double expected = double{alpha} * sum + double{beta} * double{before(i)};
        const float rounded = alpha * static_cast<float>(sum) + beta * before(i);
        largest = std::max(largest, std::fabs(rounded - expected));
        const double size = double{alpha} * std::sqrt(k) + std::fabs(double{beta} * double{before(i)});
        squares += size * size;
    }
    const double tolerance = catalog::tolerance(OperandType::b1, k) * std::sqrt(squares / double{elements});
    EXPECT_LT(largest, 0.7 * tolerance);
    EXPECT_LT(tolerance, double{alpha} * 2 / 1000);
}

INSTANTIATE_TEST_SUITE_P(Operands, Tolerance, testing::Values(1, 3, 8, 65, 512, 8192));

} // namespace
