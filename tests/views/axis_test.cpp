#include "views/axis.h"

#include <gtest/gtest.h>

using views::Axis;

namespace {

TEST(Axis, PixelsAndBack) {
    const Axis size(Axis::Scale::log2, 256, 8192, 100, 600), speed(Axis::Scale::linear, 0, 60, 400, 0);
    EXPECT_FLOAT_EQ(size.pixel(256), 100);
    EXPECT_FLOAT_EQ(size.pixel(8192), 600);
    EXPECT_FLOAT_EQ(size.pixel(512), 200); // every doubling is as wide
    EXPECT_FLOAT_EQ(speed.pixel(15), 300); // upwards
    EXPECT_NEAR(size.value(size.pixel(3000)), 3000, 0.1);
    EXPECT_NEAR(speed.value(speed.pixel(51.4)), 51.4, 1e-3);
}

TEST(Axis, TicksOfSizesArePowersOfTwo) {
    const auto ticks = Axis(Axis::Scale::log2, 222, 9420, 0, 500).ticks(20);
    ASSERT_EQ(ticks.size(), 6u);
    EXPECT_EQ(ticks.front().label, "256");
    EXPECT_EQ(ticks.back().label, "8192");
}

TEST(Axis, TicksOfErrorsArePowersOfTen) {
    const Axis error(Axis::Scale::log10, 1e-8, 1e-4, 400, 0);
    EXPECT_FLOAT_EQ(error.pixel(1e-6), 200);
    EXPECT_NEAR(error.value(error.pixel(3e-7)), 3e-7, 1e-12);
    const auto ticks = error.ticks(8);
    ASSERT_EQ(ticks.size(), 5u);
    EXPECT_EQ(ticks.front().label, "1e-8");
    EXPECT_DOUBLE_EQ(ticks[3].value, 1e-5);
}

TEST(Axis, NoMoreLabelsThanAskedFor) {
    for (int most = 1; most < 12; ++most) {
        int labels = 0;
        for (const views::Tick& tick : Axis(Axis::Scale::log2, 1, 1 << 20, 0, 1).ticks(most))
            labels += !tick.label.empty();
        EXPECT_LE(labels, most);
        EXPECT_GE(labels, 1);
    }
}

TEST(Axis, LinearTicksAreNiceAndBeginAtZero) {
    const auto ticks = Axis(Axis::Scale::linear, 0, 60, 400, 0).ticks(4);
    ASSERT_EQ(ticks.size(), 4u);
    EXPECT_EQ(ticks[0].label, "0");
    EXPECT_EQ(ticks[1].label, "20");
    EXPECT_EQ(ticks[3].label, "60");
}

TEST(Axis, NiceNumbers) {
    EXPECT_DOUBLE_EQ(views::nice_above(1), 1);
    EXPECT_DOUBLE_EQ(views::nice_above(2.1), 2.5);
    EXPECT_DOUBLE_EQ(views::nice_above(51), 100);
    EXPECT_DOUBLE_EQ(views::nice_above(0.03), 0.05);
    EXPECT_DOUBLE_EQ(views::nice_top(52.9, 5), 60);
    EXPECT_EQ(views::short_number(4096), "4096");
    EXPECT_EQ(views::short_number(0.25), "0.25");
    EXPECT_EQ(views::short_number(12.345), "12.3");
}

} // namespace
