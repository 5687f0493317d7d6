// What a kernel of the catalogue computes, and what it is called with for that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace catalog {

// All but the product take a float matrix A and make a C of the same shape, M x N, element by element.
enum class Operation : uint8_t {
    product,      // C = alpha A B + beta C
    add_one,      // C = A + 1
    pack_rows,    // C = the signs of A as bits, 32 of a row to a word (base/matrix_layout.h)
    pack_columns, // the same, 32 of a column to a word
};
std::string_view name_of(Operation);    // as in a kernel file, "pack_rows"
std::string_view formula_of(Operation); // "C = A + 1"
std::optional<Operation> operation_named(std::string_view name);
// How much arithmetic it is at a size: 2 m n k, or one for each element.
double operations(Operation, double m, double n, double k);

// A letter for each parameter of the kernel, in their order: M N K are the sizes, A B C the matrices, a and b
// alpha and beta. Where rows are aligned (catalog::Kernel), a product is called as in BLAS: x y z are the
// leading dimensions of A B C. Tensor maps come after them.
std::string_view arguments_of(Operation, uint32_t row_alignment);
constexpr char led_by(char leading_dimension) { // 'A' of 'x'
    return static_cast<char>('A' + (leading_dimension - 'x'));
}
// Which of them the letter is, from 0; nothing: there is no such argument.
std::optional<size_t> argument_number(Operation, uint32_t row_alignment, char letter);
bool has_argument(Operation, char letter); // however its rows lie
// Of base::RandomStream: which one the matrix's elements are of, however its rows lie.
size_t stream_of(Operation, char matrix);

} // namespace catalog
