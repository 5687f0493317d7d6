#include "cli/sizes.h"

#include <gtest/gtest.h>

namespace {

std::vector<catalog::Problem> sizes(const std::string& text) {
    auto parsed = cli::parse_sizes(text);
    EXPECT_TRUE(parsed) << text << ": " << parsed.error().sentence();
    return parsed ? *parsed : std::vector<catalog::Problem>{};
}
catalog::Problem square(int n) { return {n, n, n}; }

TEST(Sizes, ListsRangesAndRectangles) {
    EXPECT_EQ(sizes("1024"), std::vector{square(1024)});
    EXPECT_EQ(sizes("7,4096x1x30"), (std::vector{square(7), catalog::Problem{4096, 1, 30}}));
    EXPECT_EQ(sizes("256..1000:256"), (std::vector{square(256), square(512), square(768)}));
    EXPECT_EQ(sizes("256..1024:x2"), (std::vector{square(256), square(512), square(1024)}));
    EXPECT_EQ(sizes("5..5:1"), std::vector{square(5)});
    EXPECT_EQ(sizes("1048576..1048576:x2"), std::vector{square(1 << 20)}); // the next would not fit an int
    EXPECT_EQ(sizes("512,256..512:256,512x512x512"), (std::vector{square(512), square(256)}))
        << "each once, the first place counts";
}

TEST(Sizes, NamedSets) {
    auto squares = sizes("square"), layers = sizes("transformer");
    EXPECT_EQ(squares.front(), square(256));
    EXPECT_EQ(squares.back(), square(8192));
    EXPECT_EQ(layers.size(), 10u);
    for (const auto& p : layers) EXPECT_FALSE(p.m == p.n && p.n == p.k);
    EXPECT_EQ(sizes("transformer,square").size(), layers.size() + squares.size());
}

TEST(Sizes, WhatIsNoSizeIsSaid) {
    for (const char* text :
         {"",         ",",        "1024,",     "x",      "1x2",          "1x2x3x4", "1x2x",    "-1",
          "1.5",      "256..",    "..256:1",   "1..2:",  "1..2:x",       "1..9:0",  "1..9:x1", "9..1:1",
          "1..2:3:4", "99999999", "1..2..3:1", "circle", "1..1048576:1", " 1"}) {
        auto parsed = cli::parse_sizes(text);
        ASSERT_FALSE(parsed) << text;
        EXPECT_EQ(parsed.error().failure, base::Failure::usage) << text;
        EXPECT_NE(parsed.error().what.english().find("--sizes"), std::string::npos) << parsed.error().sentence();
    }
}

} // namespace
