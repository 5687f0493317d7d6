// UTF-8 (RFC 3629), of texts that may hold any bytes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace base {

constexpr char32_t replacement_character = 0xFFFD; // what stands for bytes that are no character

struct Character {
    char32_t code = replacement_character;
    size_t bytes = 1; // of the text; 1 where they are no character
};
Character first_character(std::string_view text); // of a text that is not empty

std::string utf8(char32_t);                     // empty: there is no such character
std::string well_formed(std::string_view text); // each byte that is no character replaced

} // namespace base
