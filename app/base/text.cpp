#include "base/text.h"

#include "base/utf8.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace base {
namespace {

bool is_control(char32_t c) { return (c < ' ' && c != '\n' && c != '\t') || (c >= 0x7F && c < 0xA0); } // C0, DEL and C1

} // namespace

std::string lower(std::string_view text) {
    std::string all(text);
    for (char& c : all) c = lower(c);
    return all;
}

std::string shown(std::string_view text) {
    std::string all;
    while (!text.empty()) {
        const Character first = first_character(text);
        const bool noncharacter = first.code == 0xFFFE || first.code == 0xFFFF; // XML 1.0 has no place for them
        if (!is_control(first.code)) all += utf8(noncharacter ? replacement_character : first.code);
        text.remove_prefix(first.bytes);
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
