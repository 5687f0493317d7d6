#include "base/number.h"

#include <gtest/gtest.h>

#include <cmath>

namespace {

TEST(Number, WholeNumbers) {
    EXPECT_EQ(*base::parse_integer("128", "BM"), 128);
    EXPECT_EQ(*base::parse_integer("-1", "offset"), -1);
    EXPECT_EQ(*base::parse_integer("9223372036854775807", "x"), INT64_MAX);
    for (const char* text : {"", " 1", "1 ", "+1", "1.5", "0x10", "12x", "-", "1e3"}) {
        auto result = base::parse_integer(text, "K");
        ASSERT_FALSE(result) << text;
        EXPECT_NE(result.error().what.english().find("is not a whole number"), std::string::npos) << text;
    }
}

TEST(Number, SaysTheRangeItAccepts) {
    auto result = base::parse_integer("0", "K", 1, 100);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().sentence(), "K = 0 is out of range; choose K from 1 to 100");
    EXPECT_FALSE(base::parse_integer("101", "K", 1, 100));
    EXPECT_TRUE(base::parse_integer("100", "K", 1, 100));
    auto huge = base::parse_integer("99999999999999999999", "K", 1, 100);
    ASSERT_FALSE(huge);
    EXPECT_NE(huge.error().what.english().find("out of range"), std::string::npos);
}

TEST(Number, FiniteDecimals) {
    EXPECT_EQ(*base::parse_number("-1.5e3", "alpha"), -1500);
    for (const char* text : {"", "nan", "inf", "1e999", "1,5", "1.5f", " 1"})
        EXPECT_FALSE(base::parse_number(text, "alpha")) << text;
}

TEST(Significant, RoundsToDigits) {
    EXPECT_EQ(base::significant(1.2345000505447388), 1.2345);
    EXPECT_EQ(base::significant(44481.23456789), 44481.2);
    EXPECT_EQ(base::significant(-0.00012345678), -0.000123457);
    EXPECT_EQ(base::significant(123456789.0, 3), 123000000.0);
    EXPECT_EQ(base::significant(0.0), 0.0);
    EXPECT_TRUE(std::isnan(base::significant(std::nan(""))));
    EXPECT_TRUE(std::isinf(base::significant(1e308 * 10)));
}

} // namespace
