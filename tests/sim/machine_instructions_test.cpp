// The same kernels as instructions_test.cpp, as ptxas translates them for sm_90: the machine code gives the values that the GPU gave.
#include "compile/compiler.h"
#include "golden.h"
#include "sim/program/program.h"

#include <gtest/gtest.h>

#include <cstring>

namespace {

using golden::Golden;

// Of one for sm_100, whose machine code is not executed, for the next one that has its instructions.
std::string executed_text(const Golden& g) {
    constexpr std::string_view header = ".version 8.6\n.target sm_100\n";
    std::string text = g.text;
    if (const size_t at = text.find(header); at != text.npos)
        text.replace(at, header.size(), ".version 8.7\n.target sm_120\n");
    return text;
}

// "sm_90a" of the line that says for what the file is written.
std::string target(const std::string& text) {
    constexpr std::string_view word = ".target ";
    const size_t at = text.find(word) + word.size();
    return text.substr(at, text.find_first_of(" ,\n", at) - at);
}

// What is wrong; empty: nothing.
std::string trouble(const Golden& g) {
    const std::string text = executed_text(g);
    const compile::Source source{.text = {}, .name = g.name + ".ptx", .entry = {}, .defines = {}, .arch = target(text)};
    const auto code = compile::to_machine_code(compile::Ptx{.text = text, .entry = "test", .warnings = {}}, source);
    if (code.failed) return code.failed->error.sentence();
    const auto program = sim::prepare_machine_code(code.value->cubin, "test");
    if (!program) return program.error().sentence();
    return golden::differences(g, **program, false);
}

class MachineInstructions : public testing::TestWithParam<Golden> {};

TEST_P(MachineInstructions, EqualTheGpu) { EXPECT_EQ(trouble(GetParam()), ""); }

INSTANTIATE_TEST_SUITE_P(Goldens, MachineInstructions, testing::ValuesIn(golden::goldens()),
                         [](const auto& each) { return each.param.name; });

// Why the machine code of `text` for sm_90 is not executed; empty: it is.
std::string why_refused(const std::string& text) {
    const compile::Source source{.text = {}, .name = "test.ptx", .entry = {}, .defines = {}, .arch = "sm_90"};
    const auto code = compile::to_machine_code(compile::Ptx{.text = text, .entry = "test", .warnings = {}}, source);
    if (code.failed) return code.failed->error.sentence();
    const auto program = sim::prepare_machine_code(code.value->cubin, "test");
    return program ? "" : program.error().what.english();
}

// Zeros take no room in a cubin, whatever it says of their number.
TEST(MachineCode, VariablesThatNoMemoryHoldsAreAnError) {
    const std::string text = R"(.version 8.0
.target sm_90
.address_size 64
.global .align 4 .b8 huge[1610612736];
.visible .entry test(.param .u64 out) {
    .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [out];
    mov.u64 %rd2, huge;
    st.u64 [%rd1], %rd2;
    ret;
})";
    EXPECT_EQ(why_refused(text),
              "the cubin's variables take more than 1 GB, the most that the engine keeps: huge is one too many");
}

TEST(MachineCode, LocalMemoryThatNoThreadHasIsAnError) {
    const std::string text = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry test(.param .u64 out) {
    .local .b8 huge[600000];
    .reg .b64 %rd<3>;
    .reg .b32 %r<2>;
    ld.param.u64 %rd1, [out];
    ld.u32 %r1, [%rd1];
    mov.u64 %rd2, huge;
    st.local.u32 [%rd2], %r1;
    ld.local.u32 %r1, [%rd2+128];
    st.u32 [%rd1], %r1;
    ret;
})";
    EXPECT_EQ(why_refused(text), "the kernel needs more than 512 KB of local memory a thread");
}

// Kernel k in CUDA; nullptr: something has failed.
std::shared_ptr<const sim::Program> machine_code_of(const std::string& text) {
    const compile::Source source{.text = text, .name = "k.cu", .entry = "k", .defines = {}, .arch = "sm_90"};
    const auto ptx = compile::to_ptx(source);
    EXPECT_TRUE(ptx.value) << text;
    const auto code = compile::to_machine_code(*ptx.value, source);
    EXPECT_TRUE(code.value) << text;
    const auto program = sim::prepare_machine_code(code.value->cubin, code.value->entry);
    EXPECT_TRUE(program.ok()) << text;
    return program.ok() ? *program : nullptr;
}

uint32_t local_bytes(const std::string& text) { // of a thread
    const auto program = machine_code_of(text);
    return program ? program->local_bytes : 0;
}

TEST(MachineLocalMemory, IsWhatPtxasSaysUnlessAFunctionCallsItself) {
    if (!compile::availability().found || !compile::assembler().found) GTEST_SKIP() << "no NVRTC or ptxas";
    const std::string inner =
        "__device__ __noinline__ int f(int n) { volatile int a[40]; a[n % 40] = n; return a[0]; }";
    const std::string outer =
        "__device__ __noinline__ int g(int n) { volatile int a[20]; a[n % 20] = n; return f(n) + a[0]; }";
    const std::string kernel = "__global__ void k(int* out) { out[threadIdx.x] = g(threadIdx.x) + f(out[0]); }";
    const uint32_t arrays = (40 + 20) * 4;
    const uint32_t called = local_bytes(inner + outer + kernel);
    EXPECT_GE(called, arrays);
    EXPECT_LE(called, 2 * arrays); // and what the functions save
    const std::string itself = "__device__ __noinline__ int g(int n) { volatile int a[20]; a[n % 20] = n;"
                               " return n < 2 ? f(n) : g(n - 1) + g(n - 2) + a[0]; }";
    EXPECT_GE(local_bytes(inner + itself + kernel), sim::stack_bytes);
    const std::string each_other = "__device__ int h(int n);" + outer.substr(0, outer.rfind("f(n)")) +
                                   "h(n) + a[0]; }"
                                   "__device__ __noinline__ int h(int n) { return n < 2 ? n : g(n / 2) + 1; }";
    EXPECT_GE(local_bytes(inner + each_other + kernel), sim::stack_bytes);
}

// Lanes that go deeper pass the place where the others wait for them, again and again.
TEST(MachineConvergence, LanesMeetBehindAFunctionThatCallsItself) {
    if (!compile::availability().found || !compile::assembler().found) GTEST_SKIP() << "no NVRTC or ptxas";
    const auto program = machine_code_of(
        "__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }"
        "__global__ void k(int* out) { out[threadIdx.x] = fibonacci(threadIdx.x % 7); }");
    ASSERT_TRUE(program);
    sim::Memory memory;
    const uint64_t out = memory.allocate({.name = "out", .bytes = 256, .element = base::NumberType::i32});
    sim::Launch launch{.grid = {}, .block = {64, 1, 1}, .dynamic_shared_bytes = 0, .parameters = {}};
    launch.parameters.resize(sizeof out);
    std::memcpy(launch.parameters.data(), &out, sizeof out);
    const auto run = sim::run(*program, launch, memory, {});
    ASSERT_TRUE(run) << run.error().sentence();
    EXPECT_TRUE(run->findings.empty());
    constexpr int32_t fibonacci[] = {0, 1, 1, 2, 3, 5, 8};
    int32_t results[64];
    std::memcpy(results, memory.bytes(out).data(), sizeof results);
    for (size_t i = 0; i < 64; ++i) EXPECT_EQ(results[i], fibonacci[i % 7]) << i;
    for (size_t pc = 0; pc < run->counts.size(); ++pc) {
        if (!program->listing->instructions[pc].text.starts_with("STG")) continue;
        EXPECT_EQ(run->counts[pc].executed, 2u) << "by each of the two warps";
    }
}

} // namespace
