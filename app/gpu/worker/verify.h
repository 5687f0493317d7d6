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

// Errors are relative to the typical size of an element, the root mean square over the sampled ones of
// |alpha| sqrt(sum (a b)^2) + |beta c|: an element that happens to cancel to zero must not count as infinitely wrong.
struct Reference {
    std::vector<uint64_t> elements; // indices into C: all of a small one, else corners, edges and a seeded choice
    std::vector<double> values;     // in float64
    double scale = 1;
};
Reference reference(const Operands&, size_t at_most = 1024);

// The largest error of `c` at the reference's elements, NaN if one of them is not a number.
double max_rel_error(const Reference&, std::span<const float> c);
// The largest difference of any two elements on the same scale, NaN if there is one in `c`.
double max_rel_difference(const Reference&, std::span<const float> c, std::span<const float> other);

// What rounding to float may cost in a sum of k products in any order (it grows as a random walk, with sqrt(k)); eight times
// the spread that is seen, so that no right kernel fails and one that computes in TF32 does.
double tolerance(int k);

} // namespace gpu
