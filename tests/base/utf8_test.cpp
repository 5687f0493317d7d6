#include "base/utf8.h"

#include <gtest/gtest.h>

namespace {

using base::first_character;
using base::utf8;

TEST(Utf8, EveryCharacterIsReadAsItWasWritten) {
    for (char32_t code = 0; code < 0x110000; ++code) {
        const std::string text = utf8(code);
        if (code >= 0xD800 && code < 0xE000) { // surrogates are none
            EXPECT_EQ(text, "") << static_cast<uint32_t>(code);
            continue;
        }
        const auto read = first_character(text + "\x80x");
        ASSERT_EQ(read.code, code);
        ASSERT_EQ(read.bytes, text.size());
    }
    EXPECT_EQ(utf8(0x110000), "");
    EXPECT_EQ(utf8(0x4F60), "\xE4\xBD\xA0");
    EXPECT_EQ(utf8(0x1F600), "\xF0\x9F\x98\x80");
}

// RFC 3629: overlong forms, surrogates, what is cut, what lies beyond.
TEST(Utf8, WhatIsNoCharacterIsOneByte) {
    for (const char* text : {"\x80", "\xBF", "\xC0\x80", "\xC1\xBF", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xF0\x8F\xBF\xBF",
                             "\xF4\x90\x80\x80", "\xF8\x88\x80\x80\x80", "\xFF", "\xE4\xBD", "\xE4x\xA0", "\xC3"}) {
        EXPECT_EQ(first_character(text).code, base::replacement_character) << text;
        EXPECT_EQ(first_character(text).bytes, 1u) << text;
    }
    EXPECT_EQ(base::well_formed("a\xE4\xBD\xA0\xE4\xBD"
                                "b"),
              "a\xE4\xBD\xA0\xEF\xBF\xBD\xEF\xBF\xBD"
              "b");
}

} // namespace
