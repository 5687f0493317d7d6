#include "exercise/size_pattern.h"

#include <gtest/gtest.h>

#include <set>

namespace {

using exercise::Draw;
using exercise::parse_size;

TEST(SizePattern, NumbersAreTakenAsTheyAre) {
    const auto size = parse_size("256x37x1");
    ASSERT_TRUE(size);
    EXPECT_FALSE(size->is_drawn());
    EXPECT_EQ(size->draw(Draw("any"), "1"), (catalog::Problem{256, 37, 1}));
}

TEST(SizePattern, ARangeIsDrawnWithinItsEnds) {
    const auto size = parse_size("{33..40}x64x{1..2}");
    ASSERT_TRUE(size);
    EXPECT_TRUE(size->is_drawn());
    EXPECT_EQ(size->largest(), (catalog::Problem{40, 64, 2}));
    std::set<int> m;
    for (int seed = 0; seed < 200; ++seed) {
        const auto drawn = size->draw(Draw(std::to_string(seed)), "1");
        EXPECT_GE(drawn.m, 33);
        EXPECT_LE(drawn.m, 40);
        EXPECT_EQ(drawn.n, 64);
        m.insert(drawn.m);
    }
    EXPECT_EQ(m.size(), 8u); // all of them, the ends included
}

// A student's sizes are the same on every machine and with every library: these were drawn once.
TEST(SizePattern, TheSameSeedDrawsTheSameEverywhere) {
    const auto size = parse_size("{1..8192}x{1..8192}x{1..8192}");
    ASSERT_TRUE(size);
    EXPECT_EQ(size->draw(Draw("s1234"), "1.0"), size->draw(Draw("s1234"), "1.0"));
    EXPECT_NE(size->draw(Draw("s1234"), "1.0"), size->draw(Draw("s1235"), "1.0"));
    EXPECT_NE(size->draw(Draw("s1234"), "1.0"), size->draw(Draw("s1234"), "1.1"));
    EXPECT_EQ(Draw("s1234").between("tile", 0, 1000000), 514524);
}

TEST(SizePattern, WhatIsNoSizeIsAnErrorThatShowsTheForm) {
    for (const char* text : {"", "256", "256x256", "1x2x3x4", "0x1x1", "-1x1x1", "9000x1x1", "{5..4}x1x1", "{5}x1x1",
                             "{5..6x1x1", "ax1x1", "{..}x1x1", "1x1x", "{1..99999999999}x1x1"}) {
        const auto size = parse_size(text);
        ASSERT_FALSE(size) << text;
        EXPECT_NE(size.error().sentence().find("256x256x256"), std::string::npos) << text;
    }
}

} // namespace
