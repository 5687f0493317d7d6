#include "measure/seeded.h"
#include "measure/verify.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <span>

namespace {

std::vector<float> floats(const base::Numbers& numbers) {
    std::vector<float> values;
    for (size_t i = 0; i < numbers.size(); ++i) values.push_back(static_cast<float>(numbers[i]));
    return values;
}

struct Case {
    catalog::Problem problem;
    float alpha = 1, beta = 0;
    std::vector<float> a, b, before;

    Case(int m, int n, int k, float alpha_ = 1, float beta_ = 0) : alpha(alpha_), beta(beta_) {
        problem.m = m;
        problem.n = n;
        problem.k = k;
        measure::Workload workload;
        workload.problem = problem;
        a = floats(measure::seeded(workload, 'A'));
        b = floats(measure::seeded(workload, 'B'));
        before = floats(measure::seeded(workload, 'C'));
    }
    measure::Operands operands() const { return {problem, alpha, beta, a, b, before, {}}; }

    // As a GPU would: float sums, one fused multiply-add after the other.
    std::vector<float> product() const {
        std::vector<float> c(size_t(problem.m) * size_t(problem.n));
        for (int row = 0; row < problem.m; ++row)
            for (int column = 0; column < problem.n; ++column) {
                float sum = 0;
                for (int i = 0; i < problem.k; ++i)
                    sum = std::fma(a[size_t(row * problem.k + i)], b[size_t(i * problem.n + column)], sum);
                size_t at = size_t(row * problem.n + column);
                c[at] = alpha * sum + (beta == 0 ? 0 : beta * before[at]);
            }
        return c;
    }
};

float with_bits_of_tf32(float value) {
    uint32_t bits = 0;
    std::memcpy(&bits, &value, 4);
    bits = (bits + 0x1000) & 0xffffe000;
    std::memcpy(&value, &bits, 4);
    return value;
}

TEST(Verify, RightProductsPassAtAllShapes) {
    for (auto [m, n, k] : {std::tuple{1, 1, 1}, {1, 7, 3}, {100, 37, 65}, {129, 130, 131}, {64, 64, 2048}})
        for (auto [alpha, beta] : {std::pair{1.0f, 0.0f}, {1.1f, -0.3f}, {0.0f, 1.0f}, {0.0f, 0.0f}}) {
            Case c(m, n, k, alpha, beta);
            measure::Reference r = measure::reference(c.operands());
            EXPECT_LE(measure::max_abs_error(r, c.product()), r.tolerance)
                << m << " " << n << " " << k << " " << alpha << " " << beta;
        }
}

TEST(Verify, ReferenceIsTheDefinition) {
    Case c(2, 2, 2, 2, 3);
    c.a = {1, 2, 3, 4};
    c.b = {5, 6, 7, 8};
    c.before = {1, 10, 100, 1000};
    measure::Reference r = measure::reference(c.operands());
    EXPECT_EQ(r.elements, (std::vector<uint64_t>{0, 1, 2, 3}));
    EXPECT_EQ(r.values, (std::vector<long double>{2 * 19 + 3, 2 * 22 + 30, 2 * 43 + 300, 2 * 50 + 3000}));
    EXPECT_EQ(r.largest, 2 * 50 + 3000);
    EXPECT_GT(r.tolerance, 0);
}

TEST(Verify, SmallFaultsFail) {
    Case c(129, 130, 131);
    auto right = c.product();
    measure::Reference r = measure::reference(c.operands(), right.size());
    EXPECT_EQ(r.elements.size(), right.size());
    auto fails = [&](std::vector<float> wrong) { return !(measure::max_abs_error(r, wrong) <= r.tolerance); };
    EXPECT_FALSE(fails(right));
    for (float bad : {std::nanf(""), std::numeric_limits<float>::infinity(), 0.0f}) {
        auto wrong = right;
        wrong[12345 % wrong.size()] = bad;
        EXPECT_TRUE(fails(wrong)) << bad;
    }
    auto one_term_short = right; // of one element
    one_term_short.back() -= c.a.back() * c.b.back();
    EXPECT_TRUE(fails(one_term_short));
    for (float& value : c.a) value = with_bits_of_tf32(value);
    for (float& value : c.b) value = with_bits_of_tf32(value);
    EXPECT_TRUE(fails(c.product())) << "TF32 must not pass for FP32";
}

// Of the seeded doubles, as a GPU would multiply them; and with operands that are rounded to floats.
TEST(Verify, DoublesMustBeMultipliedAsDoubles) {
    measure::Workload workload;
    workload.problem = {33, 17, 65};
    workload.operands = catalog::OperandType::f64;
    workload.alpha = 0.1, workload.beta = 0.3;
    const base::Numbers a = measure::seeded(workload, 'A'), b = measure::seeded(workload, 'B'),
                        before = measure::seeded(workload, 'C');
    const measure::Reference r =
        measure::reference({workload.problem, workload.alpha, workload.beta, a, b, before, workload.operands});
    const auto product = [&](auto operand) {
        std::vector<double> c;
        for (size_t row = 0; row < 33; ++row)
            for (size_t column = 0; column < 17; ++column) {
                double sum = 0;
                for (size_t i = 0; i < 65; ++i)
                    sum = std::fma(operand(a[row * 65 + i]), operand(b[i * 17 + column]), sum);
                c.push_back(std::fma(0.3, before[row * 17 + column], 0.1 * sum));
            }
        return c;
    };
    EXPECT_LE(measure::max_abs_error(r, product(std::identity())), r.tolerance);
    EXPECT_GT(measure::max_abs_error(r, product([](double x) { return static_cast<double>(static_cast<float>(x)); })),
              1e3 * r.tolerance);
}

TEST(Verify, NaNIsTheWorst) {
    Case c(3, 3, 3);
    auto wrong = c.product();
    wrong[4] = std::nanf("");
    EXPECT_TRUE(std::isnan(measure::max_abs_error(measure::reference(c.operands()), wrong)));
    EXPECT_TRUE(std::isnan(measure::max_abs_difference(wrong, c.product())));
    EXPECT_TRUE(std::isnan(measure::max_abs_difference(c.product(), wrong)));
}

TEST(Verify, NothingPassesAgainstInfinity) {
    Case c(3, 3, 3);
    measure::Operands operands = c.operands();
    operands.alpha = std::numeric_limits<double>::infinity();
    measure::Workload workload;
    workload.kernel = "zeros";
    workload.problem = c.problem;
    const measure::Reference expected = measure::reference(operands);
    const auto judged =
        measure::relative_error(workload, expected, measure::max_abs_error(expected, std::vector<float>(9)), {});
    ASSERT_FALSE(judged);
    EXPECT_EQ(judged.error().what.english(), "zeros cannot be verified at 3 x 3 x 3: what C should be is not finite");
}

TEST(Verify, LargeOnesAreSampledWithTheirCornersAndEdges) {
    Case c(300, 200, 1);
    measure::Reference r = measure::reference(c.operands(), 256);
    EXPECT_LE(r.elements.size(), 256u);
    EXPECT_GE(r.elements.size(), 200u);
    auto has = [&](uint64_t element) {
        return std::find(r.elements.begin(), r.elements.end(), element) != r.elements.end();
    };
    EXPECT_TRUE(has(0) && has(199) && has(299 * 200) && has(300 * 200 - 1));
    int last_row = 0, last_column = 0;
    for (uint64_t element : r.elements) {
        ASSERT_LT(element, 300u * 200u);
        last_row += element / 200 == 299;
        last_column += element % 200 == 199;
    }
    EXPECT_GT(last_row, 20);
    EXPECT_GT(last_column, 20);
    Case row(1, 100'000, 1); // an edge that is all there is
    EXPECT_GE(measure::reference(row.operands(), 256).elements.size(), 200u);
}

TEST(Verify, DifferencesSeeEveryElement) {
    Case c(300, 200, 1);
    auto product = c.product(), other = product;
    measure::Reference r = measure::reference(c.operands(), 16);
    EXPECT_EQ(measure::max_abs_difference(product, other), 0);
    other[150 * 200 + 77] += 0.01f;
    EXPECT_GT(measure::max_abs_difference(product, other), r.tolerance);
}

TEST(Verify, AnOperationOnElementsIsComparedAsItIsStored) {
    const std::vector<float> a = {0.5f, -1, 3, -0.25f, 1, -7};
    measure::Operands operands{{2, 3, 1}, 1, 0, a, {}, {}, {}, catalog::Operation::pack_rows};
    std::vector<uint32_t> words = {0b010, 0b101};
    const auto error = [&] {
        return measure::max_abs_error(measure::reference(operands),
                                      {base::NumberType::u32, std::as_bytes(std::span(words))});
    };
    EXPECT_EQ(error(), 0);
    words[1] = 0b111;
    EXPECT_GT(error(), measure::reference(operands).tolerance);
    operands.operation = catalog::Operation::add_one;
    EXPECT_EQ(measure::max_abs_error(measure::reference(operands), std::vector<float>{1.5f, 0, 4, 0.75f, 2, -6}), 0);
    EXPECT_EQ(measure::reference(operands).tolerance, 0);
}

} // namespace
