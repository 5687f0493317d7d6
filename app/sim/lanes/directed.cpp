#include "sim/lanes/directed.h"

#include <bit>
#include <cfenv>
#include <cmath>
#include <limits>
#include <type_traits>

namespace sim {
namespace {

// The compiler may not move the arithmetic out of the region: operands and result pass through volatile.
template <class T, class F>
T rounded(Rounding r, F compute) {
    constexpr int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    const int before = std::fegetround();
    std::fesetround(modes[static_cast<int>(r)]);
    volatile T result = compute();
    std::fesetround(before);
    return result;
}

// The next number above, or below. Not of infinity upwards, nor of a NaN.
template <class T, class Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>
T next(T v, bool up) {
    if (v == 0) return up ? std::numeric_limits<T>::denorm_min() : -std::numeric_limits<T>::denorm_min();
    const auto bits = std::bit_cast<Bits>(v);
    return std::bit_cast<T>(up == (v > 0) ? bits + 1 : bits - 1);
}
// What was rounded to the nearest number, which may lie above the exact one or below it, rounded otherwise.
template <class T>
T corrected(T near, bool above, bool below, Rounding r) {
    const bool steps_down = above && (r == Rounding::down || (r == Rounding::zero && near > 0)),
               steps_up = below && (r == Rounding::up || (r == Rounding::zero && near < 0));
    return steps_down || steps_up ? next(near, steps_up) : near;
}

} // namespace

template <class T>
T Directed<T>::add(T a, T b, Rounding r) {
    volatile T x = a, y = b;
    return rounded<T>(r, [&] { return x + y; });
}
template <class T>
T Directed<T>::mul(T a, T b, Rounding r) {
    volatile T x = a, y = b;
    return rounded<T>(r, [&] { return x * y; });
}
template <class T>
T Directed<T>::fma(T a, T b, T c, Rounding r) {
    volatile T x = a, y = b, z = c;
    return rounded<T>(r, [&] { return std::fma(x, y, z); });
}
template <class T>
T Directed<T>::div(T a, T b, Rounding r) {
    volatile T x = a, y = b;
    return rounded<T>(r, [&] { return x / y; });
}
template <class T>
T Directed<T>::sqrt(T a, Rounding r) {
    volatile T x = a;
    return rounded<T>(r, [&] { return std::sqrt(x); });
}
template <class T>
T Directed<T>::from(double v, Rounding r) {
    const T near = static_cast<T>(v);
    return corrected(near, static_cast<double>(near) > v, static_cast<double>(near) < v, r);
}
template <class T>
T Directed<T>::from_signed(int64_t v, Rounding r) {
    constexpr T beyond = static_cast<T>(0x1p63);
    const T near = static_cast<T>(v);
    const bool above = near == beyond || static_cast<int64_t>(near) > v;
    return corrected(near, above, !above && static_cast<int64_t>(near) < v, r);
}
template <class T>
T Directed<T>::from_unsigned(uint64_t v, Rounding r) {
    constexpr T beyond = static_cast<T>(0x1p64);
    const T near = static_cast<T>(v);
    const bool above = near == beyond || static_cast<uint64_t>(near) > v;
    return corrected(near, above, !above && static_cast<uint64_t>(near) < v, r);
}

template struct Directed<float>;
template struct Directed<double>;

} // namespace sim
