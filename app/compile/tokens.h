// C++ source as tokens, as far as finding declarations needs: comments and white space are left out.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace compile {

struct Token {
    enum class Kind : unsigned char {
        word, // identifier or keyword
        number,
        text,      // string or character, prefix and raw form included
        sign,      // one character
        directive, // a preprocessor line, with its continuations but not its end
    } kind;
    size_t begin, end; // in the source
};

// Any bytes are taken; what is not closed reaches to the end.
std::vector<Token> tokenize(std::string_view source);

inline std::string_view spelling(std::string_view source, const Token& token) {
    return source.substr(token.begin, token.end - token.begin);
}

} // namespace compile
