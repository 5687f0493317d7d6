// Small operations on text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace base {

std::string_view trimmed(std::string_view);            // without the blanks and line ends around it
std::vector<std::string_view> lines(std::string_view); // without their ends
std::string thousands(uint64_t value);                 // 1,234,567
std::string bytes_text(uint64_t bytes);                // "16 MB", with three digits; "1 byte"

} // namespace base
