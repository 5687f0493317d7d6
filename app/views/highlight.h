// Syntax colours of CUDA C++, PTX and SASS, one line at a time.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace views {

enum class Syntax { cuda, ptx, sass };

enum class Token : uint8_t {
    plain,
    keyword, // of the language; in PTX and SASS an opcode that has no colour of its own below
    number,
    string,
    comment,
    preprocessor, // #define ...; in PTX a directive: .reg, .loc
    load,         // the four below are PTX opcodes (and their CUDA spellings) that other views colour too
    store,
    fma,
    barrier,
    matrix_a, // identifiers A, B and C, the matrices as every kernel of the catalogue names them
    matrix_b,
    matrix_c,
};

struct TokenSpan { // bytes [begin, end) of the line; what no span covers is plain
    uint32_t begin = 0, end = 0;
    Token token = Token::plain;
};

// Appends the spans of `line`, ascending. `in_comment` says whether the line starts inside /* */ and,
// afterwards, whether the next one does.
void highlight(Syntax syntax, std::string_view line, bool& in_comment, std::vector<TokenSpan>& spans);

// Only the effect on `in_comment`, for lines that are not drawn.
void skip_line(std::string_view line, bool& in_comment);

} // namespace views
