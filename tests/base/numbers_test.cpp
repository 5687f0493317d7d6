#include "base/numbers.h"
#include "base/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace {

using base::Numbers;
using base::NumbersView;
using base::NumberType;

TEST(Numbers, AreReadAsWhatTheyAre) {
    const std::vector<float> floats{1.5f, -0.1f};
    const std::vector<double> doubles{0.1, -1e300, 3};
    const uint16_t halves[] = {base::to_bf16(1.5f), base::to_bf16(-2)};
    const NumbersView f(floats), d(doubles), h(NumberType::bf16, std::as_bytes(std::span(halves)));
    EXPECT_EQ(f.size(), 2u);
    EXPECT_EQ(f[1], static_cast<double>(-0.1f));
    EXPECT_EQ(d.size(), 3u);
    EXPECT_EQ(d[0], 0.1);
    EXPECT_EQ(d[1], -1e300);
    EXPECT_EQ(h.size(), 2u);
    EXPECT_EQ(h[0], 1.5);
    EXPECT_EQ(h[1], -2);
    EXPECT_TRUE(NumbersView().empty());
}

TEST(Numbers, AreEqualWhereTheirBitsAre) {
    const Numbers zero(std::vector{0.0}), negative(std::vector{-0.0}), nan(std::vector{std::nan("")});
    EXPECT_EQ(zero, Numbers(NumberType::f64, 1));
    EXPECT_NE(zero, negative);
    EXPECT_EQ(nan, nan);
    EXPECT_NE(Numbers(NumberType::f32, 2), Numbers(NumberType::f64, 1));
}

// Of the same bits: the float is the double cut off after 24 of them.
TEST(Numbers, RandomDoublesGoOnWhereTheFloatsEnd) {
    const base::RandomStream random(3, 4);
    double least = 1, most = -1;
    for (uint64_t i = 0; i < 10'000; ++i) {
        const double wide = random.wide(i), apart = wide - static_cast<double>(random(i));
        EXPECT_GE(apart, 0);
        EXPECT_LT(apart, 0x1p-23);
        least = std::min(least, wide), most = std::max(most, wide);
    }
    EXPECT_GE(least, -1);
    EXPECT_LT(least, -0.999);
    EXPECT_LT(most, 1);
    EXPECT_GT(most, 0.999);
}

} // namespace
