#include "views/diff.h"
#include "views/lines.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

using views::DiffLine;
using Lines = std::vector<std::string_view>;

namespace {

// Every line of both sides once and in order, equal rows equal: what makes a diff true, however short it is.
void expect_true(const Lines& left, const Lines& right, const std::vector<DiffLine>& rows) {
    int l = 0, r = 0;
    for (const DiffLine& row : rows) {
        if (row.left >= 0) {
            EXPECT_EQ(row.left, l++);
        }
        if (row.right >= 0) {
            EXPECT_EQ(row.right, r++);
        }
        if (row.same) {
            EXPECT_EQ(left.at(row.left), right.at(row.right));
        }
    }
    EXPECT_EQ(l, static_cast<int>(left.size()));
    EXPECT_EQ(r, static_cast<int>(right.size()));
}

// By dynamic programming over all pairs of prefixes.
size_t longest_common(const Lines& left, const Lines& right) {
    std::vector<std::vector<size_t>> table(left.size() + 1, std::vector<size_t>(right.size() + 1, 0));
    for (size_t i = 0; i < left.size(); ++i)
        for (size_t j = 0; j < right.size(); ++j)
            table[i + 1][j + 1] = left[i] == right[j] ? table[i][j] + 1 : std::max(table[i][j + 1], table[i + 1][j]);
    return table[left.size()][right.size()];
}

size_t equal_rows(const std::vector<DiffLine>& rows) {
    size_t count = 0;
    for (const DiffLine& row : rows) count += row.same;
    return count;
}

TEST(Diff, PairsAChangedLine) {
    const Lines left{"a", "b", "c"}, right{"a", "x", "c"};
    const auto rows = views::diff(left, right);
    ASSERT_EQ(rows.size(), 3u);
    EXPECT_EQ(rows[1].left, 1);
    EXPECT_EQ(rows[1].right, 1);
    EXPECT_FALSE(rows[1].same);
}

TEST(Diff, EmptySides) {
    EXPECT_TRUE(views::diff({}, {}).empty());
    EXPECT_EQ(views::diff({}, {"a", "b"}).size(), 2u);
    EXPECT_EQ(views::diff({"a"}, {}).size(), 1u);
}

TEST(Diff, IsTrueAndShortestOnRandomTexts) {
    std::mt19937 random(7);
    const std::string_view letters[] = {"a", "b", "c", "d"};
    for (int trial = 0; trial < 300; ++trial) {
        Lines left, right;
        for (size_t i = random() % 20; i > 0; --i) left.push_back(letters[random() % 4]);
        for (size_t i = random() % 20; i > 0; --i) right.push_back(letters[random() % 4]);
        const auto rows = views::diff(left, right);
        expect_true(left, right, rows);
        EXPECT_EQ(equal_rows(rows), longest_common(left, right));
    }
}

TEST(Diff, TextsTooLongToSearchStandBesideEachOther) {
    const Lines left(5000, "a"), right(3, "b");
    const auto rows = views::diff(left, right);
    expect_true(left, right, rows);
    EXPECT_EQ(equal_rows(rows), 0u);
}

TEST(Diff, FoldsWhatIsFarFromChanges) {
    std::vector<std::string> numbers;
    for (int i = 0; i < 20; ++i) numbers.push_back(std::to_string(i));
    Lines left(numbers.begin(), numbers.end()), right = left;
    right[10] = "new";
    const auto folds = views::fold(views::diff(left, right), 2);
    ASSERT_EQ(folds.size(), 3u);
    EXPECT_TRUE(folds[0].hidden);
    EXPECT_FALSE(folds[1].hidden);
    EXPECT_EQ(folds[1].last - folds[1].first, 5);
    EXPECT_EQ(folds[2].last, 20);
}

TEST(Lines, SplitAndFrontMatter) {
    EXPECT_EQ(views::split_lines("a\r\nb\n"), (Lines{"a", "b"}));
    EXPECT_EQ(views::split_lines(""), (Lines{""}));
    EXPECT_EQ(views::split_lines("a\n\nb"), (Lines{"a", "", "b"}));
    EXPECT_EQ(views::front_matter_lines(views::split_lines("/* gemmscope\nx = 1\n*/\ncode")), 3);
    EXPECT_EQ(views::front_matter_lines(views::split_lines("// plain\n*/")), 0);
    EXPECT_EQ(views::front_matter_lines(views::split_lines("/* gemmscope, never closed")), 0);
}

} // namespace
