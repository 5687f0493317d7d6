#include "catalog/code_hash.h"

#include "catalog/catalog.h"
#include "sample.h"

#include <gtest/gtest.h>

namespace {

std::string hash_of(std::string text) {
    auto kernel = catalog::parse(text, "sample.cu", {});
    EXPECT_TRUE(kernel) << kernel.error().sentence();
    return kernel ? catalog::code_hash(*kernel) : "";
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const size_t at = text.find(from);
    EXPECT_NE(at, text.npos) << from;
    return text.replace(at, from.size(), to);
}

const std::string code = "__global__ void sample(int M) {}";

TEST(CodeHash, ToldDifferentlyItIsTheSameCode) {
    const std::string same = hash_of(sample);
    EXPECT_EQ(same.size(), 32u);
    EXPECT_EQ(hash_of(replaced(sample, "One idea.", "Another idea.")), same);
    EXPECT_EQ(hash_of(replaced(sample, "values = [16, 32, 64, 128]", "values = [16, 32, 64, 128, 256]")), same);
    EXPECT_EQ(hash_of(replaced(sample, "At most 16 threads.", "16 threads at most.")), same);
    EXPECT_EQ(hash_of(replaced(sample, code, "__global__ /* why */ void   sample(int M) {} // and so on")), same);
    EXPECT_EQ(hash_of(replaced(sample, "template <int BM", "// what it does: \"\ntemplate <int BM")), same);
}

TEST(CodeHash, WhatIsExecutedCounts) {
    const std::string same = hash_of(sample);
    EXPECT_NE(hash_of(replaced(sample, "(int M) {}", "(int M) { __syncthreads(); }")), same);
    EXPECT_NE(hash_of(replaced(sample, "(int M) {}", "(int M) { const char* s = \"//\"; }")),
              hash_of(replaced(sample, "(int M) {}", "(int M) { const char* s = \"//x\"; }")));
    EXPECT_NE(hash_of(replaced(sample, "(int M) {}", "(int M) { M = 1'0; /*'*/ M = 1; }")),
              hash_of(replaced(sample, "(int M) {}", "(int M) { M = 1'0; /*'*/ M = 2; }")));
    EXPECT_NE(hash_of(replaced(sample, "block = [\"BM / TM\", \"2\"]", "block = [\"BM / TM\", \"4\"]")), same);
    EXPECT_NE(hash_of(replaced(sample, "4 * (BM + PAD) * TM", "8 * (BM + PAD) * TM")), same);
}

} // namespace
