#include "compile/compiler_log.h"

#include <gtest/gtest.h>

namespace {

// As NVRTC 13.0 prints it.
const char* const log = R"log(dir (1)/k.cu(12): error: identifier "x" is undefined
      int y = x;
              ^
          detected during instantiation of "void k<A>(float *) [with A=3]"

dir (1)/k.cu(3): warning #177-D: variable "unused" was declared but never referenced
  int unused;
      ^

Remark: The warnings can be suppressed with "-diag-suppress <warning-number>"

helper.h(7): error: expected a ";"
__nv_name_map(2): error: identifier "nosuch" is undefined
  #pragma nv_mangled_name nosuch<3>
dir (1)/k.cu(5): catastrophic error: cannot open source file "nothere.h"
dir (1)/k.cu(9): error #20: identifier "z" is undefined
2 errors detected in the compilation of "dir (1)/k.cu".
ptxas error   : Entry function '_Z1kPf' uses too much shared data (0xfa00 bytes, 0xc000 max)
ptxas info    : 0 bytes gmem
nvrtc: error: invalid value for --gpu-architecture (-arch)
)log";

TEST(Diagnostics, EachHasItsLineAndText) {
    struct {
        bool error;
        int line;
        const char* text;
    } const expected[] = {
        {true, 12, "identifier \"x\" is undefined"},
        {false, 3, "variable \"unused\" was declared but never referenced"},
        {true, 0, "helper.h(7): error: expected a \";\""},
        {true, 0, "identifier \"nosuch\" is undefined"},
        {true, 5, "cannot open source file \"nothere.h\""},
        {true, 9, "identifier \"z\" is undefined"},
        {true, 0, "Entry function '_Z1kPf' uses too much shared data (0xfa00 bytes, 0xc000 max)"},
        {true, 0, "invalid value for --gpu-architecture (-arch)"},
    };
    auto found = compile::diagnostics(log, "dir (1)/k.cu");
    ASSERT_EQ(found.size(), std::size(expected));
    for (size_t i = 0; i < found.size(); ++i) {
        EXPECT_EQ(found[i].error, expected[i].error) << expected[i].text;
        EXPECT_EQ(found[i].line, expected[i].line) << expected[i].text;
        EXPECT_EQ(found[i].text.english(), expected[i].text);
    }
}

TEST(Diagnostics, TheEndOfTheFileAndListsOfCandidates) {
    const auto found = compile::messages(
        "At end of source: error: expected a \"}\"\n"
        "k.cu(76): error: more than one instance of overloaded function \"exp\" matches the argument list:\n            function \"exp(double)\"\n");
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].text, "expected a \"}\" at the end of the file");
    EXPECT_TRUE(found[0].error && found[0].file.empty());
    EXPECT_EQ(found[1].text, "more than one instance of overloaded function \"exp\" matches the argument list");
}

TEST(Diagnostics, OtherTextIsNone) {
    for (const char* text :
         {"", "\n\n", "k.cu(", "k.cu(1)", "k.cu(1): ", "k.cu(x): error: y", "k.cu(99999999999): error: y",
          "k.cu(1): note: z", "): error: ", "ptxas info    : Used 3 registers"})
        EXPECT_TRUE(compile::diagnostics(text, "k.cu").empty()) << text;
}

TEST(Resources, AreThoseOfTheKernelAskedFor) {
    const char* const verbose = R"log(ptxas info    : 16 bytes gmem
ptxas info    : Compiling entry function '_Z1bILi100EEvPf' for 'sm_90'
ptxas info    : Function properties for _Z1bILi100EEvPf
ptxas         .     624 bytes stack frame, 1276 bytes spill stores, 1408 bytes spill loads
ptxas info    : Used 32 registers, used 0 barriers, 624 bytes cumulative stack size
ptxas info    : Compile time = 37.560 ms
ptxas info    : Compiling entry function '_Z1b' for 'sm_90'
ptxas info    : Function properties for _Z1b
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 10 registers, used 1 barriers, 4000 bytes smem, 360 bytes cmem[0]
)log";
    auto spilled = compile::resources(verbose, "_Z1bILi100EEvPf");
    ASSERT_TRUE(spilled);
    EXPECT_EQ(spilled->registers, 32);
    EXPECT_EQ(spilled->static_shared_bytes, 0u);
    EXPECT_EQ(spilled->stack_bytes, 624u);
    EXPECT_EQ(spilled->spill_store_bytes, 1276u);
    EXPECT_EQ(spilled->spill_load_bytes, 1408u);
    auto plain = compile::resources(verbose, "_Z1b");
    ASSERT_TRUE(plain);
    EXPECT_EQ(plain->registers, 10);
    EXPECT_EQ(plain->static_shared_bytes, 4000u);
    EXPECT_EQ(plain->spill_load_bytes, 0u);
    EXPECT_FALSE(compile::resources(verbose, "_Z1c"));
    EXPECT_FALSE(compile::resources("", "_Z1c"));
}

} // namespace
