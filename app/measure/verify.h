// Is C right? Pure functions over host arrays, row-major.
#pragma once

#include "base/numbers.h"
#include "measure/workload.h"

#include <cstdint>
#include <span>
#include <vector>

namespace measure {

// What C = alpha A B + beta C is computed from, or the C of another operation from A.
struct Operands {
    catalog::Problem problem;
    double alpha = 1, beta = 0;
    base::NumbersView a, b, c; // as they are stored, of bits as floats; C before, empty if beta is 0
    catalog::OperandType type = catalog::OperandType::f32;
    catalog::Operation operation = catalog::Operation::product;
    uint32_t rounding = 1; // catalog::rounding()
};

struct Reference {
    std::vector<uint64_t> elements;  // indices into C as it is stored: all of a small one, else corners, edges
                                     // and a seeded choice
    std::vector<long double> values; // more exact than the C of any kernel
    double largest = 1;   // magnitude among them; errors relative to it are what is reported, as by `gemmscope trace`
    double tolerance = 0; // what an element may be off: catalog::tolerance() of its typical size among them
};
Reference reference(const Operands&, size_t at_most = 1024);

// The largest error of `c` at the reference's elements, NaN if one of them is not a number.
double max_abs_error(const Reference&, base::NumbersView c);
// `error`, of the workload's C, over the largest element. Too large or NaN, or a reference that is not
// finite, to which everything would be close enough: an error (Failure::check_failed) that says so.
base::Result<double> relative_error(const Workload&, const Reference&, double error, base::Sentence todo);
// The largest difference of any two elements, NaN if one of them is not a number.
double max_abs_difference(base::NumbersView c, base::NumbersView other);

} // namespace measure
