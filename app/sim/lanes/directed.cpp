#include "sim/lanes/directed.h"

#include <cfenv>
#include <cmath>

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
    volatile double x = v;
    return rounded<T>(r, [&] { return static_cast<T>(x); });
}
template <class T>
T Directed<T>::from_signed(int64_t v, Rounding r) {
    volatile int64_t x = v;
    return rounded<T>(r, [&] { return static_cast<T>(x); });
}
template <class T>
T Directed<T>::from_unsigned(uint64_t v, Rounding r) {
    if (v == 0)
        return 0; // x86-64 has no such conversion before AVX-512: clang subtracts 2^52 from 2^52, which is -0 downwards
    volatile uint64_t x = v;
    return rounded<T>(r, [&] { return static_cast<T>(x); });
}

template struct Directed<float>;
template struct Directed<double>;

} // namespace sim
