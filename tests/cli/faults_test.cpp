// Faults of the machine, as the command line meets them: docs/faults.md.
#include "program.h"

#include "../library_path.h"
#include "base/sanitizer.h"

namespace {
namespace fs = std::filesystem;

using program::Names;
using program::run;

// Where nothing is kept yet: what is in the cache needs no compiler.
std::string with_an_empty_cache(const std::string& name) {
    const fs::path cache = program::folder() / name;
    fs::remove_all(cache);
    return "GEMMSCOPE_CACHE=" + program::quoted(cache.string()) + " ";
}

const Names small_trace{"trace", "naive", "-m", "16", "-n", "16", "-k", "4"};

TEST(Faults, WithoutNvrtcItIsSaidHowToGetIt) {
    const auto result = run(small_trace, with_an_empty_cache("no_nvrtc") + "GEMMSCOPE_NVRTC=/nowhere/libnvrtc.so.13");
    EXPECT_EQ(result.code, 3);
    EXPECT_NE(result.err.find("NVRTC is missing: "), std::string::npos) << result.err;
    EXPECT_NE(result.err.find("gemmscope setup"), std::string::npos) << result.err;
    EXPECT_EQ(run({"list"}, "GEMMSCOPE_NVRTC=/nowhere/libnvrtc.so.13").code, 0) << "which compiles nothing";
}

TEST(Faults, AnotherFileInPlaceOfNvrtcIsSaid) {
    const std::string cache = with_an_empty_cache("wrong_nvrtc");
    const std::string text = program::file("libnvrtc.so.13", "no library");
    const auto result = run(small_trace, cache + "GEMMSCOPE_NVRTC=" + program::quoted(text));
    EXPECT_EQ(result.code, 3);
    EXPECT_NE(result.err.find("NVRTC is missing: "), std::string::npos) << result.err;
    // A library, but not this one: of another version, it may lack a function.
    const auto other = run(small_trace, cache + "GEMMSCOPE_NVRTC=" FAKE_CUDA "/libcuda.so.1");
    EXPECT_EQ(other.code, 3);
    EXPECT_NE(other.err.find("NVRTC has no function nvrtc"), std::string::npos) << other.err;
}

TEST(Faults, NamesThatAreNoUtf8) {
    const fs::path file = program::folder() / "strange \xff\xc3.cu";
    ASSERT_TRUE(base::write_file(file, "__global__ void k(int* x) { x[threadIdx.x + 1] = 1; }\n").ok());
    const Names arguments{"trace", file.string(), "--block", "32", "--arg", "out:i32[32]"};
    const auto text = run(arguments);
    EXPECT_EQ(text.code, 1) << text.err;
    EXPECT_NE(text.err.find("out_of_bounds"), std::string::npos) << text.err;
    Names as_json = arguments;
    as_json.push_back("--json");
    EXPECT_EQ(run(as_json).json()["findings"].size(), 1u);
    fs::rename(file, program::folder() / "\xff.cu");
    EXPECT_EQ(run({"list", "--kernels", program::folder().string()}).code, 0) << "among what cannot be read";
}

// By NTP, by a battery that is empty, by hand: between any two looks at it.
TEST(Faults, TheClockMayJump) {
    if (base::address_sanitizer || base::thread_sanitizer) GTEST_SKIP() << "a sanitizer wants to be the first library";
    const std::string jumping = "LD_PRELOAD=" JUMPING_CLOCK " ";
    const auto shown =
        run({"bench", "naive", "--sizes", "32,64", "--json", "--output", (program::folder() / "jumped.json").string(),
             "--worker", "LD_PRELOAD= exec python3 '" SOURCE_DIR "/tests/gpu/fake_worker.py' good"},
            jumping + with_an_empty_cache("jumping"));
    EXPECT_EQ(shown.code, 0) << shown.err;
    EXPECT_EQ(std::count(shown.out.begin(), shown.out.end(), '\n'), 2);
    const auto traced =
        run({"trace", "naive", "-m", "64", "-n", "64", "-k", "64", "--json"}, jumping + with_an_empty_cache("jumping"));
    EXPECT_EQ(traced.code, 0) << traced.err;
    EXPECT_GE(traced.json()["wall_s"], 0);
    EXPECT_LT(traced.json()["wall_s"], 600);
    EXPECT_EQ(traced.json()["verified"]["passed"], true);
}

} // namespace
