#include "views/table.h"

#include <gtest/gtest.h>

namespace views {
namespace {

Table sample() {
    return {"Blocks",
            {"One sentence.", "Another."},
            {{"block"}, {"start", "µs"}, {"of what"}},
            {{"0,1", "2.5", "a, \"b\""}, {"12,3", "1,000.25"}, {"4,5", "-", "线程块"}}};
}

TEST(Table, AsTextHasItsTitleNotesAndUnitsAndAlignsNumbers) {
    EXPECT_EQ(aligned_text(sample()), "Blocks\nOne sentence.\nAnother.\n\n"
                                      "block  start [µs]  of what\n"
                                      "  0,1         2.5  a, \"b\"\n"
                                      " 12,3    1,000.25\n"
                                      "  4,5           -  线程块\n");
}

TEST(Table, AsCsvIsThatOfRfc4180) {
    EXPECT_EQ(comma_separated(sample()), "block,start [µs],of what\r\n"
                                         "\"0,1\",2.5,\"a, \"\"b\"\"\"\r\n"
                                         "\"12,3\",\"1,000.25\",\r\n"
                                         "\"4,5\",-,线程块\r\n");
}

TEST(Table, WithoutColumnsIsItsNotes) {
    EXPECT_EQ(aligned_text({"Banks", {"This kernel has no shared memory."}, {}, {}}),
              "Banks\nThis kernel has no shared memory.\n");
}

TEST(Table, KeepsEachCellOnItsLine) {
    const Table table{{}, {}, {{"a"}, {"b"}}, {{"one\ntwo\tthree", "x"}}};
    EXPECT_EQ(tab_separated(table), "a\tb\none two three\tx\n");
    EXPECT_EQ(aligned_text(table), "a              b\none two three  x\n");
    EXPECT_EQ(comma_separated(table), "a,b\r\n\"one\ntwo\tthree\",x\r\n");
}

TEST(Table, CountsWideCharactersTwice) {
    EXPECT_EQ(text_columns("存储体 8"), 8u);
    EXPECT_EQ(text_columns("µs ×"), 4u);
    EXPECT_LE(text_columns("\xff\xc3"), 2u) << "what is no UTF-8 ends, too";
}

} // namespace
} // namespace views
