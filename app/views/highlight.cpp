#include "views/highlight.h"

#include <algorithm>
#include <array>

namespace views {
namespace {

constexpr std::array<std::string_view, 62> cuda_keywords = {"__constant__", "__device__",   "__forceinline__",
                                                            "__global__",   "__host__",     "__launch_bounds__",
                                                            "__noinline__", "__restrict__", "__shared__",
                                                            "alignas",      "auto",         "bool",
                                                            "break",        "case",         "char",
                                                            "class",        "const",        "const_cast",
                                                            "constexpr",    "continue",     "default",
                                                            "do",           "double",       "else",
                                                            "enum",         "extern",       "false",
                                                            "float",        "float2",       "float4",
                                                            "for",          "goto",         "half",
                                                            "if",           "inline",       "int",
                                                            "int2",         "int4",         "long",
                                                            "namespace",    "noexcept",     "nullptr",
                                                            "operator",     "register",     "reinterpret_cast",
                                                            "return",       "short",        "signed",
                                                            "sizeof",       "static",       "static_assert",
                                                            "static_cast",  "struct",       "switch",
                                                            "template",     "true",         "typename",
                                                            "unsigned",     "using",        "void",
                                                            "volatile",     "while"};
static_assert(std::is_sorted(cuda_keywords.begin(), cuda_keywords.end())); // searched by halving

bool digit(char c) { return c >= '0' && c <= '9'; }
bool word_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$'; }
bool word(char c) { return word_start(c) || digit(c); }

Token cuda_word(std::string_view text) {
    if (text == "A") return Token::matrix_a;
    if (text == "B") return Token::matrix_b;
    if (text == "C") return Token::matrix_c;
    if (text == "__syncthreads" || text == "__syncwarp") return Token::barrier;
    if (text == "fmaf" || text == "__fmaf_rn") return Token::fma;
    const bool keyword = std::binary_search(cuda_keywords.begin(), cuda_keywords.end(), text);
    return keyword ? Token::keyword : Token::plain;
}

// `text` is an opcode with its modifiers: "ld.shared.v4.f32".
Token ptx_opcode(std::string_view text) {
    const std::string_view stem = text.substr(0, text.find('.'));
    const bool parameter = text.find(".param") != std::string_view::npos;
    if ((stem == "ld" || stem == "ldu" || stem == "ldmatrix") && !parameter) return Token::load;
    if ((stem == "st" || stem == "stmatrix" || stem == "red" || stem == "atom") && !parameter) return Token::store;
    if (stem == "fma" || stem == "mma" || stem == "wgmma") return Token::fma;
    if (stem == "bar" || stem == "barrier" || stem == "mbarrier") return Token::barrier;
    return Token::keyword;
}

// "LDS.128"
Token sass_opcode(std::string_view text) {
    const std::string_view stem = text.substr(0, text.find('.'));
    const auto is_one = [&](std::initializer_list<std::string_view> of) {
        return std::find(of.begin(), of.end(), stem) != of.end();
    };
    if (is_one({"LD", "LDG", "LDS", "LDSM", "LDL", "LDGSTS", "UBLKCP", "UTMALDG"})) return Token::load;
    if (is_one({"ST", "STG", "STS", "STSM", "STL", "STAS", "RED", "REDG", "REDS", "ATOM", "ATOMG", "ATOMS", "UTMASTG"}))
        return Token::store;
    if (is_one({"FFMA", "DFMA", "HFMA2", "HMMA", "IMMA", "DMMA", "BMMA", "QGMMA", "HGMMA", "IGMMA", "BGMMA"}))
        return Token::fma;
    if (is_one({"BAR", "WARPSYNC", "SYNCS", "UCGABAR_ARV", "UCGABAR_WAIT"})) return Token::barrier;
    return Token::keyword;
}

class Scanner {
public:
    Scanner(Syntax syntax, std::string_view line, bool& in_comment, std::vector<TokenSpan>* spans)
        : syntax_(syntax), line_(line), in_comment_(in_comment), spans_(spans) {}

    void run() {
        while (at_ < line_.size()) step();
    }

private:
    void step() {
        const char c = line_[at_];
        if (in_comment_) return block_comment(at_);
        if (starts("//")) return emit(at_, line_.size(), Token::comment);
        if (starts("/*")) {
            in_comment_ = true;
            return block_comment(at_);
        }
        if (c == '"' || c == '\'') return quoted(c);
        if (c == '#' && first_) return emit(at_, line_.size(), Token::preprocessor);
        if (digit(c)) return number();
        if (c == '.' && first_ && syntax_ == Syntax::ptx) return directive();
        if (c == '%') return emit(at_, end_of_word(at_ + 1), Token::plain); // a PTX register, or modulo
        if (word_start(c)) return identifier();
        if (c != ' ' && c != '\t' && c != '{') first_ = false;
        ++at_;
    }

    bool starts(std::string_view text) const { return line_.substr(at_, text.size()) == text; }

    size_t end_of_word(size_t from) const {
        while (from < line_.size() && word(line_[from])) ++from;
        return from;
    }

    void emit(size_t begin, size_t end, Token token) {
        if (spans_ && token != Token::plain && end > begin)
            spans_->push_back({static_cast<uint32_t>(begin), static_cast<uint32_t>(end), token});
        at_ = std::max(end, begin + 1);
        first_ = false;
    }

    void block_comment(size_t begin) {
        const bool opens_here = line_.substr(begin, 2) == "/*";
        const size_t close = line_.find("*/", begin + (opens_here ? 2 : 0));
        if (close != std::string_view::npos) in_comment_ = false;
        emit(begin, close == std::string_view::npos ? line_.size() : close + 2, Token::comment);
    }

    void quoted(char quote) {
        size_t end = at_ + 1;
        while (end < line_.size() && line_[end] != quote) end += line_[end] == '\\' ? 2 : 1;
        emit(at_, std::min(end + 1, line_.size()), Token::string);
    }

    void number() { // 0f3F800000, 1.5e-3f, 0x1F, 128'000u
        size_t end = at_;
        while (end < line_.size()) {
            const char c = line_[end];
            const bool exponent_sign = (c == '+' || c == '-') && (line_[end - 1] == 'e' || line_[end - 1] == 'E') &&
                                       line_.substr(at_, 2) != "0x" && end > at_;
            if (!word(c) && c != '.' && !exponent_sign) break;
            ++end;
        }
        emit(at_, end, Token::number);
    }

    void directive() {
        size_t end = at_ + 1;
        while (end < line_.size() && (word(line_[end]) || line_[end] == '.')) ++end;
        emit(at_, end, Token::preprocessor);
    }

    void identifier() {
        const size_t begin = at_;
        size_t end = end_of_word(at_);
        if (syntax_ == Syntax::cuda) return emit(begin, end, cuda_word(line_.substr(begin, end - begin)));
        if (!first_) return emit(begin, end, Token::plain);
        if (line_.substr(end, 1) == ":") return emit(begin, end, Token::preprocessor); // a label
        while (end < line_.size() && (word(line_[end]) || line_[end] == '.' || line_[end] == ':')) ++end;
        const std::string_view opcode = line_.substr(begin, end - begin);
        emit(begin, end, syntax_ == Syntax::ptx ? ptx_opcode(opcode) : sass_opcode(opcode));
    }

    Syntax syntax_;
    std::string_view line_;
    bool& in_comment_;
    std::vector<TokenSpan>* spans_;
    size_t at_ = 0;
    bool first_ = true; // nothing but space, or a guard predicate, so far
};

// "@%p1 ", "@!%p1 " or "@P0 " before an opcode.
size_t guard_length(std::string_view line) {
    const size_t begin = line.find_first_not_of(" \t");
    if (begin == std::string_view::npos || line[begin] != '@') return 0;
    const size_t end = line.find_first_of(" \t", begin);
    return end == std::string_view::npos ? line.size() : end;
}

} // namespace

void highlight(Syntax syntax, std::string_view line, bool& in_comment, std::vector<TokenSpan>& spans) {
    const size_t guard = syntax != Syntax::cuda && !in_comment ? guard_length(line) : 0;
    const size_t first = spans.size();
    Scanner(syntax, line.substr(guard), in_comment, &spans).run();
    for (size_t i = first; i < spans.size(); ++i) {
        spans[i].begin += static_cast<uint32_t>(guard);
        spans[i].end += static_cast<uint32_t>(guard);
    }
}

void skip_line(std::string_view line, bool& in_comment) {
    if (!in_comment && line.find("/*") == std::string_view::npos) return; // the common case, at memchr's speed
    Scanner(Syntax::cuda, line, in_comment, nullptr).run();
}

} // namespace views
