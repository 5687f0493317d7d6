#include "compile/compiler.h"
#include "compile/host_headers.h"
#include "scratch.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

namespace {

class HostHeaders : public testing::Test {
protected:
    static auto ptx(std::string text) {
        return compile::to_ptx({std::move(text), "own.cu", {}, {}, "sm_90"});
    }
    scratch::Folder folder;
};

TEST_F(HostHeaders, EachIsFoundBesideCudasOwn) {
    std::string all;
    for (const auto& header : compile::host_headers()) all += fmt::format("#include <{}>\n", header.name);
    auto compiled = ptx(all + "#include <cuda_runtime.h>\n#include <cuda_fp16.h>\n#include "
                              "<cuda/std/cstdint>\n#include <cuda/std/limits>\n"
                              "__global__ void f(std::int64_t* x) { *x = std::min(INT_MAX, 1); }");
    ASSERT_TRUE(compiled.value) << compiled.failed->error.sentence();
}

TEST_F(HostHeaders, DeviceCodeFindsWhatItUsesOfThem) {
    auto compiled = ptx("#include <algorithm>\n#include <cassert>\n#include <cfloat>\n#include "
                        "<cmath>\n#include <cstdint>\n#include <cstdio>\n"
                        "__global__ void f(float* x, uint n, uint8_t* y) {\n"
                        "  assert(n < 100); printf(\"%u\", n); y[0] = nowhere;\n"
                        "  x[0] = std::max(std::sqrt(x[1]), -FLT_MAX) + INFINITY;\n}\n");
    ASSERT_FALSE(compiled.value);
    EXPECT_EQ(compiled.failed->error.where, "own.cu:8")
        << "lines are the file's own, and this is the only error";
    EXPECT_TRUE(compiled.failed->error.todo.empty()) << compiled.failed->error.sentence();
}

TEST_F(HostHeaders, TheOneAtTheStartLeavesLinesAsTheyAre) {
    auto compiled = ptx("__global__ void f(float* x, uint n) {\n  x[n] = 1;\n}\n");
    ASSERT_TRUE(compiled.value) << compiled.failed->error.sentence();
    EXPECT_NE(compiled.value->text.find(".loc\t1 2"), std::string::npos);
}

TEST_F(HostHeaders, AProgramIsToldToKeepItsHostCodeApart) {
    const std::string kernel = "#include <vector>\n__global__ void f(float* x) { x[0] = 1; }\n";
    const std::string program = "int main() { std::vector<float> x; f<<<1, 1>>>(x.data()); }\n";
    auto whole = ptx(kernel + program);
    ASSERT_FALSE(whole.value);
    EXPECT_NE(whole.failed->error.todo.find("#ifndef __CUDACC_RTC__"), std::string::npos)
        << whole.failed->error.sentence();
    auto apart = ptx(kernel + "#ifndef __CUDACC_RTC__\n" + program + "#endif\n");
    EXPECT_TRUE(apart.value) << apart.failed->error.sentence();
}

} // namespace
