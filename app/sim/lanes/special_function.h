// The special function unit: what MUFU gives, to the bit. Subnormal numbers are zeros to it, but for tanh and in f16.
#pragma once

#include <cstdint>

namespace sim::mufu {

// Of the bits of an f32.
uint32_t rcp(uint32_t a);
uint32_t rsqrt(uint32_t a);
uint32_t sqrt(uint32_t a);
uint32_t ex2(uint32_t a);
uint32_t lg2(uint32_t a);
uint32_t sin(uint32_t turns);
uint32_t cos(uint32_t turns);
uint32_t tanh(uint32_t a);

// Of the upper half of an f64: upper halves.
uint32_t rcp64h(uint32_t a);
uint32_t rsqrt64h(uint32_t a);

// Of the lower 16 bits: 16 bits. Each is the function of the same number as an f32, cut off.
uint32_t ex2_f16(uint32_t a);
uint32_t tanh_f16(uint32_t a);
uint32_t ex2_bf16(uint32_t a);
uint32_t tanh_bf16(uint32_t a);

} // namespace sim::mufu
