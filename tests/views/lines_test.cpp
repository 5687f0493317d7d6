#include "views/lines.h"

#include <gtest/gtest.h>

namespace {

TEST(JoinedLines, EnglishGetsABlankAndChineseNone) {
    EXPECT_EQ(views::joined_lines("one\ntwo\n\nthree\n"), "one two\n\nthree\n");
    EXPECT_EQ(views::joined_lines("一行\n二行\n\n三行"), "一行二行\n\n三行");
    EXPECT_EQ(views::joined_lines("\nfirst"), "\nfirst");
    EXPECT_EQ(views::joined_lines(""), "");
}

} // namespace
