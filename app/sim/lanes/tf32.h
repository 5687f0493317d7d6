// TF32: a float with 10 bits of mantissa.
#pragma once

#include <cstdint>

namespace sim {

// Of a float's bits, as cvt.rn.tf32.f32 and an H200's TMA do it (1024 patterns, 2026-11-28): to the nearest, of two to the even one. What is
// no number becomes one and the same NaN.
inline uint32_t rounded_to_tf32(uint32_t bits) {
    if ((bits & 0x7FFFFFFF) > 0x7F800000) return 0x7FFFE000;
    return (bits + 0xFFF + (bits >> 13 & 1)) & ~uint32_t{0x1FFF};
}

} // namespace sim
