#include "ptx/lexer.h"

namespace ptx {
namespace {

bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%'; }
bool digit(char c) { return c >= '0' && c <= '9'; }
bool part(char c) { return letter(c) || digit(c); }

} // namespace

Token Lexer::take() {
    Token t = now_;
    advance();
    return t;
}

void Lexer::skip_blank() {
    while (at_ < text_.size()) {
        char c = text_[at_];
        if (c == '\n') {
            ++line_;
            ++at_;
        } else if (c == ' ' || c == '\t' || c == '\r' || c == '\0') {
            ++at_;
        } else if (text_.substr(at_, 2) == "//") {
            while (at_ < text_.size() && text_[at_] != '\n') ++at_;
        } else if (text_.substr(at_, 2) == "/*") {
            size_t end = text_.find("*/", at_ + 2);
            if (end == std::string_view::npos) end = text_.size();
            else end += 2;
            for (; at_ < end; ++at_) line_ += text_[at_] == '\n';
        } else {
            return;
        }
    }
}

void Lexer::advance() {
    skip_blank();
    size_t begin = at_;
    auto finish = [&](TokenKind kind) { now_ = {kind, text_.substr(begin, at_ - begin), line_, begin}; };
    if (at_ >= text_.size()) return finish(TokenKind::end);
    // A word runs on over ".suffix" and "::": mnemonics and %tid.x are single tokens.
    auto dotted = [&] {
        while (at_ < text_.size()) {
            char c = text_[at_];
            if (part(c)) ++at_;
            else if (c == '.' && at_ + 1 < text_.size() && part(text_[at_ + 1])) at_ += 2;
            else if (text_.substr(at_, 2) == "::" && at_ + 2 < text_.size() && part(text_[at_ + 2])) at_ += 3;
            else return;
        }
    };
    char c = text_[at_];
    if (letter(c)) {
        dotted();
        return finish(TokenKind::word);
    }
    if (digit(c)) {
        while (at_ < text_.size() &&
               (part(text_[at_]) || (text_[at_] == '.' && at_ + 1 < text_.size() && digit(text_[at_ + 1]))))
            ++at_;
        return finish(TokenKind::number);
    }
    if (c == '.' && at_ + 1 < text_.size() && letter(text_[at_ + 1])) {
        ++at_;
        while (at_ < text_.size() && (part(text_[at_]) || text_.substr(at_, 2) == "::"))
            at_ += part(text_[at_]) ? 1 : 2;
        return finish(TokenKind::directive);
    }
    if (c == '"') {
        ++at_;
        while (at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n') ++at_;
        if (at_ < text_.size() && text_[at_] == '"') ++at_;
        return finish(TokenKind::string);
    }
    ++at_;
    finish(TokenKind::mark);
}

} // namespace ptx
