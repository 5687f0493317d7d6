// Splits PTX text into tokens (manual, section 4).
#pragma once

#include <string_view>

namespace ptx {

enum class TokenKind : unsigned char {
    end,
    word,      // identifier, register, or mnemonic with its suffixes: "ld.global.f32", "%tid.x", "$L__BB0_2"
    directive, // ".reg", ".align"
    number,    // "42", "0x1F", "0f3F800000", "-" is punctuation
    string,    // with its quotes
    mark,      // one character
};

struct Token {
    TokenKind kind = TokenKind::end;
    std::string_view text;
    int line = 0;
    size_t begin = 0; // offset in the text

    bool is(char c) const { return kind == TokenKind::mark && text[0] == c; }
    bool is(std::string_view t) const { return text == t; }
};

class Lexer {
public:
    explicit Lexer(std::string_view text) : text_(text) { advance(); }

    const Token& now() const { return now_; }
    Token take(); // the current token; moves on
    std::string_view text() const { return text_; }

private:
    void advance();
    void skip_blank();

    std::string_view text_;
    size_t at_ = 0;
    int line_ = 1;
    Token now_;
};

} // namespace ptx
