#include "ui/time/access.h"

#include <gtest/gtest.h>

namespace {

using analysis::Origin;

class WordsName : public testing::Test {
protected:
    static Origin at(uint32_t row, uint32_t column) { return {0, row, column, {row, column}}; }
    static ui::WordsName of(const trace::Trace& t, const std::vector<Origin>& words) {
        return ui::words_name(t, words, 0, words.size());
    }
    static trace::Trace with(const char* array, base::NumberType element) {
        trace::Trace t;
        t.buffers.push_back({array, 0x10000, 16 * 32 * base::bytes_of(element), element, 16, 32});
        return t;
    }
    trace::Trace t = with("A", base::NumberType::f32);
};

TEST_F(WordsName, IsABoxThatTheyFill) {
    EXPECT_EQ(of(t, {at(3, 8), at(3, 9), at(3, 10)}).name, "A[3][8..10]");
    EXPECT_EQ(of(t, {at(3, 8), at(4, 8)}).name, "A[3..4][8]");
    EXPECT_EQ(of(t, {at(3, 8), at(3, 9), at(4, 8), at(4, 9)}).name, "A[3..4][8..9]");
    EXPECT_EQ(of(t, {at(3, 8), at(4, 8), at(3, 9), at(4, 9)}).name, "A[3..4][8..9]");
    EXPECT_EQ(of(t, {{}, at(3, 8), {}, at(3, 9)}).name, "A[3][8..9]") << "padding";
    EXPECT_EQ(of(t, {{}, {}}).name, "");
}

TEST_F(WordsName, TellsAnotherOrder) {
    EXPECT_FALSE(of(t, {at(3, 8), at(3, 9)}).is_permuted);
    EXPECT_FALSE(of(t, {at(3, 8), at(4, 8), at(3, 9), at(4, 9)}).is_permuted) << "column after column";
    const ui::WordsName swizzled = of(t, {at(3, 10), at(3, 11), at(3, 8), at(3, 9)});
    EXPECT_EQ(swizzled.name, "A[3][8..11]");
    EXPECT_TRUE(swizzled.is_permuted);
}

TEST_F(WordsName, IsTheFirstRunWhereTheyFillNone) {
    EXPECT_EQ(of(t, {at(3, 8), at(3, 9), at(3, 12)}).name, "A[3][8..9] ...");
    EXPECT_EQ(of(t, {at(3, 8), at(4, 8), at(9, 8)}).name, "A[3..4][8] ...");
    EXPECT_EQ(of(t, {at(3, 8), at(3, 9), at(4, 9)}).name, "A[3][8..9] ...");
    EXPECT_EQ(of(t, {at(0, 0), at(1, 1), at(0, 0), at(1, 1)}).name, "A[0][0] ...")
        << "four, but not the four of the box";
}

TEST_F(WordsName, KnowsTwoArrays) {
    t.buffers.push_back({"B", 0x20000, 16 * 32 * 4, base::NumberType::f32, 16, 32});
    EXPECT_EQ(of(t, {at(3, 8), at(3, 9), {1, 0, 0, {0, 0}}}).name, "A[3][8..9] ...");
}

TEST_F(WordsName, KnowsOtherElements) {
    const trace::Trace doubles = with("B", base::NumberType::f64), halves = with("A", base::NumberType::bf16);
    EXPECT_EQ(of(doubles, {at(0, 4), at(0, 4), at(0, 5), at(0, 5)}).name, "B[0][4..5]");
    const ui::WordsName in_order = of(halves, {{0, 1, 0, {1, 1}}, {0, 1, 2, {1, 3}}});
    EXPECT_EQ(in_order.name, "A[1][0..3]");
    EXPECT_FALSE(in_order.is_permuted);
    const ui::WordsName transposed = of(halves, {{0, 0, 0, {2, 0}}, {0, 0, 1, {2, 1}}});
    EXPECT_EQ(transposed.name, "A[0][0] ...") << "rows 0 and 2";
}

TEST_F(WordsName, OfAnAccessIsWhatItTakes) {
    const std::vector<Origin> words{at(3, 8), at(3, 9), {}};
    EXPECT_EQ(ui::accessed_name(t, words, 4, 4), "A[3][9]");
    EXPECT_EQ(ui::accessed_name(t, words, 0, 8), "A[3][8..9]");
    EXPECT_EQ(ui::accessed_name(t, words, 6, 2), "A[3][9]") << "half of a float";
    EXPECT_EQ(ui::accessed_name(t, words, 8, 4), "");
    EXPECT_EQ(ui::accessed_name(t, words, 12, 4), "") << "behind the last word";
    const trace::Trace halves = with("B", base::NumberType::bf16);
    const std::vector<Origin> two{{0, 1, 0, {1, 1}}, {0, 0, 1, {2, 1}}};
    EXPECT_EQ(ui::accessed_name(halves, two, 0, 2), "B[1][0]");
    EXPECT_EQ(ui::accessed_name(halves, two, 2, 2), "B[1][1]");
    EXPECT_EQ(ui::accessed_name(halves, two, 6, 2), "B[2][1]");
    EXPECT_EQ(ui::accessed_name(halves, two, 4, 4), "B[0][1], B[2][1]");
}

} // namespace
