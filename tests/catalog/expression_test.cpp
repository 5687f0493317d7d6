#include "catalog/expression.h"

#include <gtest/gtest.h>

#include <climits>

namespace {

const std::vector<std::string> names = {"a", "b", "BM"};

std::optional<int64_t> value(const std::string& text, int64_t a = 7, int64_t b = -2, int64_t bm = 128) {
    auto expression = catalog::Expression::parse(text, names);
    EXPECT_TRUE(expression) << text << ": " << expression.error().sentence();
    if (!expression) return {};
    return expression->evaluate(std::vector<int64_t>{a, b, bm});
}

TEST(Expression, MeansWhatCMeans) {
    constexpr int64_t a = 7, b = -2, BM = 128;
#define AS_IN_C(expression) EXPECT_EQ(value(#expression), int64_t{expression}) << #expression
    AS_IN_C(a / 2);
    AS_IN_C(a / b);
    AS_IN_C(b / 4);
    AS_IN_C(a % b);
    AS_IN_C(b % a);
    AS_IN_C(-a % 4);
    AS_IN_C(a - b - 1);
    AS_IN_C(BM / 4 * 3 / 7);
    AS_IN_C((BM / (a + 1)) * (BM / 8));
    AS_IN_C(1 + 2 * 3 - 4);
    AS_IN_C(a + 1 == 8);
    AS_IN_C(BM % 8 == 0 && BM >= 64);
    AS_IN_C((a < 0 || b < 0) && !(a == b));
    AS_IN_C((a < b) == 0);
    AS_IN_C(a != 7 || b <= -2);
    AS_IN_C(a > b ? a : b);
    AS_IN_C(a < b ? 1 : a == 7 ? 2 : 3);
    AS_IN_C(!a + 1);
    AS_IN_C(!0);
    AS_IN_C(a - -b);
    AS_IN_C(+a);
#undef AS_IN_C
}

TEST(Expression, Functions) {
    EXPECT_EQ(value("ceil_div(129, BM)"), 2);
    EXPECT_EQ(value("ceil_div(128, BM)"), 1);
    EXPECT_EQ(value("ceil_div(2147483647, 2)"), 1073741824);
    EXPECT_EQ(value("min(a, b, BM)"), -2);
    EXPECT_EQ(value("max(a, b)"), 7);
    EXPECT_EQ(value("abs(b)"), 2);
    EXPECT_EQ(value("pow(2, 10)"), 1024);
    EXPECT_EQ(value("pow(2, -1)"), 0);
    EXPECT_EQ(value("log2(BM)"), 7);
    EXPECT_EQ(value("log2(127)"), 6);
    EXPECT_EQ(value("is_power_of_two(BM)"), 1);
    for (const char* text : {"is_power_of_two(96)", "is_power_of_two(0)", "is_power_of_two(-4)"})
        EXPECT_EQ(value(text), 0) << text;
}

TEST(Expression, WhatHasNoValueIsNothing) {
    for (const char* text :
         {"a / (b + 2)", "a % 0", "ceil_div(a, 0)", "log2(0)", "log2(b)", "pow(10, 400)", "0 == 1 / 0", "!(1 / 0)",
          "min(1, 1 / 0)", "9007199254740992 + 1", "99999999999999999999", "1 / 0 && 1", "0 || 1 / 0", "-(1 % 0)"})
        EXPECT_EQ(value(text), std::nullopt) << text;
}

TEST(Expression, TheDecidingSideIsEnough) {
    EXPECT_EQ(value("b + 2 != 0 && a / (b + 2) == 1"), 0);
    EXPECT_EQ(value("b + 2 == 0 || a / (b + 2) == 1"), 1);
    EXPECT_EQ(value("b + 2 == 0 ? 5 : a / (b + 2)"), 5);
}

TEST(Expression, ExtremeValuesAreExactOrNothing) {
    EXPECT_EQ(value("a * b", INT_MAX, INT_MAX), std::nullopt);
    EXPECT_EQ(value("a * b", INT_MAX, 4194304), int64_t{INT_MAX} * 4194304);
    EXPECT_EQ(value("a + b", INT_MAX, INT_MAX), int64_t{2} * INT_MAX);
    EXPECT_EQ(value("a / b", INT_MIN, -1), int64_t{INT_MAX} + 1);
    EXPECT_EQ(value("a % b", INT_MIN, -1), 0);
    EXPECT_EQ(value("(a / b) * b + a % b == a", INT_MAX, 3), 1);
    constexpr int64_t largest = int64_t{1} << 53;
    for (const int64_t given : {largest, -largest, INT64_MAX, INT64_MIN}) {
        EXPECT_EQ(value("-a", given), std::nullopt) << given;
        EXPECT_EQ(value("a / b", given, 1), std::nullopt) << given;
    }
}

TEST(Expression, TellsWhatItUses) {
    auto expression = catalog::Expression::parse("BM % 4 + BM / a", names);
    ASSERT_TRUE(expression);
    EXPECT_EQ(expression->uses(), (std::vector<size_t>{0, 2}));
}

TEST(Expression, WrongTextIsAnErrorThatQuotesIt) {
    for (const char* text :
         {"",       " ",     "a +",         "(a",          "a)",    "a b",    "1.5",      "a = 3",
          "a, b",   "min()", "ceil_div(a)", "unknown + 1", "a ? b", "f(a)",   "\"text\"", "a & b",
          "a ** b", "0x10",  "a;",          "pi",          "_pi",   "sin(a)", "1e3",      "\xff\xfe"}) {
        auto expression = catalog::Expression::parse(text, names);
        ASSERT_FALSE(expression) << text;
        EXPECT_NE(expression.error().what.english().find(text), std::string::npos) << expression.error().what.english();
    }
    EXPECT_FALSE(catalog::Expression::parse(std::string("a + b\0 * b", 10), names));
    EXPECT_FALSE(catalog::Expression::parse(std::string(100000, '('), names));
    EXPECT_FALSE(catalog::Expression::parse(std::string(100000, '-') + "1", names));
}

} // namespace
