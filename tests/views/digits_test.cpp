#include "views/digits.h"

#include "base/number_type.h"

#include <gtest/gtest.h>

#include <bit>

namespace {

using session::Digits;
using views::value_text;
using views::ValueType;

uint64_t bits(float value) { return std::bit_cast<uint32_t>(value); }

TEST(Digits, TypeFollowsTheRegistersName) {
    EXPECT_EQ(views::value_type("%f12", 32), ValueType::f32);
    EXPECT_EQ(views::value_type("%fd1", 64), ValueType::f64);
    EXPECT_EQ(views::value_type("%r7", 32), ValueType::signed_integer);
    EXPECT_EQ(views::value_type("%rd7", 64), ValueType::address);
    EXPECT_EQ(views::value_type("%p1", 1), ValueType::predicate);
}

TEST(Digits, EachWayOfWriting) {
    EXPECT_EQ(value_text(bits(1.5f), 32, ValueType::f32, Digits::natural, 9), "1.5");
    EXPECT_EQ(value_text(bits(1.5f), 32, ValueType::f32, Digits::hex, 9), "3fc00000");
    EXPECT_EQ(value_text(0xFFFFFFFF, 32, ValueType::signed_integer, Digits::natural, 9), "-1");
    EXPECT_EQ(value_text(0xFFFF, 16, ValueType::signed_integer, Digits::integer, 9), "-1");
    EXPECT_EQ(value_text(0x7f0000001000, 64, ValueType::address, Digits::natural, 12), "7f0000001000");
    EXPECT_EQ(value_text(1, 1, ValueType::predicate, Digits::hex, 9), "1");
}

TEST(Digits, TwoBf16InAWordAreTwoNumbers) {
    const uint64_t pair = uint64_t{base::to_bf16(-0.25f)} << 16 | base::to_bf16(1.5f);
    EXPECT_EQ(value_text(pair, 32, ValueType::bf16_pair, Digits::natural, 16), "1.5 -0.25");
    EXPECT_EQ(value_text(pair, 32, ValueType::bf16_pair, Digits::real, 9), "1.5 -.25");
    EXPECT_EQ(value_text(pair, 32, ValueType::bf16_pair, Digits::real, 8), "") << "not one of them alone";
    EXPECT_EQ(value_text(pair, 32, ValueType::bf16_pair, Digits::hex, 16), "be803fc0");
}

TEST(Digits, AHalfStandsAlone) {
    const uint32_t word = 0xC0A0'3F80; // -5 above 1
    using session::Digits;
    EXPECT_EQ(views::half_text(word, false, Digits::natural, 5), "1");
    EXPECT_EQ(views::half_text(word, true, Digits::natural, 5), "-5");
    EXPECT_EQ(views::half_text(word, true, Digits::real, 5), "-5");
    EXPECT_EQ(views::half_text(word, true, Digits::hex, 5), "c0a0");
    EXPECT_EQ(views::half_text(word, true, Digits::hex, 3), "") << "no room";
}

TEST(Digits, AWordOfBitsIsItsElementsOrHexadecimal) {
    const uint64_t word = 0x80000005; // the first, the third and the last are -1
    EXPECT_EQ(value_text(word, 32, ValueType::bits, Digits::natural, 32), "10100000000000000000000000000001");
    EXPECT_EQ(value_text(word, 32, ValueType::bits, Digits::natural, 31), "80000005");
    EXPECT_EQ(value_text(word, 32, ValueType::bits, Digits::natural, 7), "");
    EXPECT_EQ(value_text(word, 32, ValueType::bits, Digits::hex, 32), "80000005");
    EXPECT_EQ(value_text(word, 32, ValueType::bits, Digits::integer, 32), "-2147483643");
}

TEST(Digits, NeverLongerThanTheRoomAndNeverWrong) {
    for (const float value : {0.0f, -0.123456f, 1e-30f, -3.4e38f, 123456.0f, 0.5f})
        for (size_t room = 0; room < 14; ++room) {
            const std::string words = value_text(bits(value), 32, ValueType::f32, Digits::natural, room);
            EXPECT_LE(words.size(), std::max<size_t>(room, 1));
            if (words.empty()) continue;
            if (words == "~0") EXPECT_LT(std::abs(value), 1);
            else EXPECT_NEAR(std::stod(words), value, std::abs(value) * 0.5) << words;
        }
    EXPECT_EQ(value_text(123456, 32, ValueType::signed_integer, Digits::natural, 5), "");
}

} // namespace
