#include "compile/tokens.h"

#include <algorithm>
#include <array>
#include <string>

namespace compile {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || is_digit(c) ||
           static_cast<unsigned char>(c) >= 0x80;
}

class Tokenizer {
public:
    explicit Tokenizer(std::string_view source) : source_(source) {}

    std::vector<Token> run() {
        while (skip_space(), at_ < source_.size()) {
            const size_t begin = at_;
            const Token::Kind kind = take();
            tokens_.push_back({kind, begin, at_});
            line_start_ = kind == Token::Kind::directive;
        }
        return std::move(tokens_);
    }

private:
    char peek(size_t ahead = 0) const { return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0'; }
    bool sees(std::string_view text) const { return source_.substr(at_, text.size()) == text; }
    void skip_to(size_t end) { at_ = std::min(end, source_.size()); }

    // The end of the line, which a backslash continues.
    void skip_line() {
        while (at_ < source_.size() && peek() != '\n') {
            const bool continues = peek() == '\\' && (peek(1) == '\n' || (peek(1) == '\r' && peek(2) == '\n'));
            skip_to(at_ + (!continues ? 1 : peek(1) == '\n' ? 2 : 3));
        }
    }

    void skip_comment() {
        const size_t end = source_.find("*/", at_ + 2);
        skip_to(end == source_.npos ? end : end + 2);
    }

    void skip_space() {
        for (; at_ < source_.size();) {
            if (sees("//")) skip_line();
            else if (sees("/*")) skip_comment();
            else if (peek() == '\n') line_start_ = true, ++at_;
            else if (peek() == ' ' || peek() == '\t' || peek() == '\r' || peek() == '\f' || peek() == '\v') ++at_;
            else if (peek() == '\\' && (peek(1) == '\n' || peek(1) == '\r')) ++at_;
            else return;
        }
    }

    Token::Kind take() {
        if (peek() == '#' && line_start_) return take_directive();
        if (peek() == '"' || peek() == '\'') return take_text(peek());
        if (is_digit(peek()) || (peek() == '.' && is_digit(peek(1)))) return take_number();
        if (is_word(peek())) return take_word();
        ++at_;
        return Token::Kind::sign;
    }

    Token::Kind take_directive() {
        while (at_ < source_.size() && peek() != '\n') {
            if (sees("/*")) skip_comment();
            else if (sees("//")) skip_line();
            else if (peek() == '\\' && peek(1) == '\n') at_ += 2;
            else if (peek() == '\\' && peek(1) == '\r' && peek(2) == '\n') at_ += 3;
            else ++at_;
        }
        return Token::Kind::directive;
    }

    Token::Kind take_text(char quote) {
        ++at_;
        while (at_ < source_.size() && peek() != quote && peek() != '\n') skip_to(at_ + (peek() == '\\' ? 2 : 1));
        if (peek() == quote) ++at_;
        return Token::Kind::text;
    }

    // R"mark( ... )mark"
    Token::Kind take_raw_text() {
        const size_t open = source_.find('(', at_);
        if (open == source_.npos) return take_text('"');
        std::string close = ")" + std::string(source_.substr(at_ + 1, open - at_ - 1)) + "\"";
        const size_t end = source_.find(close, open);
        skip_to(end == source_.npos ? end : end + close.size());
        return Token::Kind::text;
    }

    Token::Kind take_number() {
        while (is_word(peek()) || peek() == '.' || (peek() == '\'' && is_word(peek(1))) || is_exponent_sign()) ++at_;
        return Token::Kind::number;
    }
    bool is_exponent_sign() const {
        if (peek() != '+' && peek() != '-') return false;
        const char before = source_[at_ - 1];
        return before == 'e' || before == 'E' || before == 'p' || before == 'P';
    }

    Token::Kind take_word() {
        const size_t begin = at_;
        while (is_word(peek())) ++at_;
        const std::string_view word = source_.substr(begin, at_ - begin);
        static constexpr std::array raw{"R", "LR", "u8R", "uR", "UR"};
        static constexpr std::array plain{"L", "u8", "u", "U"};
        if (peek() == '"' && std::find(raw.begin(), raw.end(), word) != raw.end()) return take_raw_text();
        if ((peek() == '"' || peek() == '\'') && std::find(plain.begin(), plain.end(), word) != plain.end())
            return take_text(peek());
        return Token::Kind::word;
    }

    std::string_view source_;
    size_t at_ = 0;
    bool line_start_ = true;
    std::vector<Token> tokens_;
};

} // namespace

std::vector<Token> tokenize(std::string_view source) { return Tokenizer(source).run(); }

} // namespace compile
