#include "base/text.h"

#include <gtest/gtest.h>

namespace {

TEST(Text, IsTrimmedOfBlanksAndLineEnds) {
    EXPECT_EQ(base::trimmed("\t a b \r\n"), "a b");
    EXPECT_EQ(base::trimmed("a"), "a");
    EXPECT_EQ(base::trimmed(" \t\r\n"), "");
    EXPECT_EQ(base::trimmed(""), "");
}

TEST(Text, LettersOfAsciiInLowerCase) {
    EXPECT_EQ(base::lower("NVIDIA H200 [A-Z] É李"), "nvidia h200 [a-z] É李");
    EXPECT_EQ(base::lower('@'), '@');
    EXPECT_EQ(base::lower('Z'), 'z');
}

TEST(Text, IsCutIntoLines) {
    using Lines = std::vector<std::string_view>;
    EXPECT_EQ(base::lines(""), Lines{});
    EXPECT_EQ(base::lines("one"), Lines{"one"});
    EXPECT_EQ(base::lines("one\n\ntwo\n"), (Lines{"one", "", "two"}));
}

TEST(Text, NumbersHaveTheirThousandsApart) {
    EXPECT_EQ(base::thousands(0), "0");
    EXPECT_EQ(base::thousands(999), "999");
    EXPECT_EQ(base::thousands(1000), "1,000");
    EXPECT_EQ(base::thousands(18446744073709551615u), "18,446,744,073,709,551,615");
}

TEST(Text, WhatOthersWroteCanBeShown) {
    EXPECT_EQ(base::shown("a\x1b[2J\tb\nc\x7f"), "a[2J\tb\nc");
    EXPECT_EQ(base::shown("李 \xc3\x9c \xf0\x9f\x99\x82"), "李 \xc3\x9c \xf0\x9f\x99\x82");
    EXPECT_EQ(base::shown("\xc2\x9b"
                          "1m"),
              "1m")
        << "the terminal's other escape";
    for (const char* broken : {"\xff", "\xc0", "\x80", "\xe6", "\xef\xbf\xbe", "\xc3"})
        EXPECT_TRUE(base::shown(broken).starts_with("\uFFFD")) << broken;
    EXPECT_EQ(base::shown("\xed\xa0\x80"), "\uFFFD\uFFFD\uFFFD") << "half of a surrogate pair";
    EXPECT_EQ(base::shown_in("a\nb", 3), "a b");
    EXPECT_EQ(base::shown_in("李李李", 9), "李李李");
    EXPECT_EQ(base::shown_in("李李李李", 9), "李李...");
}

TEST(Text, BytesHaveThreeDigitsAndAUnit) {
    EXPECT_EQ(base::bytes_text(0), "0 bytes");
    EXPECT_EQ(base::bytes_text(1), "1 byte");
    EXPECT_EQ(base::bytes_text(999), "999 bytes");
    EXPECT_EQ(base::bytes_text(1234), "1.23 kB");
    EXPECT_EQ(base::bytes_text(999'950), "1 MB");
    EXPECT_EQ(base::bytes_text(16'000'000), "16 MB");
    EXPECT_EQ(base::bytes_text(141'000'000'000), "141 GB");
    EXPECT_EQ(base::bytes_text(4'000'000'000'000), "4 TB");
}

} // namespace
