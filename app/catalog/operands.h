// What the elements of A and B are, and how exact a product of them can be.
#pragma once

#include "base/matrix_layout.h"
#include "base/number_type.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace catalog {

// As a kernel takes and multiplies them. C, alpha, beta and the sums are FP64 with f64, FP32 with each other.
enum class OperandType : uint8_t {
    f32,
    tf32, // floats, of which tensor cores look at the ten leading bits of the fraction
    bf16, // 16 bits, of which seven are the fraction's
    f64,
    b1, // +1 and -1, a bit each (base/matrix_layout.h): sums of up to 2^24 of them are exact in FP32
};

std::string_view name_of(OperandType); // as in a kernel file, "bf16"
std::optional<OperandType> operand_type_named(std::string_view name);
base::NumberType stored_as(OperandType);            // A's and B's elements; of b1 the words that hold 32 of them
base::Packing packing_of(OperandType, char matrix); // of 'A', 'B' or 'C'
base::NumberType result_of(OperandType);            // C's elements, alpha, beta and the sums
double as_factor(OperandType, double);              // alpha or beta, rounded as the kernel takes it
OperandType cublas_operands(OperandType); // as which cuBLAS multiplies them: of b1 as floats, of others as they are
bool multiplied_either_way(OperandType);  // by tensor cores or without them: TF32 and bf16 by them alone
double typical_product(OperandType);      // root mean square of the product of two seeded elements

// What an element of a right C = alpha A B + beta C may be off the exact sum of the stored operands, in
// units of an element's typical size, the root mean square of |alpha| sqrt(sum (a b)^2) + |beta c|. `k`:
// terms of the sum. Wide enough for every way to add up on Hopper, too narrow for the next lower precision.
// `rounding`: times the rounding errors of such a sum, of kernels that add up more than its terms.
double tolerance(OperandType, int k, uint32_t rounding = 1);

} // namespace catalog
