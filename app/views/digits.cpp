#include "views/digits.h"

#include "base/number_type.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace views {

namespace {

// As many digits as there is room for.
std::string real_text(double value, size_t room) {
    if (std::isnan(value)) return room >= 3 ? "nan" : "";
    if (std::isinf(value)) return room >= 4 ? (value < 0 ? "-inf" : "inf") : "";
    if (value == 0) return "0";
    for (int digits = 6; digits >= 1; --digits) {
        std::string words = fmt::format("{:.{}g}", value, digits);
        if (words.size() <= room) return words;
        // "-0.0123" as "-.0123"
        if (const size_t zero = words.find("0."); zero != std::string::npos && zero <= 1 && words.size() - 1 <= room)
            return words.erase(zero, 1);
    }
    return room >= 2 && std::abs(value) < 1 ? "~0" : "";
}

// Nothing where there is no room for both: one alone would be taken for the word.
std::string pair_text(uint32_t bits, size_t room) {
    constexpr size_t least = 9; // "-.25 -.25"
    if (room < least) return {};
    const auto half = [&](uint32_t part) {
        return real_text(static_cast<double>(base::from_bf16(static_cast<uint16_t>(part))), (room - 1) / 2);
    };
    const std::string lower = half(bits & 0xFFFF), upper = half(bits >> 16);
    return lower.empty() || upper.empty() ? std::string() : lower + " " + upper;
}

// As the elements follow one another, or the word where there is no room for these.
std::string bits_text(uint32_t bits, size_t room) {
    if (room < 32) return room >= 8 ? fmt::format("{:08x}", bits) : std::string();
    std::string text;
    for (int bit = 0; bit < 32; ++bit) text += bits >> bit & 1 ? '1' : '0';
    return text;
}

std::string fitting(std::string words, size_t room) { return words.size() <= room ? words : std::string(); }

int64_t sign_extended(uint64_t bits, int width) {
    if (width >= 64) return static_cast<int64_t>(bits);
    const int shift = 64 - width;
    return static_cast<int64_t>(bits << shift) >> shift;
}

} // namespace

bool has_packed_operands(const trace::Trace& trace) {
    return std::any_of(trace.buffers.begin(), trace.buffers.end(),
                       [](const trace::Buffer& buffer) { return buffer.packing != base::Packing::none; });
}

ValueType value_type(std::string_view name, int bits) {
    if (bits == 1) return ValueType::predicate;
    const bool real = name.starts_with("%f");
    if (bits == 64) return real ? ValueType::f64 : ValueType::address;
    return real && bits == 32 ? ValueType::f32 : ValueType::signed_integer;
}

std::string value_text(uint64_t bits, int width, ValueType type, session::Digits digits, size_t room) {
    if (type == ValueType::predicate) return fitting(bits & 1 ? "1" : "0", room);
    if (type == ValueType::bits && digits == session::Digits::natural)
        return bits_text(static_cast<uint32_t>(bits), room);
    const bool real = digits == session::Digits::real ||
                      (digits == session::Digits::natural &&
                       (type == ValueType::f32 || type == ValueType::f64 || type == ValueType::bf16_pair));
    if (real && type == ValueType::bf16_pair) return pair_text(static_cast<uint32_t>(bits), room);
    if (real && width == 32)
        return real_text(static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bits))), room);
    if (real && width == 64) return real_text(std::bit_cast<double>(bits), room);
    const bool hex =
        digits == session::Digits::hex || (digits == session::Digits::natural && type == ValueType::address);
    if (hex) return fitting(fmt::format("{:0{}x}", bits, digits == session::Digits::hex ? width / 4 : 1), room);
    return fitting(fmt::format("{}", sign_extended(bits, width)), room);
}

std::string half_text(uint32_t word, bool upper, session::Digits digits, size_t room) {
    const uint32_t half = upper ? word >> 16 : word & 0xFFFF;
    const bool real = digits == session::Digits::real || digits == session::Digits::natural;
    return real ? value_text(half << 16, 32, ValueType::f32, digits, room) // bf16 is the upper half of a float
                : value_text(half, 16, ValueType::bf16_pair, digits, room);
}

} // namespace views
