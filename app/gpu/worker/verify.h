// Is C right? Pure functions over host arrays, row-major.
#pragma once

#include "gpu/protocol.h"

#include <cstdint>
#include <span>
#include <vector>

namespace gpu {

// What C = alpha A B + beta C is computed from.
struct Operands {
    catalog::Problem problem;
    float alpha = 1, beta = 0;
    std::span<const float> a, b, c; // C before; empty if beta is 0
};

struct Reference {
    std::vector<uint64_t> elements; // indices into C: all of a small one, else corners, edges and a seeded choice
    std::vector<double> values;     // in float64
    double largest = 1;             // magnitude among them; errors relative to it are what is reported, as by `gemmscope trace`
    // What an element may be off. Rounding to float in a sum of k products grows as a random walk, with sqrt(k), in units of an
    // element's typical size, the root mean square of |alpha| sqrt(sum (a b)^2) + |beta c|. Eight times the spread that is seen, so
    // that no right kernel fails and one that computes in TF32 does.
    double tolerance = 0;
};
Reference reference(const Operands&, size_t at_most = 1024);

// The largest error of `c` at the reference's elements, NaN if one of them is not a number.
double max_abs_error(const Reference&, std::span<const float> c);
// The largest difference of any two elements, NaN if one of them is not a number.
double max_abs_difference(std::span<const float> c, std::span<const float> other);

} // namespace gpu
