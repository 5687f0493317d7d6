// Characters of C++ and of expressions, as the "C" locale has them.
#pragma once

#include <cctype>

namespace catalog {

inline bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }
inline bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; } // of a name

} // namespace catalog
