// Compares a kernel's result with what it should be, computed on the CPU: a product of floats with float64,
// of doubles with long double.
#pragma once

#include "session/stages.h"

#include <span>

namespace session {

template <class T>
struct Product {                 // row-major
    std::span<const T> a, b;     // m x k, k x n, as they are stored
    std::span<const T> c_before; // m x n; not looked at when beta is 0
    std::span<const T> c;        // m x n, to be judged
};

struct Judgement {
    Verification verification;
    std::vector<double> reference;       // m x n, row-major; of doubles rounded to nearest
    std::optional<trace::Finding> wrong; // names the worst element
};

// Nothing if it was stopped. A reference or a tolerance that is not finite judges nothing: that has not passed, and `wrong`
// says so. The tolerance is absolute: catalog::tolerance() of the operands, for the typical
// size that sums of k products of seeded elements have, sqrt(k) catalog::typical_product().
std::optional<Judgement> verify(const Gemm&, const Product<float>&, std::stop_token);
std::optional<Judgement> verify(const Gemm&, const Product<double>&, std::stop_token);

// Of an operation on single elements, which must be exact: `a` is m x n, `c` what the kernel stored. In the
// reference a set bit is -1, another one +1.
std::optional<Judgement> verify_elements(const Gemm&, std::span<const float> a, std::span<const std::byte> c,
                                         std::stop_token);

} // namespace session
