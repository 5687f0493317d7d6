#include "views/highlight.h"

#include <gtest/gtest.h>

#include <string>

using views::Syntax;
using views::Token;
using views::TokenSpan;

namespace {

// The line with a letter under each byte that says its token.
std::string tokens(Syntax syntax, std::string_view line, bool in_comment = false) {
    std::vector<TokenSpan> spans;
    views::highlight(syntax, line, in_comment, spans);
    std::string letters(line.size(), '.');
    const char* names = ".kn\"c#LSFBabC";
    uint32_t last = 0;
    for (const TokenSpan& span : spans) {
        EXPECT_LE(last, span.begin);
        EXPECT_LT(span.begin, span.end);
        EXPECT_LE(span.end, line.size());
        last = span.end;
        for (uint32_t i = span.begin; i < span.end; ++i) letters[i] = names[static_cast<int>(span.token)];
    }
    return letters;
}

TEST(Highlight, Cuda) {
    EXPECT_EQ(tokens(Syntax::cuda, "float x = 1.5e-3f; // A"), "kkkkk.....nnnnnnn..cccc");
    EXPECT_EQ(tokens(Syntax::cuda, "#pragma unroll"), "##############");
    EXPECT_EQ(tokens(Syntax::cuda, "x = A[i % 4] - 0x1Fu;"), "....a.....n....nnnnn.");
    EXPECT_EQ(tokens(Syntax::cuda, "__syncthreads();"), "BBBBBBBBBBBBB...");
    EXPECT_EQ(tokens(Syntax::cuda, R"(f("a\"b", 'c'))"), R"(..""""""..""".)");
}

TEST(Highlight, WordsThatOnlyBeginLikeKeywordsArePlain) {
    EXPECT_EQ(tokens(Syntax::cuda, "int4x floaty A1"), "...............");
}

TEST(Highlight, BlockCommentsCrossLines) {
    bool in_comment = false;
    std::vector<TokenSpan> spans;
    views::highlight(Syntax::cuda, "int a; /* b", in_comment, spans);
    EXPECT_TRUE(in_comment);
    EXPECT_EQ(tokens(Syntax::cuda, "int a */ int b;", true), "cccccccc.kkk...");
    views::skip_line("still", in_comment);
    EXPECT_TRUE(in_comment);
    views::skip_line("*/ // /*", in_comment);
    EXPECT_FALSE(in_comment);
}

TEST(Highlight, Ptx) {
    EXPECT_EQ(tokens(Syntax::ptx, "ld.shared.f32 %f1, [%r2+16];"), "LLLLLLLLLLLLL...........nn..");
    EXPECT_EQ(tokens(Syntax::ptx, "@%p1 bra $L__BB0_2;"), ".....kkk...........");
    EXPECT_EQ(tokens(Syntax::ptx, "fma.rn.f32 %f1, %f2, 0f3F800000, %f3;").substr(0, 10), "FFFFFFFFFF");
    EXPECT_EQ(tokens(Syntax::ptx, ".reg .f32 %f<5>;").substr(0, 4), "####");
    EXPECT_EQ(tokens(Syntax::ptx, "$L__BB0_2:").substr(0, 9), "#########");
    EXPECT_EQ(tokens(Syntax::ptx, "ld.param.u64 %rd1, [p];").substr(0, 12), "kkkkkkkkkkkk");
}

TEST(Highlight, NothingBreaksIt) {
    for (const char* line : {"", "\"", "'\\", "/*", "@", "@%p", ".", "%", "0x", "1e+", "*/", "\xE5\xB1"})
        for (const Syntax syntax : {Syntax::cuda, Syntax::ptx}) tokens(syntax, line);
}

} // namespace
