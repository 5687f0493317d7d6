#include "sim/lanes/special_function.h"

#include <array>
#include <bit>

// A function is cut into segments, each a polynomial of second degree in whole numbers. Oberman and Siu, "A High-Performance Area-Efficient
// Multifunction Interpolator" (ARITH 2005), describe such a unit. What is cut off, and where, was found in recorded results.
namespace sim::mufu {
namespace {

struct Segment {
    int32_t c0, c1, c2;
};
#include "sim/lanes/special_function_tables.inc"

// How a function's terms are added up: (c0 << shift0) + c1 * x + (c2 * square << shift2) + rounding, in units of 2^unit.
struct Datapath {
    int digits; // of x, the place within its segment
    int shift0, shift2;
    int64_t rounding;
    int unit;
};
constexpr Datapath rcp_path{16, 13, 0, 2023, -39}, rsqrt_path{17, 14, 2, 16383, -40}, sqrt_path{17, 15, 1, 32767, -40},
    ex2_path{17, 13, 0, 6114, -38}, lg2_path{17, 12, 1, 837, -38}, sin_path{17, 12, 0, 0, -37},
    tanh_path{17, 16, 2, 0, -40};

// The square of 15 binary digits after the point, to 15: products of two digits that are worth less are left out of the sum.
uint16_t truncated_square(uint32_t x) {
    const uint32_t high = x >> 7, low = x & 0x7F;
    uint32_t sum = high * high >> 1;
    for (uint32_t digit = 0; digit < 7; ++digit) sum += (x >> (14 - digit) & 1) * (low >> digit);
    return static_cast<uint16_t>(sum);
}
const auto squares = [] { // to compute one takes longer than all the rest of a function
    std::array<uint16_t, 1 << 15> all{};
    for (uint32_t x = 0; x < all.size(); ++x) all[x] = truncated_square(x);
    return all;
}();

uint64_t interpolated(const Datapath& path, const Segment& s, uint32_t x) {
    const int64_t square = squares[x >> (path.digits - 15)];
    return static_cast<uint64_t>((int64_t{s.c0} << path.shift0) + int64_t{s.c1} * x + (s.c2 * square << path.shift2) +
                                 path.rounding);
}

constexpr uint32_t sign_bit = 0x80000000, nan = 0x7FFFFFFF;

struct F32 {
    static constexpr int digits = 23, bias = 127;
};
struct UpperF64 {
    static constexpr int digits = 20, bias = 1023;
};
template <class F>
constexpr uint32_t infinity = (2 * F::bias + 1) << F::digits;

// v * 2^unit, what does not fit the digits cut off; zero where it would be subnormal.
template <class F>
uint32_t truncated(uint64_t v, int unit) {
    if (v == 0) return 0;
    const int top = 63 - std::countl_zero(v), exponent = top + unit + F::bias;
    if (exponent <= 0) return 0;
    if (exponent > 2 * F::bias) return infinity<F>;
    const uint64_t digits = top > F::digits ? v >> (top - F::digits) : v << (F::digits - top);
    return static_cast<uint32_t>(exponent) << F::digits | (static_cast<uint32_t>(digits) & ((1u << F::digits) - 1));
}

// The parts of a number; its mantissa has 23 digits whatever the format has.
template <class F>
struct Parts {
    explicit Parts(uint32_t a)
        : sign(a & sign_bit), magnitude(a & ~sign_bit), exponent(static_cast<int>(magnitude >> F::digits) - F::bias),
          mantissa(magnitude << (23 - F::digits) & 0x7FFFFF) {}
    uint32_t sign, magnitude;
    int exponent;
    uint32_t mantissa;
    bool is_nan() const { return magnitude > infinity<F>; }
    bool is_infinite() const { return magnitude == infinity<F>; }
    bool is_zero() const { return exponent == -F::bias; } // or subnormal
};

// The tables of roots have 64 segments for even exponents, then 64 for odd ones.
template <class F>
const Segment& of_root(const Segment* segments, const Parts<F>& a) {
    return segments[(a.exponent & 1 ? 64 : 0) + (a.mantissa >> 17)];
}

template <class F>
uint32_t reciprocal(uint32_t bits) {
    const Parts<F> a(bits);
    if (a.is_nan()) return nan;
    if (a.is_zero()) return a.sign | infinity<F>;
    if (a.is_infinite()) return a.sign;
    const uint64_t v = interpolated(rcp_path, rcp_segments[a.mantissa >> 16], a.mantissa & 0xFFFF);
    return a.sign | truncated<F>(v, rcp_path.unit - a.exponent);
}

template <class F>
uint32_t reciprocal_root(uint32_t bits) {
    const Parts<F> a(bits);
    if (a.is_nan()) return nan;
    if (a.is_zero()) return a.sign | infinity<F>;
    if (a.sign) return nan;
    if (a.is_infinite()) return 0;
    const int half = a.exponent >> 1;
    if (a.mantissa == 0 && !(a.exponent & 1)) return truncated<F>(1, -half); // the polynomial gives less
    return truncated<F>(interpolated(rsqrt_path, of_root(rsqrt_segments, a), a.mantissa & 0x1FFFF),
                        rsqrt_path.unit - half);
}

// The sine of `quarters` of a turn, 23 of whose digits are after the point.
uint32_t sine_of_quarters(uint32_t quarters) {
    const uint32_t sign = quarters & 0x1000000 ? sign_bit : 0;
    const uint32_t x = (quarters & 0x800000 ? ~quarters : quarters) & 0x7FFFFF;
    return sign | truncated<F32>(interpolated(sin_path, sin_segments[x >> 17], x & 0x1FFFF), sin_path.unit);
}
// |a| turns as quarters, 25 digits.
uint32_t quarters_of(const Parts<F32>& a) {
    const int shift = a.exponent + 25 - 23;
    const uint32_t digits = a.mantissa | 0x800000;
    if (shift < -23 || shift >= 25) return 0;
    return (shift >= 0 ? digits << shift : digits >> -shift) & 0x1FFFFFF;
}

template <uint32_t (*f)(uint32_t)>
uint32_t of_f16(uint32_t a) {
    const uint32_t sign = (a & 0x8000) << 16, magnitude = a & 0x7FFF;
    if (magnitude > 0x7C00) return 0x7FFF;
    const float widened = std::bit_cast<float>(magnitude << 13) * 0x1p112f; // infinity is 65536, which gives the same
    const uint32_t result = f(std::bit_cast<uint32_t>(widened) | sign), r = result & ~sign_bit;
    const uint32_t sign_of_result = result >> 16 & 0x8000;
    if (r >= 0x47800000) return sign_of_result | 0x7C00; // 2^16
    if (r >= 0x38800000) return sign_of_result | (r - 0x38000000) >> 13;
    return sign_of_result | static_cast<uint32_t>(std::bit_cast<float>(r) * 0x1p24f); // subnormal
}
template <uint32_t (*f)(uint32_t)>
uint32_t of_bf16(uint32_t a) {
    return f(a << 16) >> 16;
}

} // namespace

uint32_t rcp(uint32_t a) { return reciprocal<F32>(a); }
uint32_t rcp64h(uint32_t a) { return reciprocal<UpperF64>(a); }
uint32_t rsqrt(uint32_t a) { return reciprocal_root<F32>(a); }
uint32_t rsqrt64h(uint32_t a) { return reciprocal_root<UpperF64>(a); }

uint32_t sqrt(uint32_t bits) {
    const Parts<F32> a(bits);
    if (a.is_nan()) return nan;
    if (a.is_zero()) return a.sign;
    if (a.sign) return nan;
    if (a.is_infinite()) return bits;
    return truncated<F32>(interpolated(sqrt_path, of_root(sqrt_segments, a), a.mantissa & 0x1FFFF),
                          sqrt_path.unit + (a.exponent >> 1));
}

// The argument becomes a fixed-point number with 23 digits after the point. A negative one is complemented digit by digit, unless those
// are zeros.
uint32_t ex2(uint32_t bits) {
    const Parts<F32> a(bits);
    if (a.is_nan()) return nan;
    if (a.exponent >= 8) return a.sign ? 0 : infinity<F32>;
    const uint32_t digits = a.mantissa | 0x800000;
    uint32_t fixed = a.exponent >= 0 ? digits << a.exponent : a.exponent >= -23 ? digits >> -a.exponent : 0;
    if (a.sign) fixed = fixed & 0x7FFFFF ? ~fixed : 0 - fixed;
    const uint64_t v = interpolated(ex2_path, ex2_segments[fixed >> 17 & 0x3F], fixed & 0x1FFFF);
    return truncated<F32>(v, ex2_path.unit + (static_cast<int32_t>(fixed) >> 23));
}

// The exponent and the mantissa's logarithm make a fixed-point number with 36 digits after the point, complemented where it is negative.
uint32_t lg2(uint32_t bits) {
    const Parts<F32> a(bits);
    if (a.is_nan()) return nan;
    if (a.is_zero()) return sign_bit | infinity<F32>;
    if (a.sign) return nan;
    if (a.is_infinite()) return bits;
    if (a.exponent == 0 && a.mantissa == 0) return 0; // the polynomial gives more
    const uint64_t part = interpolated(lg2_path, lg2_segments[a.mantissa >> 17], a.mantissa & 0x1FFFF);
    const int64_t fixed = (int64_t{a.exponent} << 36) + static_cast<int64_t>(part >> 2);
    return fixed < 0 ? sign_bit | truncated<F32>(static_cast<uint64_t>(~fixed), -36)
                     : truncated<F32>(static_cast<uint64_t>(fixed), -36);
}

uint32_t sin(uint32_t turns) {
    const Parts<F32> a(turns);
    return a.exponent > F32::bias ? nan : a.sign ^ sine_of_quarters(quarters_of(a));
}
uint32_t cos(uint32_t turns) {
    const Parts<F32> a(turns);
    return a.exponent > F32::bias ? nan : sine_of_quarters(quarters_of(a) + 0x800000);
}

uint32_t tanh(uint32_t bits) {
    struct Binade {
        uint8_t first, digits; // its segments, and the digits that number them
    };
    static constexpr Binade binades[] = {{0, 0},  {1, 0},  {2, 0},  {3, 1},  {5, 1}, {7, 2},
                                         {11, 2}, {15, 2}, {19, 3}, {27, 4}, {43, 3}}; // from 2^-8
    const Parts<F32> a(bits);
    if (a.is_nan()) return nan;
    if (a.exponent < -8) return bits;
    if (a.exponent > 2) return a.sign | 0x3F800000;
    const Binade& binade = binades[a.exponent + 8];
    const uint32_t place = a.mantissa >> (23 - 17 - binade.digits);
    return a.sign |
           truncated<F32>(interpolated(tanh_path, tanh_segments[binade.first + (place >> 17)], place & 0x1FFFF),
                          tanh_path.unit);
}

uint32_t ex2_f16(uint32_t a) { return of_f16<ex2>(a); }
uint32_t tanh_f16(uint32_t a) { return of_f16<tanh>(a); }
uint32_t ex2_bf16(uint32_t a) { return of_bf16<ex2>(a); }
uint32_t tanh_bf16(uint32_t a) { return of_bf16<tanh>(a); }

} // namespace sim::mufu
