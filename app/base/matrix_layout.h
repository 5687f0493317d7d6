// How a matrix lies in memory: the one place that says so. Row-major; its elements are numbers of their own,
// or +1 and -1 as bits. A set bit is -1, so that a ^ b has a bit set for each product that is -1, and a sum
// of k products is k - 2 popc(a ^ b). A word holds 32 elements that follow one another along k, the first in
// its lowest bit: of a row of A, of a column of B. The words are row-major. Bits behind the last element are
// 0 in A as in B: they are equal, so nothing counts them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace base {

enum class Packing : uint8_t {
    none,          // an element is stored as a number of its own
    along_rows,    // a word holds 32 elements of a row
    along_columns, // or of a column
};
constexpr uint64_t bits_in_a_word = 32;

// A matrix's shape in elements, and how these are stored.
struct MatrixLayout {
    uint64_t rows = 0, columns = 0;
    Packing packing = Packing::none;
    uint64_t padding = 0; // behind each row, in numbers as they are stored; no elements of the matrix

    // Of what is stored: words, or elements that stand alone.
    constexpr uint64_t stored_rows() const {
        return packing == Packing::along_columns ? (rows + bits_in_a_word - 1) / bits_in_a_word : rows;
    }
    constexpr uint64_t stored_columns() const {
        return packing == Packing::along_rows ? (columns + bits_in_a_word - 1) / bits_in_a_word : columns;
    }
    // From the beginning of a row to that of the next, as in BLAS.
    constexpr uint64_t leading_dimension() const { return stored_columns() + padding; }
    constexpr uint64_t stored() const { return stored_rows() * leading_dimension(); } // padding included
    constexpr bool is_padding(uint64_t index) const { return index % leading_dimension() >= stored_columns(); }

    struct Box { // of elements
        uint64_t row = 0, column = 0, rows = 1, columns = 1;
    };
    // The elements that are stored together as number `index`, which is no padding; with the element (row,
    // column).
    constexpr Box box_of(uint64_t index) const {
        const uint64_t row = index / leading_dimension(), column = index % leading_dimension();
        return box_with(packing == Packing::along_columns ? row * bits_in_a_word : row,
                        packing == Packing::along_rows ? column * bits_in_a_word : column);
    }
    constexpr Box box_with(uint64_t row, uint64_t column) const {
        Box box{row, column};
        if (packing == Packing::along_rows)
            box.column -= column % bits_in_a_word, box.columns = std::min(bits_in_a_word, columns - box.column);
        if (packing == Packing::along_columns)
            box.row -= row % bits_in_a_word, box.rows = std::min(bits_in_a_word, rows - box.row);
        return box;
    }
    // Where an element lies: number of its word, or its own, and its bit there.
    struct Place {
        uint64_t index = 0, bit = 0;
    };
    constexpr Place place_of(uint64_t row, uint64_t column) const {
        if (packing == Packing::along_rows)
            return {row * leading_dimension() + column / bits_in_a_word, column % bits_in_a_word};
        if (packing == Packing::along_columns)
            return {row / bits_in_a_word * leading_dimension() + column, row % bits_in_a_word};
        return {row * leading_dimension() + column, 0};
    }
};

// From numbers that are stored as the layout says, of `each` bytes, to the same without padding.
inline void remove_padding(const MatrixLayout& layout, size_t each, std::span<const std::byte> stored,
                           std::span<std::byte> dense) {
    const size_t row = layout.stored_columns() * each, pitch = layout.leading_dimension() * each;
    for (size_t i = 0; i < layout.stored_rows(); ++i)
        std::memcpy(dense.data() + i * row, stored.data() + i * pitch, row);
}

// And back. Padding has all bits set, NaN in every type of floating point: who reads it as a value shows it.
inline void add_padding(const MatrixLayout& layout, size_t each, std::span<const std::byte> dense,
                        std::span<std::byte> stored) {
    const size_t row = layout.stored_columns() * each, pitch = layout.leading_dimension() * each;
    for (size_t i = 0; i < layout.stored_rows(); ++i) {
        std::memcpy(stored.data() + i * pitch, dense.data() + i * row, row);
        std::memset(stored.data() + i * pitch + row, 0xFF, pitch - row);
    }
}

inline bool is_minus_one(const MatrixLayout& layout, std::span<const uint32_t> words, uint64_t row, uint64_t column) {
    const MatrixLayout::Place place = layout.place_of(row, column);
    return words[place.index] >> place.bit & 1;
}

// Word `index` of the matrix whose element number i, counted row-major, is -1 where `is_negative(i)`.
template <class IsNegative>
uint32_t packed_word(const MatrixLayout& layout, uint64_t index, IsNegative&& is_negative) {
    const MatrixLayout::Box box = layout.box_of(index);
    const uint64_t first = box.row * layout.columns + box.column, step = box.rows > 1 ? layout.columns : 1;
    uint32_t word = 0;
    for (uint64_t bit = 0; bit < box.rows * box.columns; ++bit)
        word |= static_cast<uint32_t>(is_negative(first + bit * step)) << bit;
    return word;
}

// The elements, row-major.
inline std::vector<float> unpacked(const MatrixLayout& layout, std::span<const uint32_t> words) {
    std::vector<float> elements(layout.rows * layout.columns);
    for (uint64_t row = 0; row < layout.rows; ++row)
        for (uint64_t column = 0; column < layout.columns; ++column)
            elements[row * layout.columns + column] = is_minus_one(layout, words, row, column) ? -1.0f : 1.0f;
    return elements;
}

} // namespace base
