#include "base/base64.h"

#include <array>
#include <cstdint>

namespace base {
namespace {

constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::array<int8_t, 256> make_values() {
    std::array<int8_t, 256> values{};
    values.fill(-1);
    for (size_t i = 0; i < alphabet.size(); ++i) values[static_cast<uint8_t>(alphabet[i])] = static_cast<int8_t>(i);
    return values;
}
constexpr std::array<int8_t, 256> digit_values = make_values();

} // namespace

std::string to_base64(std::span<const std::byte> bytes) {
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (size_t i = 0; i < bytes.size(); i += 3) {
        uint32_t group = 0;
        for (size_t j = 0; j < 3; ++j)
            group = group << 8 | (i + j < bytes.size() ? std::to_integer<uint32_t>(bytes[i + j]) : 0);
        for (size_t j = 0; j < 4; ++j) text += i + j <= bytes.size() ? alphabet[group >> (18 - 6 * j) & 63] : '=';
    }
    return text;
}

std::optional<std::vector<std::byte>> from_base64(std::string_view text) {
    if (text.size() % 4 != 0) return {};
    size_t padding = 0;
    while (padding < 2 && padding < text.size() && text[text.size() - 1 - padding] == '=') ++padding;
    std::vector<std::byte> bytes;
    bytes.reserve(text.size() / 4 * 3);
    for (size_t i = 0; i < text.size(); i += 4) {
        bool last = i + 4 == text.size();
        uint32_t group = 0;
        for (size_t j = 0; j < 4; ++j) {
            bool pad = last && j >= 4 - padding;
            int value = pad ? 0 : digit_values[static_cast<uint8_t>(text[i + j])];
            if (value < 0) return {};
            group = group << 6 | static_cast<uint32_t>(value);
        }
        size_t count = last ? 3 - padding : 3;
        for (size_t j = 0; j < count; ++j) bytes.push_back(static_cast<std::byte>(group >> (16 - 8 * j) & 255));
    }
    return bytes;
}

} // namespace base
