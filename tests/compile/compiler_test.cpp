#include "base/file.h"
#include "compile/compiler.h"
#include "compile/nvrtc_library.h"
#include "scratch.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <thread>

namespace {
namespace fs = std::filesystem;

const char* const scale = "extern \"C\" __global__ void scale(float a, float* x) {\n  x[threadIdx.x] *= a;\n}\n";

class Compiler : public testing::Test {
protected:
    void SetUp() override {
        auto found = compile::availability();
        ASSERT_TRUE(found.found) << found.reason;
    }
    static compile::Source source(std::string text, std::string entry = {}, std::string arch = "sm_90") {
        return {std::move(text), "test.cu", std::move(entry), {}, std::move(arch)};
    }
    size_t entries() const {
        std::error_code absent;
        return static_cast<size_t>(std::distance(fs::directory_iterator(folder.path() / "compile", absent), {}));
    }
    scratch::Folder folder;
};

TEST_F(Compiler, GivesPtxWithLines) {
    auto ptx = compile::to_ptx(source(scale));
    ASSERT_TRUE(ptx.value) << ptx.failed->error.sentence();
    EXPECT_EQ(ptx.value->entry, "scale");
    EXPECT_NE(ptx.value->text.find(".visible .entry scale("), std::string::npos);
    EXPECT_NE(ptx.value->text.find(".target sm_90"), std::string::npos);
    EXPECT_NE(ptx.value->text.find(".loc\t1 2"), std::string::npos) << "no line information";
    EXPECT_EQ(ptx.value->text.find('\0'), std::string::npos);
    EXPECT_TRUE(ptx.value->warnings.empty());
}

TEST_F(Compiler, InstantiatesTemplates) {
    const std::string text =
        "namespace ns { template <class T, int N> __global__ void fill(T* x) { x[threadIdx.x] = N; } }\n";
    auto ptx = compile::to_ptx(source(text, "ns::fill<float, 4>"));
    ASSERT_TRUE(ptx.value) << ptx.failed->error.sentence();
    EXPECT_EQ(ptx.value->entry, "_ZN2ns4fillIfLi4EEEvPT_");
    auto code = compile::to_machine_code(source(text, "ns::fill<float, 4>"));
    ASSERT_TRUE(code.value) << code.failed->error.sentence();
    EXPECT_EQ(code.value->entry, ptx.value->entry);
    EXPECT_FALSE(compile::to_ptx(source(text)).value) << "a template without arguments is no kernel";
}

TEST_F(Compiler, ListsKernelsAsTheyAreChosen) {
    const std::string text =
        "namespace ns { template <class T, int N> __global__ void fill(T* x, void (*f)(int)) { x[0] = N; } }\n"
        "template __global__ void ns::fill<float, 4>(float*, void (*)(int));\n"
        "__global__ void plain(float* x) { x[0] = 1; }\n"
        "extern \"C\" __global__ void c_name(float* x) { x[0] = 1; }\n";
    auto several = compile::to_ptx(source(text));
    ASSERT_FALSE(several.value);
    const std::string& todo = several.failed->error.todo.english();
    for (const char* name : {"ns::fill<float, 4>", "plain", "c_name"}) {
        EXPECT_NE(todo.find(name), std::string::npos) << todo;
        EXPECT_TRUE(compile::to_ptx(source(text, name)).value) << name;
    }
    EXPECT_EQ(todo.find("_Z"), std::string::npos) << todo;
}

TEST_F(Compiler, DefinesIncludesAndConstexprHelpers) {
    auto with = source("#include <cuda_fp16.h>\nconstexpr int twice(int n) { return 2 * n; }\n"
                       "__global__ void half_sum(__half* x) { x[0] = x[twice(SIZE)] + x[1]; }");
    with.defines = {"SIZE=21"};
    auto ptx = compile::to_ptx(with);
    ASSERT_TRUE(ptx.value) << ptx.failed->error.sentence();
    EXPECT_NE(ptx.value->text.find("+84]"), std::string::npos) << "42 elements of 2 bytes";
    with.defines = {"SIZE=22"};
    EXPECT_NE(compile::to_ptx(with).value->text.find("+88]"), std::string::npos) << "another define is another result";
}

TEST_F(Compiler, MachineCodeForEveryArchitecture) {
    auto names = compile::availability().architectures;
    for (const char* needed : {"sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_120"})
        EXPECT_NE(std::find(names.begin(), names.end(), needed), names.end()) << needed;
    for (const std::string& arch : names) {
        auto code = compile::to_machine_code(source(scale, {}, arch));
        ASSERT_TRUE(code.value) << arch << ": " << code.failed->error.sentence();
        EXPECT_EQ(code.value->arch, arch);
        ASSERT_GT(code.value->cubin.size(), 64u);
        EXPECT_EQ(std::to_integer<char>(code.value->cubin[1]), 'E') << "ELF";
        EXPECT_GT(code.value->resources.registers, 3);
    }
}

TEST_F(Compiler, ResourcesAreTheKernelsOwn) {
    const std::string text =
        "extern __shared__ float dynamic[];\n"
        "__global__ void shared(float* x) {\n  __shared__ float s[1000];\n  s[threadIdx.x] = x[threadIdx.x];\n"
        "  __syncthreads();\n  x[threadIdx.x] = s[999 - threadIdx.x] + dynamic[3];\n}\n"
        "template <int N> __global__ void __launch_bounds__(1024, 2) spill(float* x) {\n  float v[N];\n"
        "  for (int i = 0; i < N; ++i) v[i] = x[i * N + threadIdx.x];\n"
        "  for (int r = 0; r < 5; ++r)\n    for (int i = 0; i < N; ++i) v[i] = v[(i * 7) % N] * v[i] + x[r];\n"
        "  float s = 0;\n  for (int i = 0; i < N; ++i) s += v[i] * x[i];\n  x[threadIdx.x] = s;\n}\n";
    for (const char* arch : {"sm_75", "sm_90"}) {
        auto shared = compile::to_machine_code(source(text, "shared", arch));
        ASSERT_TRUE(shared.value) << shared.failed->error.sentence();
        EXPECT_EQ(shared.value->resources.static_shared_bytes, 4000u) << arch;
        EXPECT_EQ(shared.value->resources.spill_store_bytes, 0u);
    }
    auto spill = compile::to_machine_code(source(text, "spill<100>"));
    ASSERT_TRUE(spill.value) << spill.failed->error.sentence();
    EXPECT_EQ(spill.value->resources.registers, 32) << "65536 registers for 2 blocks of 1024 threads";
    EXPECT_GT(spill.value->resources.spill_store_bytes, 0u);
    EXPECT_GT(spill.value->resources.spill_load_bytes, 0u);
    EXPECT_GE(spill.value->resources.stack_bytes, 400u);
}

TEST_F(Compiler, ErrorsStandAtTheirLines) {
    auto failed =
        compile::to_ptx(source("__global__ void k(float* x) {\n  x[0] = y;\n  int unused;\n  x[1] = z;\n}\n")).failed;
    ASSERT_TRUE(failed);
    EXPECT_EQ(failed->error.sentence(), "test.cu:2: identifier \"y\" is undefined; include what declares it, "
                                        "or give the file that includes this one; 1 more error follows");
    ASSERT_EQ(failed->diagnostics.size(), 3u);
    EXPECT_EQ(failed->diagnostics[1].line, 4);
    EXPECT_FALSE(failed->diagnostics[2].error);
    EXPECT_EQ(failed->diagnostics[2].line, 3);
    EXPECT_EQ(entries(), 0u) << "a failure is not cached";
}

TEST_F(Compiler, WarningsComeWithTheResultAlsoFromTheCache) {
    auto warned = source("__global__ void k(float* x) {\n  int unused;\n}\n");
    for (int i = 0; i < 2; ++i) {
        auto ptx = compile::to_ptx(warned);
        ASSERT_TRUE(ptx.value);
        ASSERT_EQ(ptx.value->warnings.size(), 1u);
        EXPECT_EQ(ptx.value->warnings[0].line, 2);
        EXPECT_FALSE(ptx.value->warnings[0].error);
    }
    EXPECT_EQ(entries(), 1u);
}

struct Bad {
    const char *text, *entry, *arch, *said;
};
class BadInput : public Compiler, public testing::WithParamInterface<Bad> {};

TEST_P(BadInput, IsASentence) {
    const Bad& bad = GetParam();
    for (bool machine_code : {false, true}) {
        auto input = source(bad.text, bad.entry, bad.arch);
        auto failed = machine_code ? compile::to_machine_code(input).failed : compile::to_ptx(input).failed;
        ASSERT_TRUE(failed);
        EXPECT_NE(failed->error.sentence().find(bad.said), std::string::npos) << failed->error.sentence();
        EXPECT_FALSE(failed->diagnostics.empty());
        EXPECT_EQ(failed->error.failure, base::Failure::usage);
    }
}

INSTANTIATE_TEST_SUITE_P(
    Compiler, BadInput,
    testing::Values(Bad{"", "", "sm_90", "there is no kernel"}, Bad{"}", "", "sm_90", "test.cu:1"},
                    Bad{"\xff\xfe\x01", "", "sm_90", "test.cu"},
                    Bad{"__global__ void a() {}\n__global__ void b() {}", "", "sm_90", "there are 2 kernels"},
                    Bad{scale, "nosuch", "sm_90", "\"nosuch\" is undefined"}, Bad{scale, "scale<", "sm_90", "expected"},
                    Bad{"__device__ int f() { return 1; }", "f", "sm_90", "non-__global__ function"},
                    Bad{scale, "", "sm_10", "choose among sm_"},
                    Bad{scale, "ns::scale<4>", "sm_90", "--entry 'ns::scale<4>': "},
                    Bad{scale, "nosuch", "sm_90", "the file has scale"},
                    Bad{"__global__ void later(float* x);\nvoid run() { later<<<1, 1>>>(nullptr); }", "", "sm_90",
                        "test.cu:1: later is only declared; give the file that defines it"},
                    Bad{"__global__ void k(float* x) { x[0] = __shfl_down(x[0], 1); }", "", "sm_90",
                        "-D '__shfl_down(...)=__shfl_down_sync(0xffffffff,__VA_ARGS__)'"},
                    Bad{"__global__ void k(float* x) { x[0] = TILE; }", "", "sm_90", "give its value, -D TILE=VALUE"},
                    Bad{scale, "", "", "does not compile for"}, Bad{scale, "", "sm_90x", "does not compile for"},
                    Bad{scale, "", "sm_-90", "does not compile for"},
                    Bad{scale, "", "gfx90a", "does not compile for"}));

TEST_F(Compiler, TellsOverloadsApart) {
    const std::string text = "__global__ void k(float* x) { x[0] = 1; }\n__global__ void k(int* x) { x[0] = "
                             "2; }\nextern \"C\" __global__ void c(int* x) { x[0] = 3; }\n";
    auto several = compile::to_ptx(source(text)).failed;
    ASSERT_TRUE(several);
    for (const char* choice : {"static_cast<void (*)(float*)>(k)", "static_cast<void (*)(int*)>(k)", "c"}) {
        EXPECT_NE((several->error.todo.english() + ",").find(std::string(choice) + ","), std::string::npos)
            << several->error.todo.english();
        EXPECT_TRUE(compile::to_ptx(source(text, choice)).value) << choice;
    }
    auto which = compile::to_ptx(source(text, "k")).failed;
    ASSERT_TRUE(which);
    EXPECT_NE(which->error.todo.english().find("static_cast<void (*)(float*)>(k)"), std::string::npos)
        << which->error.todo.english();
}

// A kernel that cannot be compiled is no reason to refuse another one of the file.
TEST_F(Compiler, LeavesOutKernelsThatWereNotAskedFor) {
    const std::string text = "__global__ void child(float* x) { x[threadIdx.x] = 1; }\n__global__ void "
                             "parent(float* x) { child<<<1, 32>>>(x); }\n";
    EXPECT_TRUE(compile::to_ptx(source(text, "child")).value);
    auto failed = compile::to_ptx(source(text, "parent")).failed;
    ASSERT_TRUE(failed);
    EXPECT_NE(failed->error.sentence().find("test.cu:2: "), std::string::npos) << failed->error.sentence();
    EXPECT_NE(failed->error.todo.english().find("kernels that launch kernels are not executed"), std::string::npos)
        << failed->error.todo.english();
}

// What nvcc accepts and newer C++, or NVRTC by itself, does not.
TEST_F(Compiler, TakesWhatNvccBrings) {
    auto old = source("#include <cstdint>\n__global__ void k(unsigned long long* x) {\n  register unsigned "
                      "long long most = SIZE_MAX;\n  x[threadIdx.x] = most - INT32_MAX;\n}\n");
    auto ptx = compile::to_ptx(old);
    EXPECT_TRUE(ptx.value) << ptx.failed->error.sentence();
    auto transformed = source("#include <cufft.h>\n__global__ void scale(cufftComplex* x) {\n  "
                              "cudaGridDependencySynchronize();\n  x[threadIdx.x].y *= M_SQRT1_2;\n}\n");
    EXPECT_TRUE(compile::to_ptx(transformed).value);
    auto shuffles = source("__global__ void k(float* x) { x[0] += __shfl_down(x[0], 1); }");
    shuffles.defines = {"__shfl_down(...)=__shfl_down_sync(0xffffffff,__VA_ARGS__)"};
    EXPECT_TRUE(compile::to_ptx(shuffles).value) << "as the message says";
}

TEST_F(Compiler, OptionsDoNotSlipInThroughDefines) {
    auto odd = source(scale);
    odd.defines = {"=", "1X=2"};
    EXPECT_TRUE(compile::to_ptx(odd).failed);
}

TEST_F(Compiler, TheCacheSkipsNvrtcAndSurvivesDamage) {
    auto first = compile::to_ptx(source(scale));
    ASSERT_TRUE(first.value);
    ASSERT_EQ(entries(), 1u);
    fs::path file = fs::directory_iterator(folder.path() / "compile")->path();
    const std::string stored = *base::read_file(file);
    EXPECT_EQ(compile::to_ptx(source(scale)).value->text, first.value->text);
    EXPECT_EQ(entries(), 1u);

    ASSERT_TRUE(base::write_file(file, stored.substr(0, stored.size() / 2)).ok());
    EXPECT_EQ(compile::to_ptx(source(scale)).value->text, first.value->text);
    EXPECT_EQ(*base::read_file(file), stored) << "compiled again and stored again";
    EXPECT_EQ(entries(), 1u);
}

TEST_F(Compiler, ResourcesAreCachedToo) {
    auto fresh = compile::to_machine_code(source(scale)), cached = compile::to_machine_code(source(scale));
    ASSERT_TRUE(fresh.value && cached.value);
    EXPECT_EQ(cached.value->resources.registers, fresh.value->resources.registers);
    EXPECT_EQ(cached.value->cubin, fresh.value->cubin);
    EXPECT_EQ(cached.value->entry, "scale");
}

TEST_F(Compiler, AChangedIncludedFileIsCompiledAgain) {
    auto write = [&](const std::string& name, const std::string& text) {
        ASSERT_TRUE(base::write_file(folder.path() / name, text).ok());
    };
    write("own/outer.h", " # include \"deep/inner.h\"\n");
    write("own/deep/inner.h", "#define FACTOR 3\n");
    auto including = source("#include \"outer.h\"\n__global__ void k(int* x) { x[0] = FACTOR; }\n");
    including.name = (folder.path() / "own/test.cu").string();
    auto before = compile::to_ptx(including);
    ASSERT_TRUE(before.value) << before.failed->error.sentence();
    write("own/deep/inner.h", "#define FACTOR 4\n");
    auto after = compile::to_ptx(including);
    ASSERT_TRUE(after.value);
    EXPECT_NE(before.value->text, after.value->text);
    write("own/deep/inner.h", "#include \"inner.h\"\n#include \"../outer.h\"\n");
    EXPECT_FALSE(compile::to_ptx(including).value) << "files that include each other end in an error";
}

TEST(Nvrtc, BringsTheBuiltInFunctionsThatLieBesideIt) {
    auto nvrtc = compile::Nvrtc::load();
    ASSERT_TRUE(nvrtc) << nvrtc.error().sentence();
    const std::string name = "libnvrtc-builtins.so." + nvrtc->facts().version;
    const fs::path beside = fs::path(nvrtc->facts().path).replace_filename(name);
    if (!fs::exists(beside)) GTEST_SKIP() << "no " << beside;
    EXPECT_TRUE(::dlopen(name.c_str(), RTLD_LAZY | RTLD_NOLOAD))
        << "NVRTC asks for it by this name, and " << beside << " is not loaded";
}

TEST_F(Compiler, SeveralThreadsAtOnce) {
    std::vector<std::jthread> threads;
    std::atomic<int> good = 0;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&, i] {
            auto ptx = compile::to_ptx(
                source("template <int N> __global__ void k(int* x) { x[0] = N; }", "k<" + std::to_string(i) + ">"));
            good += ptx.value && ptx.value->text.find(", " + std::to_string(i) + ";") != std::string::npos;
        });
    threads.clear();
    EXPECT_EQ(good, 4);
    compile::warm_up();
}

} // namespace
