// Results made of parts: cvt.pack, pairs of 8-bit floats (manual, sections 9.7.9.21 and 9.7.9.22).
#include "sim/program/program.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace sim {

// d, a, b, c: a and b saturated beside each other, above them c.
void convert_and_pack(Warp& w, const Operation& op, uint32_t active) {
    const uint32_t bits = op.detail.pack.bits;
    const bool is_signed = op.detail.pack.is_signed;
    const int64_t low = is_signed ? -(int64_t{1} << (bits - 1)) : 0,
                  high = (int64_t{1} << (bits - (is_signed ? 1 : 0))) - 1;
    const auto part = [&](int32_t v) {
        return static_cast<uint32_t>(std::clamp<int64_t>(v, low, high)) & ((1u << bits) - 1);
    };
    const int32_t *a = row<int32_t>(w, op.row[1]), *b = row<int32_t>(w, op.row[2]);
    for (int i = 0; i < 32; ++i) {
        if (!(active >> i & 1)) continue;
        uint32_t d = part(a[i]) << bits | part(b[i]);
        if (op.row[3] != no_row) d |= row<uint32_t>(w, op.row[3])[i] << (2 * bits);
        row<uint32_t>(w, op.row[0])[i] = d;
    }
}

namespace {

struct Float8 { // formats of 8 bits
    int fraction, bias;
    double largest;
    uint8_t top; // code of `largest`
};
constexpr Float8 e4m3{3, 7, 448, 0x7E}, e5m2{2, 15, 57344, 0x7B};
constexpr uint8_t nan8 = 0x7F;

// To nearest, at most the largest number.
uint8_t encoded(float v, const Float8& f, bool relu) {
    if (v != v) return nan8;
    if (relu && !(v > 0)) return 0;
    const uint8_t sign = std::signbit(v) ? 0x80 : 0;
    const double magnitude = std::fabs(static_cast<double>(v));
    if (magnitude >= f.largest) return static_cast<uint8_t>(sign | f.top);
    const int smallest = 1 - f.bias, exponent = std::max(magnitude == 0 ? smallest : std::ilogb(magnitude), smallest);
    const auto significand =
        static_cast<uint32_t>(std::nearbyint(std::ldexp(magnitude, f.fraction - exponent))); // with the leading bit
    const uint32_t code = (static_cast<uint32_t>(exponent - smallest) << f.fraction) + significand;
    return static_cast<uint8_t>(sign | std::min<uint32_t>(code, f.top));
}

// As f16, exactly.
uint16_t half_from(uint8_t code, const Float8& f) {
    const auto sign = static_cast<uint16_t>((code & 0x80) << 8);
    if (f.fraction == 2)
        return static_cast<uint16_t>((code & 0x7F) > 0x7C ? 0x7FFF : code << 8); // e5m2 is the upper half of an f16
    if ((code & 0x7F) == nan8) return 0x7FFF;
    const uint32_t exponent = code >> 3 & 15, fraction = code & 7;
    if (exponent) return static_cast<uint16_t>(sign | (exponent + 8) << 10 | fraction << 7);
    if (fraction == 0) return sign;
    const int shift = std::countl_zero(static_cast<uint8_t>(fraction)) - 4; // makes it a normal number
    return static_cast<uint16_t>(sign | static_cast<uint32_t>(9 - shift) << 10 | (fraction << shift & 7) << 7);
}

float single_from(uint16_t half) {
    const uint32_t exponent = half >> 10 & 31, fraction = half & 0x3FF;
    const float magnitude =
        exponent == 31 ? (fraction ? std::numeric_limits<float>::quiet_NaN() : std::numeric_limits<float>::infinity())
        : exponent     ? std::ldexp(static_cast<float>(fraction | 0x400), static_cast<int>(exponent) - 25)
                       : std::ldexp(static_cast<float>(fraction), -24);
    return half & 0x8000 ? -magnitude : magnitude;
}

} // namespace

void convert_float8(Warp& w, const Operation& op, uint32_t active) {
    const Float8Conversion& how = op.detail.float8;
    const Float8& f = how.e5m2 ? e5m2 : e4m3;
    const bool relu = how.relu;
    for (int i = 0; i < 32; ++i) {
        if (!(active >> i & 1)) continue;
        if (how.to_halves) {
            const uint16_t a = row<uint16_t>(w, op.row[1])[i];
            uint16_t parts[2] = {half_from(static_cast<uint8_t>(a), f), half_from(static_cast<uint8_t>(a >> 8), f)};
            for (uint16_t& p : parts)
                if (relu && p & 0x8000) p = 0;
            row<uint32_t>(w, op.row[0])[i] = parts[0] | static_cast<uint32_t>(parts[1]) << 16;
            continue;
        }
        float high = 0, low = 0;
        if (how.from_halves) {
            const uint32_t a = row<uint32_t>(w, op.row[1])[i];
            high = single_from(static_cast<uint16_t>(a >> 16)), low = single_from(static_cast<uint16_t>(a));
        } else {
            high = row<float>(w, op.row[1])[i], low = row<float>(w, op.row[2])[i];
        }
        row<uint16_t>(w, op.row[0])[i] = static_cast<uint16_t>(encoded(high, f, relu) << 8 | encoded(low, f, relu));
    }
}

} // namespace sim
