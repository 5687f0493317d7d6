#include "catalog/operation.h"

#include <array>

namespace catalog {
namespace {

struct OperationFacts {
    std::string_view name, formula, arguments;
};
constexpr std::array<OperationFacts, 4> operations_known{
    {{"product", "C = alpha A B + beta C", "MNKaABbC"},
     {"add_one", "C = A + 1", "MNAC"},
     {"pack_rows", "C = signs of A, 32 of a row to a word", "MNAC"},
     {"pack_columns", "C = signs of A, 32 of a column to a word", "MNAC"}}};

const OperationFacts& facts(Operation operation) { return operations_known[static_cast<size_t>(operation)]; }

} // namespace

std::string_view name_of(Operation operation) { return facts(operation).name; }
std::string_view formula_of(Operation operation) { return facts(operation).formula; }

std::optional<Operation> operation_named(std::string_view name) {
    for (size_t i = 0; i < operations_known.size(); ++i)
        if (operations_known[i].name == name) return static_cast<Operation>(i);
    return {};
}

double operations(Operation operation, double m, double n, double k) {
    return m * n * (operation == Operation::product ? 2 * k : 1);
}

std::string_view arguments_of(Operation operation, uint32_t row_alignment) {
    return row_alignment > 0 && operation == Operation::product ? "MNKaAxBybCz" : facts(operation).arguments;
}

std::optional<size_t> argument_number(Operation operation, uint32_t row_alignment, char letter) {
    const size_t at = arguments_of(operation, row_alignment).find(letter);
    return at == std::string_view::npos ? std::nullopt : std::optional(at);
}

bool has_argument(Operation operation, char letter) { return argument_number(operation, 0, letter).has_value(); }

size_t stream_of(Operation operation, char matrix) {
    return argument_number(operation, 0, matrix).value_or(0); // of a matrix that is not there nothing is made
}

} // namespace catalog
