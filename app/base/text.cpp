#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace base {
namespace {

// Bytes of the character that begins there (Unicode Standard, table 3-7); 0: it is none.
size_t character_size(std::string_view text) {
    const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
    const unsigned first = byte(0), second = byte(1);
    if (first < 0x80) return 1;
    const size_t size = first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
    for (size_t i = 1; i < size; ++i)
        if ((byte(i) & 0xC0) != 0x80) return 0;
    const bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
    const bool surrogate = first == 0xED && second >= 0xA0, beyond = first == 0xF4 && second >= 0x90;
    const bool noncharacter = first == 0xEF && second == 0xBF && byte(2) >= 0xBE;
    return overlong || surrogate || beyond || noncharacter ? 0 : size;
}

bool is_control(std::string_view character) { // C0, DEL and C1
    const auto last = static_cast<unsigned char>(character.back());
    if (character.size() == 1) return (last < ' ' && last != '\n' && last != '\t') || last == 0x7F;
    return character.size() == 2 && character[0] == '\xC2' && last < 0xA0;
}

} // namespace

std::string shown(std::string_view text) {
    std::string all;
    while (!text.empty()) {
        const size_t size = character_size(text);
        const std::string_view character = text.substr(0, std::max<size_t>(size, 1));
        if (size == 0) all += "\uFFFD";
        else if (!is_control(character)) all += character;
        text.remove_prefix(character.size());
    }
    return all;
}

std::string shown_in(std::string_view text, size_t room) {
    constexpr std::string_view more = "...";
    std::string all = shown(text);
    std::replace(all.begin(), all.end(), '\n', ' ');
    if (all.size() <= room) return all;
    size_t end = room - std::min(room, more.size());
    while (end > 0 && (all[end] & 0xC0) == 0x80) --end; // not within a character
    return all.substr(0, end).append(more);
}

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blank = " \t\r\n";
    const size_t first = text.find_first_not_of(blank);
    return first == text.npos ? std::string_view{} : text.substr(first, text.find_last_not_of(blank) - first + 1);
}

std::vector<std::string_view> lines(std::string_view text) {
    std::vector<std::string_view> result;
    while (!text.empty()) {
        const size_t end = std::min(text.find('\n'), text.size());
        result.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return result;
}

std::string thousands(uint64_t value) {
    std::string digits = std::to_string(value);
    for (size_t at = digits.size(); at > 3;) digits.insert(at -= 3, 1, ',');
    return digits;
}

std::string bytes_text(uint64_t bytes) {
    const auto value = static_cast<double>(bytes);
    for (const auto& [scale, unit] : {std::pair{1e12, "TB"}, {1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}})
        if (value >= 0.9995 * scale)
            return fmt::format("{:.3g} {}", value / scale, unit); // 999,950 are 1 MB, not 1e+03 kB
    return fmt::format("{} {}", bytes, bytes == 1 ? "byte" : "bytes");
}

} // namespace base
