// gemmscope trace: its JSON, and files with their arguments.
#include "program.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <regex>
#include <sstream>

namespace {

using nlohmann::json;
using program::expect_refused;
using program::keys;
using program::Names;
using program::run;

TEST(Trace, JsonIsTheContract) {
    auto result = run({"trace", "double_buffer", "-m", "64", "-n", "96", "-k", "32", "-p", "BM=64", "--json"});
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(result.err, "");
    auto t = result.json();
    EXPECT_EQ(keys(t), (Names{"arch",
                              "block",
                              "blocks",
                              "blocks_compared",
                              "blocks_executed",
                              "breaks",
                              "checks",
                              "counters",
                              "dynamic_shared_bytes",
                              "engine",
                              "engine_fallback",
                              "findings",
                              "global_memory_watched",
                              "grid",
                              "kernel",
                              "operands",
                              "operation",
                              "parameters",
                              "registers",
                              "row_alignment",
                              "schedule",
                              "static_shared_bytes",
                              "thread_instructions",
                              "unset_constants",
                              "verified",
                              "wall_s",
                              "widths"}));
    EXPECT_EQ(t["kernel"], "double_buffer");
    EXPECT_EQ(t["engine"], "machine");
    EXPECT_EQ(t["engine_fallback"], nullptr);
    EXPECT_EQ(t["arch"], "sm_90");
    EXPECT_EQ(t["grid"], json({1, 1, 1}));
    EXPECT_EQ(t["block"], json({128, 1, 1}));
    EXPECT_EQ(t["parameters"]["BM"], 64);
    EXPECT_EQ(t["operands"], "f32");
    EXPECT_EQ(t["row_alignment"], 0);
    EXPECT_TRUE(t["registers"].is_number_integer());
    for (const char* kind : {"shared_load", "shared_store"}) {
        auto& c = t["counters"][kind];
        EXPECT_GT(c["instructions"], 0);
        EXPECT_EQ(c["wavefronts"].get<int>() - c["wavefronts_ideal"].get<int>(), c["wavefronts_excessive"].get<int>());
    }
    EXPECT_EQ(t["counters"]["async_copy"]["instructions"], 0);
    EXPECT_GE(t["counters"]["ffma_thread_instructions"], 64 * 96 * 32);
    EXPECT_EQ(keys(t["verified"]), (Names{"elements_checked", "max_abs_error", "max_rel_error", "passed", "reference",
                                          "rounding", "tolerance"}));
    EXPECT_EQ(t["verified"]["rounding"], 1);
    EXPECT_EQ(t["verified"]["elements_checked"], 64 * 96);
    EXPECT_EQ(t["verified"]["passed"], true);
    EXPECT_EQ(t["checks"], true);
    EXPECT_EQ(t["findings"], json::array());
    EXPECT_EQ(t["schedule"], "in-order");
    EXPECT_EQ(t["global_memory_watched"], true);
    EXPECT_GT(t["thread_instructions"], 64 * 96 * 32);
    EXPECT_GT(t["wall_s"], 0);
}

TEST(Trace, ExecutesTheMachineCodeOrThePtx) {
    for (const char* engine : {"machine", "ptx"}) {
        const auto result =
            run({"trace", "double_buffer", "-m", "64", "-n", "96", "-k", "33", "--engine", engine, "--json"});
        ASSERT_EQ(result.code, 0) << result.err;
        const auto t = result.json();
        EXPECT_EQ(t["engine"], engine);
        EXPECT_EQ(t["engine_fallback"], nullptr);
        EXPECT_EQ(t["verified"]["passed"], true);
        EXPECT_EQ(t["findings"], json::array());
        EXPECT_GT(t["widths"].size(), 2u); // of both, whichever is executed
    }
}

// By the whole kernel: no thread of this run reaches the instruction.
TEST(Trace, FallsBackToThePtxAndSaysWhy) {
    const std::string file = (program::folder() / "heap.cu").string();
    ASSERT_TRUE(base::write_file(file, R"(__global__ void heap(const unsigned* in, unsigned* out, int limit) {
    out[threadIdx.x] = limit > 32 ? *static_cast<unsigned*>(malloc(limit)) : in[threadIdx.x];
})"));
    const auto with = [&](const char* command, const char* engine, std::vector<std::string> more) {
        std::vector<std::string> words{command, file,          "--block", "32",    "--arg",    "in:i32[32]",
                                       "--arg", "out:i32[32]", "--arg",   "i32=0", "--engine", engine};
        words.insert(words.end(), more.begin(), more.end());
        return run(words);
    };
    for (const char* command : {"trace", "check"}) {
        const auto result = with(command, "machine", {"--json"});
        ASSERT_EQ(result.code, 0) << result.err;
        EXPECT_EQ(result.json()["engine"], "ptx");
        const auto why = result.json()["engine_fallback"].get<std::string>();
        EXPECT_TRUE(std::regex_match(
            why, std::regex("address 0x[0-9a-f]{4}, CALL.ABS.NOINC R.*: the engine does not execute calls of malloc")))
            << why;
        const auto text = with(command, "machine", {});
        EXPECT_NE(text.out.find("\nexecuted as PTX: " + why + "\n"), std::string::npos) << text.out;
        EXPECT_EQ(with(command, "ptx", {}).out.find("executed as PTX"), std::string::npos);
    }
}

TEST(Trace, SaysWhereTheCodeComputesOnOtherUnitsThanTheFileSays) {
    std::string text = *base::read_file(SOURCE_DIR "/kernels/dgemm_tensor.cu");
    const std::string line = "tensor_cores = true\n", note = "note: tensor cores multiply, but the file does not say";
    ASSERT_NE(text.find(line), std::string::npos);
    text.erase(text.find(line), line.size());
    program::file("units/dgemm_tensor.cu", text);
    for (const char* command : {"trace", "check"}) {
        const auto told = run({command, "dgemm_tensor", "-k", "16", "--kernels", "units"});
        EXPECT_EQ(told.code, 0) << "the kernel itself is right";
        EXPECT_NE(told.out.find(note), std::string::npos) << told.out;
        const auto shipped = run({command, "dgemm_tensor", "-k", "16"});
        EXPECT_EQ(shipped.out.find("note: "), std::string::npos) << shipped.out;
    }
}

// The counters that docs/json.md promises, each with the numbers that it has, if it has several, in the order of its lines.
std::vector<std::pair<std::string, Names>> promised_counters() {
    const auto page = base::read_file(SOURCE_DIR "/docs/json.md");
    EXPECT_TRUE(page);
    const std::string heading = "| counter | what it counts |\n|---|---|\n";
    std::istringstream rest(page->substr(page->find(heading) + heading.size()));
    std::vector<std::pair<std::string, Names>> promised;
    const std::regex name("`([a-z_]+)`"), row(R"(\| `([a-z_]+)` \| ((?:`[a-z_]+` )*).*)");
    std::smatch found;
    for (std::string text; std::getline(rest, text) && std::regex_match(text, found, row);) {
        const std::string numbers = found[2];
        promised.push_back({found[1], {}});
        for (std::sregex_iterator one(numbers.begin(), numbers.end(), name), end; one != end; ++one)
            promised.back().second.push_back((*one)[1]);
    }
    return promised;
}

// What docs/json.md promises is what there is, in this order.
TEST(Trace, CountersAreThoseOfThePage) {
    const auto result = run({"trace", "naive", "-m", "33", "-n", "17", "-k", "9", "--json"});
    ASSERT_EQ(result.code, 0) << result.err;
    const auto trace = nlohmann::ordered_json::parse(result.out);
    std::vector<std::pair<std::string, Names>> printed;
    for (const auto& [counter, value] : trace["counters"].items()) {
        printed.push_back({counter, {}});
        for (const auto& [number, part] : value.items())
            if (value.is_object()) printed.back().second.push_back(number);
    }
    EXPECT_EQ(printed, promised_counters());
    EXPECT_GE(printed.size(), 10u);
}

// Those that a GPU counts, too, and by which program each was counted here.
TEST(Trace, TextIsForPeople) {
    auto result = run({"trace", "naive", "-m", "33", "-n", "17", "-k", "9"});
    EXPECT_EQ(result.code, 0) << result.err;
    for (const char* part :
         {"naive", "M=33 N=17 K=9", "verified", "  warp instructions\n", "  FP32 FMAs\n",
          "of 561 elements against float64", "\nglobal loads ", "  accesses\n", "  sectors\n", "  excessive\n"})
        EXPECT_NE(result.out.find(part), std::string::npos) << part;
}

// A file may ask for a larger tolerance than others have: that is said where the verdict is read.
TEST(Trace, SaysWhatAVerdictRestsOn) {
    const std::string text = run({"trace", "strassen", "-m", "64", "-n", "64", "-k", "64"}).out;
    EXPECT_NE(text.find(", which the kernel's file makes 2 times as large\n"), std::string::npos) << text;
    EXPECT_EQ(run({"trace", "strassen", "-m", "64", "-n", "64", "-k", "64", "--json"}).json()["verified"]["rounding"],
              2);
    const std::string checked = run({"check", "naive", "-m", "33", "-n", "17", "-k", "9", "--schedule", "seed:7"}).out;
    EXPECT_NE(checked.find("warp instructions, each executed once; warps: shuffled, seed 7"), std::string::npos)
        << checked;
}

// A race and an access out of bounds: without checks only the second is found, and nothing claims that there was no other.
TEST(Trace, WithoutChecks) {
    const std::string file = program::file(
        "both.cu", "__global__ void both(float* x) {\n    __shared__ float s[64];\n    s[threadIdx.x] = 1;\n"
                   "    x[threadIdx.x + 1] = s[63 - threadIdx.x];\n}\n");
    const Names source{file, "--block", "64", "--arg", "out:f32[64]"};
    const auto with = [&](std::initializer_list<std::string> options) {
        Names all{"trace"};
        all.insert(all.end(), source.begin(), source.end());
        all.insert(all.end(), options);
        return run(all);
    };
    const json on = with({"--json"}).json(), off = with({"--json", "--no-checks"}).json();
    EXPECT_EQ(on["checks"], true);
    EXPECT_EQ(off["checks"], false);
    EXPECT_EQ(off["counters"], on["counters"]);
    EXPECT_EQ(on["findings"].size(), 2u) << on["findings"];
    ASSERT_EQ(off["findings"].size(), 1u) << off["findings"];
    EXPECT_EQ(off["findings"][0]["kind"], "out_of_bounds");
    const auto text = with({"--no-checks"});
    EXPECT_EQ(text.code, 1);
    EXPECT_NE(text.out.find("not checked: races"), std::string::npos) << text.out;
    EXPECT_EQ(with({}).out.find("not checked"), std::string::npos);
    expect_refused({"check", "naive", "--no-checks"}, 2, "--no-checks");
}

TEST(Trace, BadSizesAndOptions) {
    expect_refused({"trace", "naive", "-m", "0"}, 2, "M = 0");
    expect_refused({"trace", "naive", "-k", "-3"}, 2, "K = -3");
    expect_refused({"trace", "naive", "-n", "12x"}, 2, "N = 12x is not a whole number");
    expect_refused({"trace", "naive", "-n", "99999999999999999999"}, 2, "N");
    expect_refused({"trace", "naive", "-m", "2147483647", "-n", "2147483647", "-k", "2147483647"}, 2, "memory");
    expect_refused({"trace", "naive", "--engine", "magic"}, 2, "magic");
    expect_refused({"trace", "naive", "--threads", "-1"}, 2, "--threads");
    expect_refused({"trace", "naive", "--seed", "x"}, 2, "--seed");
    expect_refused({"trace", "naive", "--alpha", "nan"}, 2, "alpha");
    expect_refused({"trace", "naive", "--alpha", "1e300"}, 2,
                   "alpha = 1e+300 is not finite as the float that the kernel takes");
    expect_refused({"trace", "naive", "--beta", "-1e39"}, 2, "beta = -1e+39 is not finite");
    expect_refused({"trace", "naive", "--grid", "1,1,1"}, 2, "--grid");
    expect_refused({"trace", "naive", "--arg", "i32=1"}, 2, "--arg");
    expect_refused({"trace", "nothing_like_it"}, 2, "gemmscope list");
    expect_refused({"trace", ""}, 2, "");
}

const char* const scale_cu = R"(
template <class T, int FACTOR>
__global__ void scale(int n, const T* in, T* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * FACTOR * EXTRA;
}
)";

std::vector<std::string> scale_arguments(const std::string& file) {
    return {"trace",   file,     "--entry", "scale<float, 4>", "-D",    "EXTRA=2",     "--grid", "4",
            "--block", "32,1,1", "--arg",   "i32=100",         "--arg", "in:f32[100]", "--arg",  "out:f32[100]"};
}

TEST(Trace, AFileWithItsArguments) {
    const std::string file = program::file("scale.cu", scale_cu);
    auto arguments = scale_arguments(file);
    const std::string in = (program::folder() / "in.raw").string(), out = (program::folder() / "out.raw").string();
    for (const std::string& word : {std::string("--json"), std::string("--dump"), std::string("1"), in,
                                    std::string("--dump"), std::string("2"), out})
        arguments.push_back(word);
    auto result = run(arguments);
    ASSERT_EQ(result.code, 0) << result.err;
    auto t = result.json();
    EXPECT_EQ(t["kernel"], file);
    EXPECT_EQ(t["verified"], nullptr);
    EXPECT_EQ(t["grid"], json({4, 1, 1}));
    EXPECT_EQ(t["counters"]["global_load"]["instructions"], 4);
    std::vector<float> a(100), b(100);
    std::ifstream(in, std::ios::binary).read(reinterpret_cast<char*>(a.data()), 400);
    std::ifstream(out, std::ios::binary).read(reinterpret_cast<char*>(b.data()), 400);
    EXPECT_EQ(std::filesystem::file_size(out), 400u);
    for (size_t i = 0; i < 100; ++i) EXPECT_EQ(b[i], a[i] * 8) << i;
    EXPECT_NE(a[0], a[1]);
}

TEST(Trace, AStructIsItsMembersInBraces) {
    const std::string file = program::file("struct.cu", R"(
struct Line {
    char skipped;
    const float* in;
    short first;
    int n;
    float* out;
    float factor;
};
__global__ void line(float plus, Line line) {
    int i = line.first + threadIdx.x;
    if (i < line.n) line.out[i] = line.in[i] * line.factor + plus;
}

)");
    const std::string in = (program::folder() / "in.raw").string(), out = (program::folder() / "out.raw").string();
    const std::vector<std::string> common{"trace", file, "--block", "32", "--arg", "f32=0.5", "--arg"};
    const auto with = [&](std::initializer_list<std::string> more) {
        auto all = common;
        all.insert(all.end(), more);
        return all;
    };
    const auto result =
        run(with({"{i8=-1,in:f32[32],i16=2,i32=30,out:f32[32],f32=-3}", "--dump", "2", in, "--dump", "5", out}));
    ASSERT_EQ(result.code, 0) << result.err;
    std::vector<float> a(32), b(32);
    std::ifstream(in, std::ios::binary).read(reinterpret_cast<char*>(a.data()), 128);
    std::ifstream(out, std::ios::binary).read(reinterpret_cast<char*>(b.data()), 128);
    for (size_t i = 0; i < 32; ++i) EXPECT_EQ(b[i], i >= 2 && i < 30 ? std::fma(a[i], -3.f, 0.5f) : 0) << i;
    expect_refused(with({"{i8=-1,in:f32[32],i16=2,i32=30,out:f32[32]}"}), 2,
                   "argument 1 of the kernel has 40 bytes and the value given has 32");
    expect_refused(with({"i32=1"}), 2, "give a struct's members in braces");
    expect_refused(with({"{i8=-1,in:f32[32],i16=2,i32=30,out:f32[32],f32=-3}", "--arg", "i32=1"}), 2,
                   "takes 2 arguments and 3 were given");
    for (const char* slip : {"{}", "{", "{i32=1", "{i32=1,}", "{i32=1,{i32=2}}"})
        expect_refused(with({slip}), 2, "is not an argument");
    expect_refused(with({"{i8=200}"}), 2, "out of range");
}

// Whatever GPU would finish it in a second, or never: nobody waits for it here.
TEST(Trace, ALaunchTooLargeToExecuteIsRefused) {
    const std::string one =
        program::file("one.cu", "__global__ void one(float* x) {\n    if (blockIdx.x == 0) x[threadIdx.x] = 1;\n}\n");
    expect_refused({"trace", one, "--grid", "2147483647,65535,65535", "--block", "32", "--arg", "out:f32[32]"}, 2,
                   "years on this machine; choose a smaller --grid");
    EXPECT_EQ(run({"trace", one, "--grid", "50000", "--block", "32", "--arg", "out:f32[32]"}).code, 0);
    const std::string endless =
        program::file("endless.cu", "__global__ void endless(volatile float* x) {\n    while (x[0] == 0) {}\n}\n");
    auto found = run({"check", endless, "--grid", "2000000000", "--block", "32", "--arg", "out:f32[32]", "--json"});
    EXPECT_EQ(found.code, 1) << found.err;
    EXPECT_EQ(found.json()["findings"][0]["kind"], "endless_loop");
}

TEST(Trace, EndsOnCtrlCWithASentence) {
    const std::string command =
        "timeout -s INT 3 " + program::quoted(GEMMSCOPE) + " trace naive -m 3000 -n 3000 -k 3000 --blocks all 2>&1";
    FILE* pipe = popen(command.c_str(), "r");
    ASSERT_NE(pipe, nullptr);
    std::string said;
    for (int c; (c = std::fgetc(pipe)) != EOF;) said += static_cast<char>(c);
    EXPECT_NE(pclose(pipe), 0);
    EXPECT_NE(said.find("stopped by Ctrl-C after"), std::string::npos) << said;
}

TEST(Trace, AKernelOfTheCatalogueWithOtherArgumentsIsToldWhichItTakes) {
    std::string text = *base::read_file(SOURCE_DIR "/kernels/naive.cu");
    const size_t end = text.find("float* C)");
    ASSERT_NE(end, std::string::npos);
    program::file("more/naive.cu", text.insert(end + 8, ", int extra"));
    const std::string file = (program::folder() / "more/naive.cu").string();
    expect_refused({"trace", file, "-m", "64"}, 2, "takes 9 arguments");
    expect_refused({"trace", file, "-m", "64"}, 2, "declare the kernel as naive(int M, int N, int K, float alpha,");
    EXPECT_EQ(run({"trace", file, "-m", "64"}).err.find("--arg"), std::string::npos);
}

// A measurement has no sixteen digits.
TEST(Trace, FractionsHaveSixSignificantDigits) {
    auto result = run({"trace", "naive", "-m", "32", "-n", "32", "-k", "32", "--json"});
    for (size_t at = result.out.find('.'); at != std::string::npos; at = result.out.find('.', at + 1)) {
        const size_t end = std::min(result.out.find_first_not_of("0123456789", at + 1), result.out.size());
        const size_t first = std::min(result.out.find_first_not_of('0', at + 1), end);
        EXPECT_LE(end - first, 6u) << result.out.substr(at - 1, end - at + 1);
    }
}

TEST(Trace, APtxFile) {
    const std::string cu = program::file("scale.cu", scale_cu), ptx = (program::folder() / "scale.ptx").string();
    ASSERT_EQ(run({"compile", cu, "--entry", "scale<float, 4>", "-D", "EXTRA=2", "-o", ptx}).code, 0);
    auto result = run({"trace", ptx, "--grid", "4,1,1", "--block", "32", "--arg", "i32=100", "--arg", "in:f32[100]",
                       "--arg", "out:f32[100]", "--json"});
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(result.json()["registers"], nullptr); // not known without machine code
    EXPECT_EQ(result.json()["counters"]["global_store"]["instructions"], 4);
    expect_refused({"compile", ptx}, 2, "PTX already");
    expect_refused({"trace", program::file("junk.ptx", "not ptx"), "--block", "1"}, 2, "junk.ptx: no .version");
}

TEST(Trace, SlipsWithAFile) {
    const std::string file = program::file("scale.cu", scale_cu);
    auto with = [&](std::vector<std::string> more) {
        std::vector<std::string> all{"trace", file, "--entry", "scale<float, 4>", "-D", "EXTRA=2"};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    };
    expect_refused(with({}), 2, "--block");
    expect_refused(with({"--block", "32,0"}), 2, "--block");
    expect_refused(with({"--block", "1,2,3,4"}), 2, "more than three");
    expect_refused(with({"--block", "32", "--arg", "i32=1"}), 2, "takes 3 arguments and 1 were given");
    expect_refused(with({"--block", "32", "--arg", "f64=1", "--arg", "in:f32[1]", "--arg", "out:f32[1]"}), 2,
                   "argument 0");
    expect_refused(with({"--block", "32", "--arg", "i33=1"}), 2, "i33=1");
    expect_refused(with({"--block", "32", "--arg", "in:f32[0]"}), 2, "f32[0]");
    expect_refused(with({"--block", "32", "--arg", "in:f32[1000000000000]"}), 2, "memory");
    expect_refused(with({"--block", "32", "--arg", "i32=99999999999"}), 2, "out of range");
    expect_refused(with({"--block", "2048", "--arg", "i32=1", "--arg", "in:f32[1]", "--arg", "out:f32[1]"}), 2, "1024");
    expect_refused(with({"-p", "BM=1"}), 2, "-p");
    expect_refused(with({"--block", "1", "--dynamic-shared", "-1"}), 2, "--dynamic-shared");
    auto dump = scale_arguments(file);
    dump.insert(dump.end(), {"--dump", "0", "x.raw"});
    expect_refused(dump, 2, "argument 0 is not a buffer");
    expect_refused({"trace", program::folder().string() + "/"}, 2, program::folder().string());
}

TEST(Trace, BuffersStartAsAFileHasThem) {
    const std::string file = program::file(
        "copy.cu", "__global__ void copy(const int* in, int* out) { out[threadIdx.x] = in[31 - threadIdx.x]; }\n");
    const std::string bytes(128, '\x01'),
        there = program::file("in.raw", bytes.substr(4) + std::string("\x02\0\0\0", 4));
    const auto with = [&](const std::string& in) {
        return Names{"trace", file, "--block", "32", "--arg", in, "--arg", "out:i32[32]", "--dump", "1", "out.raw"};
    };
    ASSERT_EQ(run(with("in:i32[32]=" + there)).code, 0);
    EXPECT_EQ(*base::read_file(program::folder() / "out.raw"), std::string("\x02\0\0\0", 4) + bytes.substr(4));
    expect_refused(with("in:i32[33]=" + there), 2, "has 128 bytes and --arg in:i32[33] has 132");
    expect_refused(with("in:i32[32]=nowhere.raw"), 2, "nowhere.raw");
    expect_refused(with("out:i32[32]=" + there), 2, "is not an argument");
}

// What only host code fills is zero here, which is said, with the way to fill it.
TEST(Trace, ConstantMemoryThatNobodyFilled) {
    const std::string file = program::file(
        "taps.cu", "__constant__ float taps[2], unused[2];\n__device__ int offset;\n__constant__ float one = 1;\n"
                   "__global__ void k(float* out) { out[threadIdx.x] = taps[offset] * one; }\n");
    const auto with = [&](const Names& more) {
        Names all{"trace", file, "--block", "32", "--arg", "out:f32[32]"};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    };
    EXPECT_NE(run(with({})).out.find("note: taps is __constant__ and zero here"), std::string::npos);
    EXPECT_EQ(run(with({"--json"})).json()["unset_constants"], json({"taps"}));
    EXPECT_EQ(run(with({"--symbol", "taps=in:f32[2]", "--json"})).json()["unset_constants"], json::array());
    expect_refused(with({"--symbol", "tap=f32=1"}), 2,
                   "there is no __constant__ or __device__ variable tap; choose among");
    expect_refused(with({"--symbol", "taps=f32=1"}), 2, "taps has 8 bytes and the value given has 4");
    expect_refused(with({"--symbol", "taps"}), 2, "is not NAME=ARG");
    expect_refused({"trace", "naive", "--symbol", "taps=f32=1"}, 2, "--symbol");
    const std::string one_two = program::file("taps.raw", std::string("\0\0\x80\x3f\0\0\0\x40", 8));
    ASSERT_EQ(
        run(with({"--symbol", "offset=i32=1", "--symbol", "taps=in:f32[2]=" + one_two, "--dump", "0", "out.raw"})).code,
        0);
    EXPECT_EQ(base::read_file(program::folder() / "out.raw")->substr(124), std::string("\0\0\0\x40", 4));
}

} // namespace
