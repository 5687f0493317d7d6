#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace base {

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
