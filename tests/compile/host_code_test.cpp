// Whole files are in tests/data/files and traced by tests/cli; here is what those do not show.
#include "base/file.h"
#include "compile/compiler.h"
#include "compile/host_code.h"
#include "scratch.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace {

std::string without_unused(const std::string& text, const std::string& entry = {}) {
    compile::HostCode code(text, "own.cu", entry);
    code.remove_unused();
    return code.files().front().text;
}

TEST(HostCode, KeepsLinesAndPreprocessorLines) {
    const std::string text =
        "#include <vector>\nint main() {\n#define N 3\n  std::vector<int> v;\n}\n__global__ void k(int* x) { *x = N; }\n";
    EXPECT_EQ(
        without_unused(text),
        "#include <vector>\n            \n#define N 3\n                     \n \n__global__ void k(int* x) { *x = N; }\n");
}

TEST(HostCode, KeepsWhatDeviceCodeNeedsThroughOthersAndMacros) {
    const std::string text =
        "int a() { return 1; }\nint b() { return a(); }\n#define CALL b()\nint c() { return 2; }\n__global__ void k(int* x) { *x = CALL; }\n";
    const std::string left = without_unused(text);
    EXPECT_NE(left.find("int a()"), std::string::npos);
    EXPECT_NE(left.find("int b()"), std::string::npos);
    EXPECT_EQ(left.find("int c()"), std::string::npos);
}

TEST(HostCode, AnIncludeLineThatGoesLeavesItsLines) {
    compile::HostCode code("#include <thrust/x.h> /* one\n two */\nint a;\n", "own.cu", "");
    EXPECT_TRUE(code.remove_includes_of("/opt/thrust/detail/y.h"));
    const std::string& left = code.files().front().text;
    EXPECT_EQ(std::count(left.begin(), left.end(), '\n'), 3);
    EXPECT_EQ(left.find("thrust"), std::string::npos);
}

TEST(HostCode, TheEntryNeedsWhatItNames) {
    const std::string text =
        "struct Used { int v; };\nstruct Unused { int v; };\ntemplate <class T> __global__ void k(T* x) {}\n";
    const std::string left = without_unused(text, "k<Used>");
    EXPECT_NE(left.find("Used { int"), std::string::npos);
    EXPECT_EQ(left.find("Unused"), std::string::npos);
}

TEST(HostCode, AMacroThatDeclaresAKernelNeedsNoSemicolon) {
    const std::string text =
        "#define KERNEL(bits, name) \\\n  __global__ void name(int* x) { *x = bits; }\n#define GLUED(T) __global__ void k_##T(T*) {}\n"
        "#define FUNCTION(name) void name() {}\nnamespace n { KERNEL(8, eight) }\nKERNEL(4, four);\nGLUED(int)\nFUNCTION(host)\n"
        "int main() { eight<<<1, 1>>>(0); }\n";
    compile::HostCode code(text, "own.cu", "four");
    ASSERT_EQ(code.kernels().size(), 2u);
    EXPECT_EQ(code.kernels()[0].name, "n::eight");
    EXPECT_EQ(code.kernels()[1].name, "four");
    EXPECT_EQ(code.kernels()[1].line, 6);
    EXPECT_TRUE(code.kernels()[1].is_defined);
    code.remove_unused();
    const std::string& left = code.files().front().text;
    for (const char* kept : {"KERNEL(8, eight)", "KERNEL(4, four)", "GLUED(int)"})
        EXPECT_NE(left.find(kept), left.npos) << kept;
    for (const char* gone : {"FUNCTION(host)", "main"}) EXPECT_EQ(left.find(gone), left.npos) << gone;
}

TEST(HostCode, ListsKernelsWithTheirTemplates) {
    compile::HostCode code(
        "#define KERNEL __global__\nnamespace n { template <int A, class T> KERNEL void t(T*) {} }\n__global__ void t2();\n__global__ void t2() {}\n",
        "own.cu", "");
    ASSERT_EQ(code.kernels().size(), 2u);
    EXPECT_EQ(code.kernels()[0].name, "n::t");
    EXPECT_EQ(code.kernels()[0].template_parameters, "<int A, class T>");
    EXPECT_EQ(code.kernels()[0].line, 2);
    EXPECT_EQ(code.kernels()[1].name, "t2");
}

class Files : public testing::Test {
protected:
    compile::Outcome<compile::Ptx> compiled(const std::string& text, const std::string& entry = {}) {
        write("own/own.cu", text);
        compile::Source source;
        source.text = text, source.name = (folder.path() / "own/own.cu").string(), source.entry = entry;
        return compile::to_ptx(source);
    }
    void write(const std::string& name, const std::string& text) {
        ASSERT_TRUE(base::write_file(folder.path() / name, text).ok());
    }
    scratch::Folder folder;
};

TEST_F(Files, IncludedOnesLoseTheirHostCodeToo) {
    write(
        "own/a/x.cuh",
        "#pragma once\n#include \"y.cuh\"\n#include <string>\ninline std::string host() { return \"\"; }\n__device__ inline int x() { return y(); }\n");
    write(
        "own/a/y.cuh",
        "#pragma once\n#include \"../a/y.cuh\"\n#include \"../y.cuh\"\nvoid run() { y<<<1, 1>>>(); cudaMalloc(0, 0); }\n__device__ inline int y() { return z(); }\n");
    write("own/y.cuh", "#pragma once\n__device__ inline int z() { return 77; }\nstatic cublasHandle_t handle;\n");
    auto ptx = compiled(
        "#include <a/x.cuh>\n#include \"y.cuh\"\n__global__ void k(int* v) { *v = x(); }\nint main() { host(); }\n");
    ASSERT_TRUE(ptx.value) << ptx.failed->error.sentence();
    EXPECT_NE(ptx.value->text.find(", 77;"), std::string::npos) << ptx.value->text;
}

TEST_F(Files, IncludedOnesAreFoundWhereProjectsKeepThem) {
    write("include/deep/z.cuh", "#pragma once\n__device__ inline int z() { return 78; }\n");
    auto ptx = compiled("#include \"deep/z.cuh\"\n__global__ void k(int* v) { *v = z(); }\n");
    ASSERT_TRUE(ptx.value) << ptx.failed->error.sentence();
    EXPECT_NE(ptx.value->text.find(", 78;"), std::string::npos);
}

TEST_F(Files, AnErrorInAnIncludedOneNamesIt) {
    write(
        "own/x.cuh",
        "#include <string>\ninline std::string host() { return \"\"; }\n__device__ inline int x() { return nothing; }\n");
    auto failed = compiled("#include \"x.cuh\"\n__global__ void k(int* v) { *v = x(); }\n").failed;
    ASSERT_TRUE(failed);
    EXPECT_EQ(failed->error.where, (folder.path() / "own/x.cuh").string() + ":3") << failed->error.sentence();
    EXPECT_NE(failed->error.what.english().find("\"nothing\""), std::string::npos);
}

TEST_F(Files, AFileFromAnotherSystem) {
    EXPECT_TRUE(
        compiled(
            "\xEF\xBB\xBF#include <iostream>\r\n__global__ void k(float* x)\r\n{\r\n  x[0] = 1; // \xE4\xB8\xAD\r\n}\r\nint main()\r\n{\r\n  std::cout << 1;\r\n}\r\n")
            .value);
    auto failed =
        compiled("#include <vector>\nint main() { if (1) {\n}\n__global__ void k(float* x) { x[0] = 1; }\n").failed;
    ASSERT_TRUE(failed);
    EXPECT_NE(failed->error.todo.english().find("brace"), std::string::npos) << failed->error.sentence();
}

TEST_F(Files, AnErrorOfTheKernelIsNotHiddenByHostCode) {
    auto failed =
        compiled("#include <iostream>\nint main() { std::cout << 1; }\n__global__ void k(float* x) {\n  x[0] = y;\n}\n")
            .failed;
    ASSERT_TRUE(failed);
    EXPECT_TRUE(failed->error.where.ends_with("own.cu:4")) << failed->error.sentence();
    EXPECT_EQ(
        std::count_if(failed->diagnostics.begin(), failed->diagnostics.end(), [](const auto& d) { return d.error; }),
        1);
}

// Its name is glued together, so the kernel looks like another one, and goes with its error.
TEST_F(Files, AnErrorOfAKernelThatAMacroDeclaresIsSaid) {
    auto failed = compiled("#define KERNEL(T) __global__ void k_##T(T* x) { *x = y; }\nKERNEL(int)\n", "k_int").failed;
    ASSERT_TRUE(failed);
    EXPECT_NE(failed->error.sentence().find("own.cu:2: identifier \"y\" is undefined"), std::string::npos)
        << failed->error.sentence();
}

TEST_F(Files, TheOnlyKernelIsFoundInAnUnnamedNamespaceAndATemplateIsNamed) {
    EXPECT_TRUE(compiled("namespace { __global__ void k(float* x) { *x = 1; } }\n").value);
    EXPECT_TRUE(compiled("static __global__ void k(float* x) { *x = 1; }\n").value);
    auto failed =
        compiled(
            "#include <vector>\n\ntemplate <int N> __global__ void k(float* x) { *x = N; }\nint main() { std::vector<int> v; k<3><<<1, 1>>>(0); }\n")
            .failed;
    ASSERT_TRUE(failed);
    EXPECT_TRUE(failed->error.sentence().ends_with(
        "own.cu:3: the only kernel is a template; name one with its arguments, --entry 'k<...>': k<int N>"))
        << failed->error.sentence();
}

TEST_F(Files, ATemplateIsNamedOnOneLineWithTheFileThatItIsIn) {
    write(
        "own/include/k.cuh",
        "// kernels\n#pragma once\ntemplate <\n  const int BM, // rows\n  int BN = 2 /* columns */\n  >\n__global__ void k(float* x) { *x = BM; }\n");
    auto failed = compiled("#include \"k.cuh\"\nint main() { k<3><<<1, 1>>>(0); }\n").failed;
    ASSERT_TRUE(failed);
    EXPECT_TRUE(failed->error.where.ends_with("k.cuh:3")) << failed->error.sentence();
    EXPECT_TRUE(failed->error.todo.english().ends_with(": k<const int BM, int BN = 2>")) << failed->error.sentence();
}

TEST_F(Files, AHeaderInAnIncludeFolderIsNotCalledMissing) {
    write("own/include/k.cuh", "#pragma once\n#include <string>\nstd::string host();\n");
    auto failed =
        compiled("#include \"k.cuh\"\n__global__ void k(float* x) { const int a = 1; a = 2; *x = a; }\n").failed;
    ASSERT_TRUE(failed);
    EXPECT_TRUE(failed->error.todo.empty()) << failed->error.sentence();
    auto fine = compiled("#include \"k.cuh\"\n__global__ void k(float* x) { *x = 1; }\n");
    ASSERT_TRUE(fine.value) << fine.failed->error.sentence();
    EXPECT_TRUE(fine.value->warnings.empty());
}

TEST_F(Files, FunctionsOfAClassThatAreTheHostsLoseTheirBodies) {
    auto ptx = compiled(
        "#include <string>\nstruct A {\n  int n;\n  std::string name() const { return \"a\"; }\n  void upload() { cudaMalloc(nullptr, n); }\n"
        "  __host__ __device__ int twice() const { return 2 * n; }\n};\n__global__ void k(A a, int* v) { *v = a.twice(); }\n");
    ASSERT_TRUE(ptx.value) << ptx.failed->error.sentence();
    auto lost = compiled(
        "#include <string>\nstruct A {\n  std::string name;\n  int n;\n};\n__global__ void k(A a, int* v) { *v = a.n; }\n");
    ASSERT_FALSE(lost.value) << "a member less would be another struct";
    EXPECT_TRUE(lost.failed->error.where.ends_with("own.cu:3")) << lost.failed->error.sentence();
}

} // namespace
