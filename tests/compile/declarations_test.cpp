#include "compile/declarations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace {

using compile::Declaration;

std::vector<Declaration> split(std::string_view source) {
    return compile::declarations(source, compile::device_marks(), {"__global__"}, compile::macros(source));
}

std::string_view text(std::string_view source, const Declaration& d) { return source.substr(d.begin, d.end - d.begin); }

TEST(Tokens, CommentsTextsAndDirectives) {
    const std::string_view source =
        "a/*x*/ // y\n#define A \\\n  1 // z\nR\"m(\n#no \")m\" 'c' \"\\\"\" 1'000.5e+3f b#c\n";
    std::vector<std::string_view> found;
    for (const compile::Token& token : compile::tokenize(source)) found.push_back(compile::spelling(source, token));
    EXPECT_EQ(found, (std::vector<std::string_view>{"a", "#define A \\\n  1 // z", "R\"m(\n#no \")m\"", "'c'",
                                                    "\"\\\"\"", "1'000.5e+3f", "b", "#", "c"}));
}

TEST(Macros, ClosedOnesSayWhichArgumentNamesWhatTheyDefine) {
    struct Case {
        const char* define;
        bool is_closed;
        size_t named_by;
    };
    for (const Case& c :
         {Case{"#define K(a, b) __global__ void b(a* x) {}", true, 2}, Case{"#define K(a) void a##_k() {}", true, 0},
          Case{"#define K(a) void k_##a() {}", true, 0}, Case{"#define K(a) template <> void a<4>(int);", true, 1},
          Case{"#define K(n) __global__ __launch_bounds__(n)", false, 0}, Case{"#define K (void) {}", false, 0},
          Case{"#define K() \\\n struct S { }; \\\n", true, 0}, Case{"#define K(", false, 0},
          Case{"#define K(a", false, 0}}) {
        const auto found = compile::macros(c.define);
        ASSERT_EQ(found.size(), 1u) << c.define;
        EXPECT_EQ(found[0].is_closed, c.is_closed) << c.define;
        EXPECT_EQ(found[0].named_by, c.named_by) << c.define;
    }
}

// Copies of what each of them cuts would be 240 GB.
TEST(Declarations, NestedConditionalsInALongDeclaration) {
    std::string source = "int x[]={";
    constexpr int nested = 100'000;
    for (int i = 0; i < nested; ++i) source += "\n#if 1\n1,";
    EXPECT_EQ(split(source).size(), 1u);
    for (int i = 0; i < nested; ++i) source += "\n#else\n2,\n#endif";
    EXPECT_EQ(split(source + "};").size(), 1u);
}

TEST(Tokens, WhatIsNotClosedReachesToTheEnd) {
    for (const char* source : {"\"abc", "'", "/* abc", "R\"x(abc", "#if \\", "R\"", "\\", "1e+"}) {
        for (const compile::Token& token : compile::tokenize(source))
            EXPECT_LE(token.end, std::string_view(source).size()) << source;
    }
}

struct One {
    const char* source;
    Declaration::Kind kind;
    std::vector<std::string_view> names;
    bool is_device;
};
class Whole : public testing::TestWithParam<One> {};

// Each source is one declaration, which reaches from its first to its last character.
TEST_P(Whole, IsOneDeclaration) {
    const One& one = GetParam();
    auto found = split(one.source);
    ASSERT_EQ(found.size(), 1u) << one.source;
    EXPECT_EQ(text(one.source, found[0]), one.source);
    EXPECT_EQ(found[0].kind, one.kind) << one.source;
    EXPECT_EQ(found[0].is_device, one.is_device) << one.source;
    for (std::string_view name : one.names) EXPECT_TRUE(found[0].names.contains(name)) << one.source << " " << name;
    EXPECT_EQ(found[0].names.empty(), one.names.empty()) << one.source;
}

constexpr auto function = Declaration::Kind::function, type = Declaration::Kind::type, other = Declaration::Kind::other;
INSTANTIATE_TEST_SUITE_P(
    Declarations, Whole,
    testing::Values(
        One{"int f();", function, {"f"}, false}, One{"int f() { return {1}; }", function, {"f"}, false},
        One{"template <int N = (3 > 2), class T = a<b<c>>> __global__ void __launch_bounds__(N) k(T* x) { x[0] = N; }",
            function,
            {"k"},
            true},
        One{"template <> void f<float, 2>(float) {}", function, {"f"}, false},
        One{"template void f<float>(float*);", function, {"f"}, false},
        One{"auto g(int a = 3, char c = '}') -> decltype(h(a)) { return {}; }", function, {"g"}, false},
        One{"Foo::Foo(int n) : a{n}, b(n), c{1} { run(); }", function, {"Foo"}, false},
        One{"void f() try { g(); } catch (...) { h(); }", function, {"f"}, false},
        One{"std::ostream& operator<<(std::ostream& out, const A& a) { return out; }", function, {}, false},
        One{"bool operator()(int) const;", function, {}, false},
        One{"__device__ float4 operator+(float4 a, float4 b) { return a; }", function, {}, true},
        One{"struct S final : Base<int>, Other { int a; void f() {} };", type, {"S"}, false},
        One{"typedef struct { int x, y; } Point, *PointPtr;", type, {"Point", "PointPtr"}, false},
        One{"struct __align__(16) V { float x; } v;", type, {"V", "v"}, false},
        One{"enum class E : int { red, green = 2 };", type, {"E", "red", "green"}, false},
        One{"template <class T> struct A<T*> { };", type, {"A"}, false},
        One{"struct P make(int n) { return P{n}; }", function, {"make"}, false},
        One{"int a = 1, b[3] = {1, 2, 3};", other, {"a", "b"}, false},
        One{"std::vector<int> v{1, 2};", other, {"v"}, false},
        One{"auto lambda = [](int x) { return x; };", other, {"lambda"}, false},
        One{"__constant__ float c[9];", other, {"c"}, true}, One{"using namespace std;", other, {}, false},
        One{"using T = int;", other, {"T"}, false}, One{"namespace cg = cooperative_groups;", other, {"cg"}, false},
        One{"typedef void (*callback)(int);", other, {"callback"}, false},
        One{"static_assert(sizeof(int) == 4, \"x\");", other, {}, false},
        One{"constexpr int n = f(3) > 2 ? 1 : 2;", other, {"n"}, false}));

TEST(Declarations, NamespacesAndLanguageBlocksAreOpened) {
    const std::string_view source =
        "namespace a::b { inline namespace c { __global__ void k(); } namespace { int x; } } extern \"C\" { void f() {} } extern \"C\" int g();";
    auto found = split(source);
    ASSERT_EQ(found.size(), 4u);
    EXPECT_EQ(found[0].name, "a::b::c::k");
    EXPECT_TRUE(found[0].is_kernel);
    EXPECT_EQ(text(source, found[1]), "int x;");
    EXPECT_EQ(found[2].name, "f");
    EXPECT_EQ(found[3].name, "g");
}

TEST(Declarations, MembersOfAClass) {
    auto found = split(
        "class A { public: A(int n) : n_(n) { run(); } __device__ int f() { return n_; } private: int n_ = 3; struct B { void g(); }; };");
    ASSERT_EQ(found.size(), 1u);
    ASSERT_EQ(found[0].members.size(), 4u);
    EXPECT_LT(found[0].members[0].body_begin, found[0].members[0].body_end);
    EXPECT_TRUE(found[0].members[1].is_device);
    EXPECT_EQ(found[0].members[2].kind, other);
    EXPECT_EQ(found[0].members[3].members.size(), 1u);
}

TEST(Declarations, EachBranchOfAConditionalIsReadByItself) {
    const std::string_view source =
        "#ifdef A\nvoid f(int a) {\n#else\nvoid f(float b) {\n#endif\n  run();\n}\nint after;\n#if X\nvoid g() {}\n#elif Y\nvoid g(int) {}\n#endif\nint last;\n";
    auto found = split(source);
    ASSERT_GE(found.size(), 4u);
    EXPECT_EQ(text(source, found.back()), "int last;");
    EXPECT_TRUE(
        std::any_of(found.begin(), found.end(), [&](const Declaration& d) { return text(source, d) == "int after;"; }));
}

TEST(Declarations, DeepNestingEnds) {
    std::string deep;
    for (int i = 0; i < 20000; ++i) deep += "struct a{";
    EXPECT_EQ(split(deep).size(), 1u);
    EXPECT_GE(split(std::string(20000, '(')).size(), 1u);
    EXPECT_GE(split(std::string(20000, '}') + "int x;").size(), 1u);
}

} // namespace
