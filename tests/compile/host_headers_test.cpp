#include "compile/compiler.h"
#include "compile/host_headers.h"
#include "scratch.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

namespace {

class HostHeaders : public testing::Test {
protected:
    static auto ptx(std::string text) { return compile::to_ptx({std::move(text), "own.cu", {}, {}, "sm_90"}); }
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
    EXPECT_EQ(compiled.failed->error.where, "own.cu:8") << "lines are the file's own, and this is the only error";
    EXPECT_EQ(compiled.failed->error.todo.english().find("follow"), std::string::npos)
        << compiled.failed->error.sentence();
}

TEST_F(HostHeaders, TheOneAtTheStartLeavesLinesAsTheyAre) {
    auto compiled = ptx("__global__ void f(float* x, uint n) {\n  x[n] = 1;\n}\n");
    ASSERT_TRUE(compiled.value) << compiled.failed->error.sentence();
    EXPECT_NE(compiled.value->text.find(".loc\t1 2"), std::string::npos);
}

TEST_F(HostHeaders, TheStandardLibraryComesWhereDeviceCodeUsesIt) {
    auto compiled = ptx(
        "#include <array>\n#include <utility>\n#include <vector>\n"
        "template <class T> using bare = std::remove_cv_t<T>;\n"
        "__global__ void f(float* x) {\n  std::array<bare<const float>, 2> a{1, 2};\n  x[0] = std::get<1>(a) + std::move(a)[0];\n}\n");
    ASSERT_TRUE(compiled.value) << compiled.failed->error.sentence();
    EXPECT_TRUE(compiled.value->warnings.empty());
    auto without = ptx("#include <vector>\n__global__ void f(float* x) {\n  std::vector<float> v;\n}\n");
    ASSERT_FALSE(without.value);
    EXPECT_EQ(without.failed->error.where, "own.cu:3");
    EXPECT_NE(without.failed->error.todo.english().find("standard library"), std::string::npos)
        << without.failed->error.sentence();
}

TEST_F(HostHeaders, MathematicsIsNotAmbiguousWithAllOfTheStandardLibrary) {
    auto compiled = ptx(
        "#include <type_traits>\n#include <cmath>\nusing namespace std;\n"
        "template <class T> __device__ T e(T x) {\n  static_assert(std::is_floating_point<T>::value);\n  return exp(x);\n}\n"
        "__global__ void f(float* x, double* y) {\n  x[0] = e(x[1]);\n  y[0] = e(y[1]) + std::exp(y[2]);\n}\n");
    ASSERT_TRUE(compiled.value) << compiled.failed->error.sentence();
}

TEST_F(HostHeaders, NamesThatAnotherHeaderWouldBringAreThere) {
    auto compiled = ptx("#include <cublas_v2.h>\n#include <vector>\n#ifndef __linux__\n#error no such system\n#endif\n"
                        "__global__ void f(half* x, __nv_bfloat16* y, uint32_t n) {\n  x[n] = 1;\n  y[n] = 1;\n}\n");
    ASSERT_TRUE(compiled.value) << compiled.failed->error.sentence();
}

TEST_F(HostHeaders, OneThatIsNotThereIsReadAsEmptyAndSaid) {
    auto compiled = ptx(
        "#include <somebodys/utilities.hpp>\n#include \"mine.cuh\"\n__global__ void f(float* x) {\n  x[0] = 1;\n}\n");
    ASSERT_TRUE(compiled.value) << compiled.failed->error.sentence();
    ASSERT_EQ(compiled.value->warnings.size(), 2u);
    EXPECT_EQ(compiled.value->warnings[1].line, 2);
    EXPECT_EQ(compiled.value->warnings[1].text.english(), "mine.cuh was not found and is read as empty");
    auto used = ptx("#include \"mine.cuh\"\n__global__ void f(float* x) {\n  x[0] = mine(1);\n}\n");
    ASSERT_FALSE(used.value);
    EXPECT_EQ(
        used.failed->error.sentence(),
        "own.cu:3: identifier \"mine\" is undefined; mine.cuh was not found and is read as empty: put it beside the file if that is why");
}

} // namespace
