#include "base/matrix_layout.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <numeric>

namespace {

using base::MatrixLayout;
using base::Packing;

std::vector<uint32_t> packed(const MatrixLayout& shape, const std::vector<float>& elements) {
    std::vector<uint32_t> words(shape.stored());
    for (uint64_t i = 0; i < words.size(); ++i)
        words[i] = base::packed_word(shape, i, [&](uint64_t at) { return elements[at] < 0; });
    return words;
}

std::vector<float> signs(uint64_t count, uint64_t seed) {
    std::vector<float> all;
    for (uint64_t i = 0; i < count; ++i) all.push_back((i * i + seed) % 7 < 3 ? -1.0f : 1.0f);
    return all;
}

TEST(MatrixLayout, ASetBitIsMinusOneAndTheFirstElementIsTheLowest) {
    const MatrixLayout row{1, 5, Packing::along_rows};
    EXPECT_EQ(packed(row, {-1, 1, 1, -1, 1}), (std::vector<uint32_t>{0b01001}));
    const MatrixLayout columns{3, 2, Packing::along_columns};
    EXPECT_EQ(packed(columns, {-1, 1, 1, 1, -1, -1}), (std::vector<uint32_t>{0b101, 0b100}));
}

TEST(MatrixLayout, WordsLieRowMajorAndHoldWhatFollowsAlongTheirDirection) {
    const MatrixLayout a{3, 65, Packing::along_rows}, b{65, 3, Packing::along_columns}, plain{3, 65, Packing::none};
    EXPECT_EQ(a.stored_rows(), 3u);
    EXPECT_EQ(a.stored_columns(), 3u);
    EXPECT_EQ(b.stored_rows(), 3u);
    EXPECT_EQ(b.stored_columns(), 3u);
    EXPECT_EQ(plain.stored(), 195u);
    const auto box = a.box_of(5); // the last word of the second row
    EXPECT_EQ(box.row, 1u);
    EXPECT_EQ(box.column, 64u);
    EXPECT_EQ(box.columns, 1u) << "what lies outside is no element";
    const auto down = b.box_of(4);
    EXPECT_EQ(down.row, 32u);
    EXPECT_EQ(down.column, 1u);
    EXPECT_EQ(down.rows, 32u);
    EXPECT_EQ(down.columns, 1u);
}

TEST(MatrixLayout, UnpackedIsWhatWasPacked) {
    for (Packing packing : {Packing::along_rows, Packing::along_columns})
        for (auto [rows, columns] : {std::pair{1u, 1u}, {31u, 33u}, {33u, 31u}, {64u, 32u}}) {
            const MatrixLayout shape{rows, columns, packing};
            const auto elements = signs(uint64_t{rows} * columns, rows);
            EXPECT_EQ(base::unpacked(shape, packed(shape, elements)), elements) << rows << " x " << columns;
        }
}

TEST(MatrixLayout, PaddingLiesBehindEachRowAndIsNoElement) {
    const MatrixLayout c{3, 5, Packing::none, 3};
    EXPECT_EQ(c.leading_dimension(), 8u);
    EXPECT_EQ(c.stored(), 24u);
    EXPECT_EQ(c.place_of(2, 4).index, 20u);
    EXPECT_EQ(c.box_of(20).row, 2u);
    EXPECT_EQ(c.box_of(20).column, 4u);
    for (uint64_t i = 0; i < c.stored(); ++i) EXPECT_EQ(c.is_padding(i), i % 8 >= 5) << i;
    const MatrixLayout words{3, 70, Packing::along_rows, 1};
    EXPECT_EQ(words.place_of(1, 69).index, 6u) << "three words and one of padding a row";
    EXPECT_TRUE(words.is_padding(7));
}

TEST(MatrixLayout, PaddingIsNotANumberAndComesOffAgain) {
    const MatrixLayout layout{3, 5, Packing::none, 3};
    std::vector<float> elements(15), stored(layout.stored()), back(15);
    std::iota(elements.begin(), elements.end(), 1.0f);
    base::add_padding(layout, sizeof(float), std::as_bytes(std::span(elements)),
                      std::as_writable_bytes(std::span(stored)));
    for (uint64_t i = 0; i < layout.stored(); ++i) {
        if (layout.is_padding(i)) EXPECT_TRUE(std::isnan(stored[i])) << i;
        else EXPECT_EQ(stored[i], elements[i / 8 * 5 + i % 8]) << i;
    }
    base::remove_padding(layout, sizeof(float), std::as_bytes(std::span(stored)),
                         std::as_writable_bytes(std::span(back)));
    EXPECT_EQ(back, elements);
}

// k - 2 popc(a ^ b), with a last word that is not full: its other bits are zeros on both sides.
TEST(MatrixLayout, TheProductIsWhatTheUnequalBitsLeave) {
    constexpr uint64_t m = 4, n = 3, k = 70;
    const MatrixLayout a{m, k, Packing::along_rows}, b{k, n, Packing::along_columns};
    const auto x = signs(m * k, 1), y = signs(k * n, 4);
    const auto a_words = packed(a, x), b_words = packed(b, y);
    for (uint64_t i = 0; i < m; ++i)
        for (uint64_t j = 0; j < n; ++j) {
            float expected = 0;
            for (uint64_t l = 0; l < k; ++l) expected += x[i * k + l] * y[l * n + j];
            int unequal = 0;
            for (uint64_t w = 0; w < a.stored_columns(); ++w)
                unequal += std::popcount(a_words[i * a.stored_columns() + w] ^ b_words[w * n + j]);
            EXPECT_EQ(static_cast<float>(static_cast<int>(k) - 2 * unequal), expected) << i << ", " << j;
        }
}

} // namespace
