// PTX to machine code: of the PTX given, and what is said of PTX that ptxas refuses.
#include "base/file.h"
#include "compile/compiler.h"
#include "compile/refusal.h"
#include "scratch.h"

#include <gtest/gtest.h>

namespace {

class Ptxas : public testing::Test {
protected:
    void SetUp() override {
        const auto found = compile::assembler();
        ASSERT_TRUE(found.found) << found.reason;
    }
    static compile::Source source(std::string text, std::string name = "test.cu") {
        return {std::move(text), std::move(name), {}, {}, "sm_90"};
    }
    static compile::CompileError refused(const compile::Source& source) {
        auto failed = compile::to_machine_code(source).failed;
        EXPECT_TRUE(failed);
        return failed.value_or(compile::CompileError{});
    }
    scratch::Folder folder;
};

std::string text_of(const compile::MachineCode& code) {
    return {reinterpret_cast<const char*>(code.cubin.data()), code.cubin.size()};
}

// NVRTC would name the registers as before.
TEST_F(Ptxas, AssemblesThePtxGivenNotTheSourceAgain) {
    const auto input = source("__global__ void k(float* x) { x[threadIdx.x] = 1; }\n");
    const auto compiled = compile::to_ptx(input);
    ASSERT_TRUE(compiled.value) << compiled.failed->error.sentence();
    compile::Ptx renamed = *compiled.value;
    for (size_t at = renamed.text.find("%rd"); at != std::string::npos; at = renamed.text.find("%rd", at))
        renamed.text.replace(at, 3, "%address");
    const auto as_it_is = compile::to_machine_code(*compiled.value, input),
               other = compile::to_machine_code(renamed, input);
    ASSERT_TRUE(as_it_is.value && other.value);
    EXPECT_EQ(text_of(*as_it_is.value).find("%address"), std::string::npos);
    EXPECT_NE(text_of(*other.value).find("%address"), std::string::npos);
    EXPECT_EQ(text_of(*other.value).find("%rd"), std::string::npos);
    EXPECT_EQ(compile::to_machine_code(renamed, input).value->cubin, other.value->cubin) << "from the cache";
}

TEST_F(Ptxas, WhatItRefusesStandsAtTheSourcesLine) {
    const auto failed = refused(
        source("__global__ void k(int* x) {\n  int one;\n  asm(\"mov.b99 %0, 1;\" : \"=r\"(one));\n  x[0] = one;\n"
               "  asm(\"mov.b98 %0, 1;\" : \"=r\"(one));\n  x[1] = one;\n}\n"));
    EXPECT_TRUE(failed.error.sentence().starts_with("test.cu:3: ptxas: ")) << failed.error.sentence();
    EXPECT_NE(failed.error.sentence().find("b99"), std::string::npos) << failed.error.sentence();
    EXPECT_NE(failed.error.todo.english().find("correct the inline PTX there"), std::string::npos)
        << failed.error.todo.english();
    EXPECT_EQ(failed.error.failure, base::Failure::usage);
    ASSERT_GE(failed.diagnostics.size(), 2u);
    EXPECT_EQ(failed.diagnostics.front().line, 3);
    EXPECT_EQ(failed.diagnostics.back().line, 5);
}

TEST_F(Ptxas, WhatItRefusesInAHeaderStandsThere) {
    ASSERT_TRUE(
        base::write_file(folder.path() / "own.h",
                         "\n__device__ inline int one() { int x; asm(\"mov.b99 %0, 1;\" : \"=r\"(x)); return x; }\n")
            .ok());
    const auto failed = refused(source("#include \"own.h\"\n__global__ void k(int* x) { x[0] = one(); }\n",
                                       (folder.path() / "test.cu").string()));
    EXPECT_TRUE(failed.error.where.ends_with("own.h:2")) << failed.error.sentence();
    ASSERT_FALSE(failed.diagnostics.empty());
    EXPECT_EQ(failed.diagnostics.front().line, 0) << "of another file";
}

TEST_F(Ptxas, WhatItRefusesOfAWholeKernelStandsAtTheFile) {
    const auto failed = refused(source("__global__ void k(float* x) {\n  __shared__ float s[20000];\n  "
                                       "s[threadIdx.x] = x[0];\n  __syncthreads();\n"
                                       "  x[1] = s[threadIdx.x ^ 1];\n}\n"));
    EXPECT_EQ(failed.error.where, "test.cu");
    EXPECT_NE(failed.error.what.english().find("uses too much shared data"), std::string::npos)
        << failed.error.what.english();
    ASSERT_EQ(failed.diagnostics.size(), 1u) << "what follows from the first is left out";
}

TEST(Refusal, PtxOfANewerNvrtcHasItsOwnWayOut) {
    const char* log = "ptxas /dev/stdin, line 9; fatal   : Unsupported .version 9.9; current version is '9.0'\n"
                      "ptxas fatal   : Ptx assembly aborted due to errors\n";
    const auto failed = compile::refusal(log, {"\n.version 9.9\n", "k", {}}, {"", "test.cu", {}, {}, "sm_90"});
    EXPECT_EQ(failed.error.sentence(),
              "test.cu: ptxas: Unsupported .version 9.9; current version is '9.0'; NVRTC is newer than ptxas: let "
              "$GEMMSCOPE_PTXAS name one of its version");
    EXPECT_EQ(compile::refusal("", {}, {"", "test.cu", {}, {}, "sm_90"}).error.sentence(),
              "test.cu: ptxas: it gives no reason");
}

TEST(Refusal, SourceOfALineIsTheLastLocBeforeIt) {
    const char* ptx = ".visible .entry k()\n{\n\t.loc\t1 4 3\nmov.u32 %r1, 0;\nmov.u32 %r2, 0;\n\t.loc\t2 7 "
                      "1, function_name $L, inlined_at 1 5 2\nret;\n}\n"
                      "\t.file\t1 \"/a/k.cu\"\n\t.file\t2 \"/a/own h.h\"\n";
    EXPECT_EQ(compile::source_of(ptx, 1).file, "");
    EXPECT_EQ(compile::source_of(ptx, 5).file, "/a/k.cu");
    EXPECT_EQ(compile::source_of(ptx, 5).line, 4);
    EXPECT_EQ(compile::source_of(ptx, 7).file, "/a/own h.h");
    EXPECT_EQ(compile::source_of(ptx, 7).line, 7);
}

} // namespace
