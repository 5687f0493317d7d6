#include "catalog/operands.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace catalog {
namespace {

struct OperandFacts {
    std::string_view name;
    base::NumberType stored;
};
constexpr std::array<OperandFacts, 5> types{{{"f32", base::NumberType::f32},
                                             {"tf32", base::NumberType::f32},
                                             {"bf16", base::NumberType::bf16},
                                             {"f64", base::NumberType::f64},
                                             {"b1", base::NumberType::u32}}};

const OperandFacts& facts(OperandType type) { return types[static_cast<size_t>(type)]; }

// Of tensor cores' sums. A product of bf16 or TF32 is exact in FP32; but an instruction cuts its terms and
// then the sum off towards zero (sim/program/tensor_core.h names the sources). So the errors of a sum that keeps its
// sign add up, half a unit in the last place a step, not in a random walk. The shortest instructions for bf16
// add 8 products; a sum is at most six times an element's typical size, and half of that on its way.
double cut_off_sums(double k) { return 2 * static_cast<double>(std::numeric_limits<float>::epsilon()) * k / 8; }

// Of operands that lose what is below 2^-10 of their leading bit, towards zero: of values spread evenly over
// [-1, 1) each product shrinks by 0.64 of 2^-10 on average, and every sum by as much; the rest is a random
// walk of 0.28. Together 0.70 of a typical element, and five are seven of these: no element of 8192 x 8192 is
// beyond. Operands rounded to bf16 give 2.14, and one element of fifty is.
constexpr double ten_bits = 5 * 0x1p-10;

// Of a sum: the distance from 1 to the next number of its type. Tensor cores add up FP64 as a chain of fused
// multiply-adds does, each rounded to nearest (Fasi, Higham, Mikaitis, Pranesh, "Numerical behavior of NVIDIA
// tensor cores", PeerJ CS 2021), so nothing is cut off there.
double unit_of(OperandType type) {
    return type == OperandType::f64 ? std::numeric_limits<double>::epsilon()
                                    : static_cast<double>(std::numeric_limits<float>::epsilon());
}

} // namespace

std::string_view name_of(OperandType type) { return facts(type).name; }
base::NumberType stored_as(OperandType type) { return facts(type).stored; }

base::NumberType result_of(OperandType type) {
    return type == OperandType::f64 ? base::NumberType::f64 : base::NumberType::f32;
}
double as_factor(OperandType type, double value) {
    return type == OperandType::f64 ? value : static_cast<double>(static_cast<float>(value));
}

base::Packing packing_of(OperandType type, char matrix) {
    if (type != OperandType::b1 || matrix == 'C') return base::Packing::none;
    return matrix == 'A' ? base::Packing::along_rows : base::Packing::along_columns;
}
OperandType cublas_operands(OperandType type) { return type == OperandType::b1 ? OperandType::f32 : type; }
bool multiplied_either_way(OperandType type) { return type != OperandType::tf32 && type != OperandType::bf16; }
double typical_product(OperandType type) {
    return type == OperandType::b1 ? 1 : 1.0 / 3; // of two values spread evenly over [-1, 1)
}

std::optional<OperandType> operand_type_named(std::string_view name) {
    for (size_t i = 0; i < types.size(); ++i)
        if (types[i].name == name) return static_cast<OperandType>(i);
    return {};
}

double tolerance(OperandType type, int k, uint32_t rounding) {
    // The sum is exact; alpha times it, beta times C and what they add up to are rounded once each, by half a
    // unit of the largest element at most. That is six times a typical one, or less of few terms: three times
    // three units.
    if (type == OperandType::b1) return 9 * unit_of(type);
    // Rounding in a sum of k products grows as a random walk, with sqrt(k). Eight times the spread that is
    // seen, so that no right kernel fails and one that multiplies FP32 as TF32 does.
    const double terms = k, root = std::sqrt(terms);
    double off = 4 * unit_of(type) * root * rounding;
    if (type == OperandType::tf32 || type == OperandType::bf16) off += cut_off_sums(terms);
    if (type == OperandType::tf32) off += ten_bits;
    return off * std::max(1.0, 3 / root); // few terms may all be large
}

} // namespace catalog
