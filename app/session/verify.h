// Compares a product with a float64 reference computed on the CPU.
#pragma once

#include "session/stages.h"

#include <span>

namespace session {

struct Product { // row-major
    std::span<const float> a, b;      // m x k, k x n, as they are stored
    std::span<const float> c_before;  // m x n; not looked at when beta is 0
    std::span<const float> c;         // m x n, to be judged
};

struct Judgement {
    Verification verification;
    std::vector<double> reference;       // m x n, row-major
    std::optional<trace::Finding> wrong; // names the worst element
};

// Nothing if it was stopped. The tolerance is absolute: catalog::tolerance() of the operands, for the typical
// size that sums of k products of values spread evenly over [-1, 1) have, sqrt(k) / 3.
std::optional<Judgement> verify(const Gemm&, const Product&, std::stop_token);

} // namespace session
