// The types of the numbers that arrays hold: the one place that knows their names and sizes.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>

namespace base {

enum class NumberType : uint8_t { f16, bf16, f32, f64, i8, u8, i16, u16, i32, u32, i64, u64 };

struct NumberTypeFacts {
    std::string_view name;
    uint32_t bytes = 0;
};
inline constexpr std::array<NumberTypeFacts, 12> number_types{{{"f16", 2},
                                                               {"bf16", 2},
                                                               {"f32", 4},
                                                               {"f64", 8},
                                                               {"i8", 1},
                                                               {"u8", 1},
                                                               {"i16", 2},
                                                               {"u16", 2},
                                                               {"i32", 4},
                                                               {"u32", 4},
                                                               {"i64", 8},
                                                               {"u64", 8}}};

constexpr std::string_view name_of(NumberType type) { return number_types[static_cast<size_t>(type)].name; }
constexpr uint32_t bytes_of(NumberType type) { return number_types[static_cast<size_t>(type)].bytes; }
constexpr bool is_signed_integer(NumberType type) {
    return type == NumberType::i8 || type == NumberType::i16 || type == NumberType::i32 || type == NumberType::i64;
}
constexpr bool is_integer(NumberType type) { return type >= NumberType::i8; }
constexpr std::optional<NumberType> number_type_named(std::string_view name) {
    for (size_t i = 0; i < number_types.size(); ++i)
        if (number_types[i].name == name) return static_cast<NumberType>(i);
    return {};
}

// Rounded to nearest even.
inline uint16_t to_f16(float value) {
    const auto sign = static_cast<uint16_t>(std::signbit(value) ? 0x8000 : 0);
    const float magnitude = std::fabs(value);
    if (std::isnan(value)) return 0x7FFF;
    if (magnitude >= 65520) return static_cast<uint16_t>(sign + 0x7C00); // infinity
    if (magnitude < 0x1p-14f)
        return static_cast<uint16_t>(sign + std::lrint(magnitude * 0x1p24f)); // subnormal: units of 2^-24
    auto bits = std::bit_cast<uint32_t>(magnitude);
    bits += 0x0FFF + ((bits >> 13) & 1);
    return static_cast<uint16_t>(sign + (bits >> 13) - ((127 - 15) << 10));
}

// The upper half of the float, rounded to nearest even. Not for NaN.
constexpr uint16_t to_bf16(float value) {
    const auto bits = std::bit_cast<uint32_t>(value);
    return static_cast<uint16_t>((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16);
}
constexpr float from_bf16(uint16_t bits) { return std::bit_cast<float>(uint32_t{bits} << 16); }

} // namespace base
