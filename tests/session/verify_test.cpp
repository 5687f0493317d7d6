#include "session/verify.h"

#include "base/random.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <span>

namespace {

struct Matrices {
    session::Gemm gemm;
    std::vector<float> a, b, before, c;
    session::Product<float> product() const { return {a, b, before, c}; }
};

// c by the textbook's loops, in the order of k, in double, rounded once.
Matrices right(catalog::Problem p, double alpha = 1, double beta = 0) {
    Matrices all;
    all.gemm = {p, alpha, beta};
    auto fill = [](std::vector<float>& values, int rows, int columns, uint64_t stream) {
        values.resize(static_cast<size_t>(rows) * static_cast<size_t>(columns));
        for (size_t i = 0; i < values.size(); ++i) values[i] = base::RandomStream(1, stream)(i);
    };
    fill(all.a, p.m, p.k, 4), fill(all.b, p.k, p.n, 5), fill(all.before, p.m, p.n, 7);
    for (int i = 0; i < p.m; ++i) {
        for (int j = 0; j < p.n; ++j) {
            double sum = 0;
            for (int k = 0; k < p.k; ++k)
                sum += double(all.a[static_cast<size_t>(i * p.k + k)]) * all.b[static_cast<size_t>(k * p.n + j)];
            all.c.push_back(static_cast<float>(
                alpha * sum + beta * static_cast<double>(all.before[static_cast<size_t>(i * p.n + j)])));
        }
    }
    return all;
}

class Sizes : public testing::TestWithParam<catalog::Problem> {};

TEST_P(Sizes, ARightProductPassesAndOneWrongElementFails) {
    for (double beta : {0.0, -0.5}) {
        Matrices all = right(GetParam(), 2, beta);
        auto good = session::verify(all.gemm, all.product(), {});
        ASSERT_TRUE(good);
        EXPECT_TRUE(good->verification.passed) << good->verification.max_abs_error;
        EXPECT_FALSE(good->wrong);
        for (size_t at : {size_t{0}, all.c.size() / 2, all.c.size() - 1}) {
            const float correct = all.c[at];
            all.c[at] = correct + 0.01f;
            auto bad = session::verify(all.gemm, all.product(), {});
            ASSERT_TRUE(bad);
            EXPECT_FALSE(bad->verification.passed);
            EXPECT_NEAR(bad->verification.max_abs_error, 0.01, 1e-4);
            ASSERT_TRUE(bad->wrong);
            EXPECT_EQ(bad->wrong->kind, trace::FindingKind::wrong_result);
            EXPECT_EQ(bad->wrong->times, 1u);
            const auto n = static_cast<size_t>(GetParam().n);
            EXPECT_TRUE(bad->wrong->text.english().starts_with("C[" + std::to_string(at / n) + "][" +
                                                               std::to_string(at % n) + "] is "))
                << bad->wrong->text.english();
            all.c[at] = correct;
        }
    }
}
INSTANTIATE_TEST_SUITE_P(Verify, Sizes,
                         testing::Values(catalog::Problem{1, 1, 1}, catalog::Problem{3, 5, 7},
                                         catalog::Problem{100, 37, 65}, catalog::Problem{5, 300, 300},
                                         catalog::Problem{1030, 3, 2}, catalog::Problem{129, 257, 513}));

TEST(Verify, NothingThatIsNotANumberPasses) {
    for (float value :
         {std::nanf(""), std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()}) {
        for (size_t at : {0, 7, 63}) {
            Matrices all = right({8, 8, 8});
            all.c[at] = value;
            auto judgement = session::verify(all.gemm, all.product(), {});
            ASSERT_TRUE(judgement);
            EXPECT_FALSE(judgement->verification.passed);
            EXPECT_FALSE(std::isfinite(judgement->verification.max_abs_error));
            ASSERT_TRUE(judgement->wrong);
            EXPECT_EQ(judgement->wrong->times, 1u);
        }
    }
}

// |0 - inf| <= inf
TEST(Verify, NothingPassesAgainstInfinity) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    for (const double alpha : {infinity, 1e308}) {
        Matrices all = right({3, 4, 100}, alpha);
        std::fill(all.c.begin(), all.c.end(), 0.0f);
        const auto judged = session::verify(all.gemm, all.product(), {});
        ASSERT_TRUE(judged);
        EXPECT_FALSE(judged->verification.passed) << alpha;
        ASSERT_TRUE(judged->wrong);
        EXPECT_TRUE(judged->wrong->text.english().starts_with("C cannot be verified: "))
            << judged->wrong->text.english();
    }
}

TEST(Verify, DoesNotLookAtCWhereBetaIsZero) {
    Matrices all = right({4, 4, 4});
    all.before.assign(16, std::nanf(""));
    EXPECT_TRUE(session::verify(all.gemm, all.product(), {})->verification.passed);
}

TEST(Verify, ToleranceHoldsForSinglePrecisionSumsAndGrowsWithK) {
    double last = 0;
    for (int k : {1, 64, 4096}) {
        Matrices all = right({16, 16, k});
        for (size_t i = 0; i < 16; ++i) { // the same sums in float, as a kernel makes them
            for (size_t j = 0; j < 16; ++j) {
                float sum = 0;
                for (size_t l = 0; l < static_cast<size_t>(k); ++l)
                    sum = std::fma(all.a[i * static_cast<size_t>(k) + l], all.b[l * 16 + j], sum);
                all.c[i * 16 + j] = sum;
            }
        }
        auto judgement = session::verify(all.gemm, all.product(), {});
        EXPECT_TRUE(judgement->verification.passed)
            << "k = " << k << ", error " << judgement->verification.max_abs_error;
        EXPECT_GT(judgement->verification.tolerance, last);
        EXPECT_LT(judgement->verification.tolerance, 0.01);
        last = judgement->verification.tolerance;
    }
}

TEST(Verify, KeepsWhatCShouldBe) {
    Matrices all = right({1, 2, 2});
    all.gemm.alpha = 2;
    auto judgement = session::verify(all.gemm, all.product(), {});
    ASSERT_EQ(judgement->reference.size(), 2u);
    const auto times = [&](size_t a, size_t b) {
        return static_cast<double>(all.a[a]) * static_cast<double>(all.b[b]);
    };
    for (size_t j = 0; j < 2; ++j) EXPECT_EQ(judgement->reference[j], 2 * (times(0, j) + times(1, 2 + j)));
}

// Sums that a double cannot hold on the way: only a longer one knows what is left.
TEST(Verify, DoublesAreJudgedByMoreThanADouble) {
    session::Gemm gemm{{1, 1, 3}, 1, 0, catalog::OperandType::f64};
    const std::vector<double> a{1, 0x1p-60, -1}, b{1, 1, 1};
    std::vector<double> c{0x1p-60};
    auto judgement = session::verify(gemm, session::Product<double>{a, b, {}, c}, {});
    ASSERT_TRUE(judgement);
    EXPECT_EQ(judgement->reference[0], 0x1p-60);
    EXPECT_EQ(judgement->verification.max_abs_error, 0);
    EXPECT_EQ(judgement->verification.reference, "long double on the CPU");
}

TEST_P(Sizes, ARightProductOfDoublesPassesAndASlightlyWrongElementFails) {
    const catalog::Problem p = GetParam();
    const auto m = static_cast<size_t>(p.m), n = static_cast<size_t>(p.n), k = static_cast<size_t>(p.k);
    const session::Gemm gemm{p, 0.1, -0.3, catalog::OperandType::f64};
    const auto filled = [](size_t count, uint64_t stream) {
        std::vector<double> values;
        for (size_t i = 0; i < count; ++i) values.push_back(base::RandomStream(1, stream).wide(i));
        return values;
    };
    const auto a = filled(m * k, 4), b = filled(k * n, 5), before = filled(m * n, 7);
    std::vector<double> c;
    for (size_t i = 0; i < m; ++i)
        for (size_t j = 0; j < n; ++j) {
            double sum = 0;
            for (size_t l = 0; l < k; ++l) sum = std::fma(a[i * k + l], b[l * n + j], sum);
            c.push_back(std::fma(-0.3, before[i * n + j], 0.1 * sum));
        }
    const session::Product<double> product{a, b, before, c};
    auto good = session::verify(gemm, product, {});
    EXPECT_TRUE(good->verification.passed) << good->verification.max_abs_error;
    EXPECT_LT(good->verification.tolerance, 1e-13);
    for (size_t at : {size_t{0}, c.size() / 2, c.size() - 1}) {
        const double correct = c[at];
        c[at] = correct + 1e-12; // a float would not show it
        auto bad = session::verify(gemm, product, {});
        EXPECT_FALSE(bad->verification.passed);
        ASSERT_TRUE(bad->wrong);
        EXPECT_EQ(bad->wrong->times, 1u);
        EXPECT_NE(bad->wrong->text.english().find("where the long double reference has"), std::string::npos)
            << bad->wrong->text.english();
        c[at] = correct;
    }
}

TEST(Verify, Stops) {
    std::stop_source source;
    source.request_stop();
    Matrices all = right({64, 64, 64});
    EXPECT_FALSE(session::verify(all.gemm, all.product(), source.get_token()));
}

// A and what an operation on its elements should store.
struct Elements {
    session::Gemm gemm;
    std::vector<float> a;
    std::vector<uint32_t> c;
    session::Judgement judged() const { return *session::verify_elements(gemm, a, std::as_bytes(std::span(c)), {}); }
};

Elements packed(catalog::Operation operation, int m, int n) {
    Elements all;
    all.gemm.problem = {m, n, 1};
    all.gemm.operation = operation;
    const auto rows = static_cast<size_t>(m), columns = static_cast<size_t>(n);
    for (size_t i = 0; i < rows * columns; ++i) all.a.push_back(base::RandomStream(1, 2)(i));
    const bool down = operation == catalog::Operation::pack_columns;
    const size_t words = ((down ? rows : columns) + 31) / 32, wide = down ? columns : words;
    all.c.resize(down ? words * columns : rows * words);
    for (size_t row = 0; row < rows; ++row)
        for (size_t column = 0; column < columns; ++column) {
            const size_t along = down ? row : column;
            if (all.a[row * columns + column] < 0)
                all.c[down ? along / 32 * wide + column : row * wide + along / 32] |= 1u << along % 32;
        }
    return all;
}

TEST(VerifyElements, EachBitCounts) {
    for (const auto operation : {catalog::Operation::pack_rows, catalog::Operation::pack_columns}) {
        Elements all = packed(operation, 33, 35);
        EXPECT_TRUE(all.judged().verification.passed);
        EXPECT_FALSE(all.judged().wrong);
        all.c[0] ^= 1u << 5;
        const session::Judgement bad = all.judged();
        EXPECT_FALSE(bad.verification.passed);
        EXPECT_EQ(bad.verification.max_abs_error, 2) << "+1 where there should be -1, or the other way round";
        ASSERT_TRUE(bad.wrong);
        EXPECT_EQ(bad.wrong->times, 1u);
        EXPECT_TRUE(bad.wrong->text.english().starts_with(operation == catalog::Operation::pack_rows ? "C[0][5] is "
                                                                                                     : "C[5][0] is "))
            << bad.wrong->text.english();
        EXPECT_EQ(bad.reference[5], all.a[5] < 0 ? -1 : 1);
    }
}

TEST(VerifyElements, BitsBehindTheLastElementAreToBeZero) {
    for (const auto operation : {catalog::Operation::pack_rows, catalog::Operation::pack_columns}) {
        Elements all = packed(operation, 33, 33);
        all.c[operation == catalog::Operation::pack_rows ? 1 : 33] |=
            1u << 7; // the second word of the first row, or column
        const session::Judgement bad = all.judged();
        ASSERT_TRUE(bad.wrong);
        EXPECT_NE(bad.wrong->text.english().find(operation == catalog::Operation::pack_rows ? "C[0][39] lies after"
                                                                                            : "C[39][0] lies after"),
                  std::string::npos)
            << bad.wrong->text.english();
    }
}

TEST(VerifyElements, ASumIsToBeExact) {
    Elements all;
    all.gemm.problem = {2, 2, 1};
    all.gemm.operation = catalog::Operation::add_one;
    all.a = {0.5f, -1, 3, 1e-9f};
    for (const float value : {1.5f, 0.0f, 4.0f, 1.0f}) all.c.push_back(std::bit_cast<uint32_t>(value));
    EXPECT_TRUE(all.judged().verification.passed);
    all.c[2] = std::bit_cast<uint32_t>(4.0000005f);
    EXPECT_FALSE(all.judged().verification.passed);
    EXPECT_TRUE(all.judged().wrong->text.english().starts_with("C[1][0] is 4.0000"))
        << all.judged().wrong->text.english();
    all.c[2] = 0xFFFFFFFF; // not a number: as if it had not been written
    EXPECT_TRUE(std::isnan(all.judged().verification.max_abs_error));
    EXPECT_FALSE(all.judged().verification.passed);
}

} // namespace
