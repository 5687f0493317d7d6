// Small operations on text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace base {

// Of ASCII's letters alone.
constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
std::string lower(std::string_view);

std::string_view trimmed(std::string_view);            // without the blanks and line ends around it
std::vector<std::string_view> lines(std::string_view); // without their ends
// What others wrote, as it can be shown: broken UTF-8 and noncharacters become U+FFFD, control characters but tab and line end go.
std::string shown(std::string_view);
std::string shown_in(std::string_view,
                     size_t room);      // on one line of at most so many bytes, "..." where more is cut off
std::string thousands(uint64_t value);  // 1,234,567
std::string bytes_text(uint64_t bytes); // "16 MB", with three digits; "1 byte"

} // namespace base
