// What a verdict says of kernels that solve an exercise, and of those that break each of its rules.
#include "fixture.h"

#include "compile/compiler.h"

namespace {

using namespace fixture;
using exercise::Judged;
using Standing = exercise::Judged::Standing;

class Grade : public testing::Test {
protected:
    void SetUp() override {
        if (!compile::availability().found) GTEST_SKIP() << "no NVRTC";
        auto read = exercise_of(folder_);
        ASSERT_TRUE(read) << read.error().sentence();
        exercise_ = *read;
    }
    exercise::Verdict judge(const std::string& source, const std::string& seed = {}, double limit_s = 60) {
        return exercise::grade(exercise_, source, folder_.path() / "mine.cu", {seed, limit_s, 2});
    }
    std::vector<Standing> standings(const exercise::Verdict& verdict) {
        std::vector<Standing> all;
        for (const Judged& judged : verdict.rules) all.push_back(judged.standing);
        return all;
    }
    Folder folder_;
    exercise::Exercise exercise_;
};

TEST_F(Grade, ASolutionPassesWithAllPoints) {
    const auto verdict = judge(kernel(right_body));
    EXPECT_TRUE(verdict.passed());
    EXPECT_EQ(verdict.points(), 5);
    EXPECT_EQ(verdict.most_points(), 5);
    EXPECT_TRUE(verdict.findings.empty());
    EXPECT_EQ(verdict.first(), nullptr);
    ASSERT_EQ(verdict.rules.size(), 4u);
    EXPECT_EQ(verdict.rules[3].bound, 64 * 64 * 64 / 4);
    // 64 x 64 / 32 warps read one sector of A and four of B for each k, but A's only every fourth time where ptxas reads wider.
    EXPECT_GT(verdict.rules[3].value, 64 * 2 * 64 * 4);
}

TEST_F(Grade, WhatDoesNotCompileIsToldWithItsLine) {
    const auto verdict = judge(kernel("    const int row = nowhere, column = 0;\n"));
    ASSERT_TRUE(verdict.first());
    EXPECT_EQ(verdict.first(), &verdict.rules[0]);
    ASSERT_TRUE(verdict.first()->look);
    EXPECT_EQ(verdict.first()->look->line, 8);
    EXPECT_NE(verdict.first()->got.english().find("nowhere"), std::string::npos);
    EXPECT_EQ(standings(verdict),
              (std::vector{Standing::failed, Standing::waiting, Standing::waiting, Standing::waiting}));
}

TEST_F(Grade, AnAccessOutOfBoundsIsNamedWithItsLine) {
    const auto verdict = judge(kernel(unguarded_body));
    ASSERT_TRUE(verdict.first());
    EXPECT_EQ(verdict.first(), &verdict.rules[1]);
    EXPECT_EQ(verdict.first()->look->line, 10);
    EXPECT_FALSE(verdict.findings.empty());
    EXPECT_EQ(verdict.rules[3].standing, Standing::waiting); // a step before it has not passed
    EXPECT_EQ(verdict.points(), 1);                          // C is right where the blocks fit
}

TEST_F(Grade, AWrongResultIsASentenceOfItsOwn) {
    const auto verdict = judge(kernel(right_body, grid_over_columns, "A[row * K + k] * B[column]"));
    ASSERT_TRUE(verdict.first());
    EXPECT_EQ(verdict.first(), &verdict.rules[2]);
    EXPECT_EQ(verdict.rules[1].standing, Standing::passed); // no finding in any order of the warps
    EXPECT_NE(verdict.first()->got.english().find("wrong_result at 64 x 64 x 64"), std::string::npos)
        << verdict.first()->got.english();
    EXPECT_EQ(verdict.points(), 1);
}

TEST_F(Grade, ACountThatIsTooLargeNamesTheLineThatCausesIt) {
    const auto verdict = judge(kernel(uncoalesced_body, grid_over_rows));
    ASSERT_TRUE(verdict.first());
    EXPECT_EQ(verdict.first(), &verdict.rules[3]);
    EXPECT_EQ(verdict.first()->standing, Standing::failed);
    EXPECT_GT(*verdict.first()->value, *verdict.first()->bound);
    EXPECT_EQ(verdict.first()->look->line, 11);
    EXPECT_EQ(verdict.first()->look->view, "sectors");
    EXPECT_EQ(verdict.points(), 2);
}

TEST_F(Grade, ATeachersSeedDrawsOtherSizesAndInputs) {
    std::set<std::string> sizes;
    std::set<uint64_t> inputs;
    for (const char* seed : {"a", "b", "c"}) {
        const auto verdict = judge(kernel(unguarded_body), seed);
        ASSERT_TRUE(verdict.first() && verdict.first()->look && verdict.first()->look->size);
        sizes.insert(exercise::size_text(*verdict.first()->look->size));
        inputs.insert(verdict.first()->look->seed);
    }
    EXPECT_EQ(sizes.size(), 3u);
    EXPECT_EQ(inputs.size(), 3u);
    EXPECT_EQ(judge(kernel(unguarded_body)).first()->look->seed, 1u);
}

// A student describes the kernel; what is computed, and how exactly it is compared, is the exercise's.
TEST_F(Grade, ADescriptionOfAnotherOperationDoesNotPass) {
    for (const char* cheat : {"operation = \"add_one\"\n", "rounding = \"1000\"\n", "operands = \"tf32\"\n"}) {
        std::string source = kernel(right_body);
        source.insert(source.find("[launch]"), cheat);
        const auto verdict = judge(source);
        ASSERT_TRUE(verdict.first()) << cheat;
        EXPECT_EQ(verdict.first(), &verdict.rules[0]) << cheat;
    }
}

// Else it would be judged differently where it lies elsewhere, and a neighbour's work could be included.
TEST_F(Grade, ASolutionIsOneFile) {
    folder_.write("other.cuh", "__device__ float twice(float x) {\n    return 2 * x;\n}\n");
    const std::string path = (folder_.path() / "other.cuh").string();
    for (const std::string& line :
         {std::string("#include \"other.cuh\"\n"), "#include <" + path + ">\n",
          "#define OTHER \"" + path + "\"\n#include OTHER\n", "#inclu\\\nde \"" + path + "\"\n"}) {
        std::string source = kernel(right_body, grid_over_columns, "twice(A[row * K + k] * B[k * N + column]) / 2");
        source.insert(source.find("__global__"), line);
        const auto verdict = judge(source);
        ASSERT_TRUE(verdict.first()) << line;
        EXPECT_NE(verdict.first()->got.english().find("one file"), std::string::npos)
            << line << verdict.first()->got.english();
    }
    std::string source = kernel(right_body);
    source.insert(source.find("__global__"), "#include <cuda_fp16.h>\n#include <cstdint>\n");
    EXPECT_TRUE(judge(source).passed());
}

TEST_F(Grade, AKernelWithoutEndIsStoppedAndSaid) {
    const auto endless = judge(kernel(right_body + "    while (alpha != 0) __syncthreads();\n"));
    ASSERT_TRUE(endless.first());
    EXPECT_EQ(endless.first(), &endless.rules[1]);
    const auto slow =
        judge(kernel("    float v = A[0];\n    for (int i = 0; i < 100000000; ++i) v = v * 0.5f - A[i & 1];\n"
                     "    if (v < 0) C[0] = v;\n" +
                     right_body),
              {}, 1);
    ASSERT_TRUE(slow.first());
    EXPECT_TRUE(slow.first()->standing == Standing::unknown || slow.first()->standing == Standing::failed);
    EXPECT_FALSE(slow.first()->got.empty());
}

TEST_F(Grade, AFileThatDescribesNothingIsToldSo) {
    const auto verdict = judge("int main() {}\n");
    ASSERT_TRUE(verdict.first());
    EXPECT_EQ(verdict.first(), &verdict.rules[0]);
}

} // namespace
