// Scalar arithmetic with a rounding other than to nearest. Slow and rare: but for conversions it switches the processor's rounding.
#pragma once

#include "sim/program/details.h"

#include <cstdint>

namespace sim {

template <class T>
struct Directed {
    static T add(T a, T b, Rounding);
    static T mul(T a, T b, Rounding);
    static T fma(T a, T b, T c, Rounding);
    static T div(T a, T b, Rounding);
    static T sqrt(T a, Rounding);
    static T from(double v, Rounding); // narrowing
    static T from_signed(int64_t v, Rounding);
    static T from_unsigned(uint64_t v, Rounding);
};
extern template struct Directed<float>;
extern template struct Directed<double>;

} // namespace sim
