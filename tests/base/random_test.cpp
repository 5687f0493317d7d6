#include "base/random.h"

#include <gtest/gtest.h>

#include <cmath>

namespace {

TEST(RandomStream, IsFixedForEver) { // recorded results and bit comparisons rely on these values
    base::RandomStream stream(1, 4);
    EXPECT_EQ(stream(0), 0x1.28cb94p-1f);
    EXPECT_EQ(stream(1), 0x1.fca8f8p-1f);
    EXPECT_EQ(base::RandomStream(2, 4)(0), 0x1.c49dcp-1f);
    EXPECT_EQ(base::RandomStream(1, 5)(0), -0x1.1c936p-4f);
}

TEST(RandomStream, IsUniformInMinusOneToOne) {
    base::RandomStream stream(7, 0);
    double sum = 0, squares = 0;
    constexpr int count = 100'000;
    for (int i = 0; i < count; ++i) {
        float value = stream(static_cast<uint64_t>(i));
        ASSERT_GE(value, -1.0f);
        ASSERT_LT(value, 1.0f);
        ASSERT_EQ(value * 0x1p23f, std::round(value * 0x1p23f)); // exact in any format of 24 bits
        sum += value;
        squares += double(value) * value;
    }
    EXPECT_NEAR(sum / count, 0, 0.01);
    EXPECT_NEAR(squares / count, 1.0 / 3, 0.01);
}

TEST(RandomStream, NeighbouringStreamsAndSeedsDiffer) {
    int same = 0;
    for (uint64_t i = 0; i < 1000; ++i)
        same += (base::RandomStream(1, 4)(i) == base::RandomStream(1, 5)(i)) +
                (base::RandomStream(1, 4)(i) == base::RandomStream(2, 4)(i)) +
                (base::RandomStream(1, 4)(i) == base::RandomStream(1, 4)(i + 1));
    EXPECT_LE(same, 1);
}

} // namespace
