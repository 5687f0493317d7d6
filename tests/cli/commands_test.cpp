// Every sub-command, through the real binary. Names of fields are a contract: other people's scripts read them.
#include "program.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>
#include <set>

namespace {

using nlohmann::json;
using program::expect_refused;
using program::run;

std::vector<std::string> keys(const json& object) {
    std::vector<std::string> names;
    for (const auto& [name, value] : object.items()) names.push_back(name);
    std::sort(names.begin(), names.end());
    return names;
}
using Names = std::vector<std::string>;

TEST(Cli, HelpNamesEveryCommand) {
    auto help = run({"--help"});
    EXPECT_EQ(help.code, 0);
    for (const char* command : {"list", "show", "compile", "trace", "check", "wavefronts", "occupancy",
                                "bench", "tune", "device", "render", "doctor", "worker"}) {
        EXPECT_NE(help.out.find(std::string("  ") + command), std::string::npos) << command;
        EXPECT_EQ(run({command, "--help"}).code, 0) << command;
    }
}

TEST(Cli, UnknownCommandsAndOptionsAreSaid) {
    expect_refused({"trase"}, 2, "did you mean trace?");
    expect_refused({"list", "--jason"}, 2, "--jason");
    expect_refused({"--frobnicate"}, 2, "--frobnicate");
    expect_refused({"trace"}, 2, "SRC");
    expect_refused({"list", "--kernels", "/does/not/exist"}, 2, "/does/not/exist is not a folder");
    expect_refused({"list", "--lang", "fr"}, 2, "--lang");
}

TEST(List, HasTheLadderAndReferences) {
    auto result = run({"list", "--json"});
    ASSERT_EQ(result.code, 0) << result.err;
    std::vector<std::string> ladder;
    bool reference = false;
    for (const auto& row : result.json()) {
        for (const char* field : {"id", "title", "family", "provenance", "parameters"}) EXPECT_TRUE(row.contains(field)) << field;
        if (row["family"] == "ladder") ladder.push_back(row["id"]);
        reference |= row["family"] == "reference";
    }
    EXPECT_GE(ladder.size(), 6u);
    for (const char* id : {"naive_uncoalesced", "naive", "shared_tile", "register_tile", "conflict_free", "double_buffer"}) {
        EXPECT_NE(std::find(ladder.begin(), ladder.end(), id), ladder.end()) << id;
    }
    EXPECT_TRUE(reference);
    auto text = run({"list"});
    EXPECT_EQ(text.code, 0);
    EXPECT_NE(text.out.find("double_buffer"), std::string::npos);
    EXPECT_NE(run({"list", "--lang", "zh"}).out.find("双缓冲"), std::string::npos);
}

TEST(List, GroupsByFamily) {
    const std::string head = "/* gemmscope\nfamily = \"binary\"\n[launch]\nblock = [32]\ngrid = [1]\n*/\n";
    program::file("families/bits.cu", head + "__global__ void bits() {}\n");
    const std::string folder = (program::folder() / "families").string();
    std::vector<std::string> families;
    for (const auto& row : run({"list", "--json", "--kernels", folder}).json())
        if (families.empty() || families.back() != row["family"]) families.push_back(row["family"]);
    EXPECT_EQ(families.front(), "ladder");
    EXPECT_EQ(families.back(), "reference");
    EXPECT_EQ(std::count(families.begin(), families.end(), "binary"), 1);
    EXPECT_EQ(std::set<std::string>(families.begin(), families.end()).size(), families.size()) << "each stands together";
    const std::string text = run({"list", "--lang", "zh", "--kernels", folder}).out;
    const size_t heading = text.find("\n二值矩阵 (binary)\n"), bits = text.find(" bits ");
    ASSERT_NE(heading, std::string::npos) << text;
    EXPECT_LT(text.find(" double_buffer "), heading);
    EXPECT_LT(heading, bits);
    EXPECT_LT(bits, text.find("(reference)"));
}

TEST(List, SearchSaysWhy) {
    const auto found = [](const char* text) {
        std::map<std::string, std::pair<std::string, std::string>> rows;
        for (const auto& row : run({"list", "--json", "--search", text}).json())
            rows[row["id"]] = {row["found"][0]["in"], row["found"][0]["word"]};
        return rows;
    };
    const auto copies = found("LDGSTS");
    ASSERT_TRUE(copies.contains("async_copy"));
    EXPECT_EQ(copies.at("async_copy").first, "machine code");
    EXPECT_FALSE(copies.contains("naive"));
    EXPECT_EQ(found("double_buffer").at("double_buffer"),
              std::pair(std::string("name"), std::string("double_buffer")));
    EXPECT_TRUE(found("no such word").empty());
    const std::string text = run({"list", "--search", "双缓冲"}).out;
    EXPECT_NE(text.find("title: 双缓冲"), std::string::npos) << text;
    EXPECT_EQ(text.find("References"), std::string::npos) << "they are series, not kernels";
    EXPECT_NE(run({"list", "--search", "no such word"}).out.find("no kernel has no such word"),
              std::string::npos);
}

TEST(List, ABrokenKernelFileLeavesTheRest) {
    program::file("mine/broken.cu", "/* gemmscope\nfamily = \n*/\n__global__ void broken() {}\n");
    auto result = run({"list", "--kernels", (program::folder() / "mine").string()});
    EXPECT_EQ(result.code, 0);
    EXPECT_NE(result.out.find("double_buffer"), std::string::npos);
    EXPECT_NE(result.err.find("broken.cu:2"), std::string::npos) << result.err;
}

TEST(Show, ParametersRulesLaunchStory) {
    auto result = run({"show", "double_buffer", "-p", "BM=64"});
    ASSERT_EQ(result.code, 0) << result.err;
    for (const char* part : {"BM", "64", "of 16 32 64 128 256", "Rules", "grid", "block", "2 x 4"}) EXPECT_NE(result.out.find(part), std::string::npos) << part;
    auto shown = run({"show", "double_buffer", "-p", "BM=64", "--json"}).json();
    EXPECT_EQ(shown["values"]["BM"], 64);
    EXPECT_EQ(shown["grid"], json({2, 4, 1}));
    EXPECT_FALSE(shown["rules"].empty());
    EXPECT_NE(run({"show", "naive", "--lang", "zh"}).out, run({"show", "naive"}).out);
    expect_refused({"show", "nave"}, 2, "did you mean naive?");
    expect_refused({"show", "naive", "-p", "BM"}, 2, "NAME=VALUE");
    expect_refused({"show", "double_buffer", "-p", "BM=sixty"}, 2, "not a whole number");
    expect_refused({"show", "double_buffer", "-p", "BM=65"}, 2, "BM");
    expect_refused({"show", "double_buffer", "-p", "QQ=1"}, 2, "QQ");
}

TEST(Compile, SaysWhatTheKernelNeeds) {
    auto result = run({"compile", "double_buffer", "--json"});
    ASSERT_EQ(result.code, 0) << result.err;
    auto compiled = result.json();
    EXPECT_GT(compiled["registers"], 64);
    EXPECT_GT(compiled["static_shared_bytes"], 8000);
    EXPECT_EQ(compiled["spill_store_bytes"], 0);
    EXPECT_NE(compiled["ptx"].get<std::string>().find(".entry"), std::string::npos);
    const std::string cubin = (program::folder() / "k.cubin").string();
    auto written = run({"compile", "naive", "-o", cubin, "--arch", "sm_80"});
    EXPECT_EQ(written.code, 0) << written.err;
    EXPECT_NE(written.out.find("registers"), std::string::npos);
    EXPECT_EQ(base::read_file(cubin)->substr(1, 3), "ELF");
    expect_refused({"compile", "naive", "-o", "x.exe"}, 2, "x.exe");
    expect_refused({"compile", "naive", "--arch", "sm_12345"}, 2, "sm_12345");
}

TEST(Compile, AnErrorNamesTheLine) {
    const std::string bad = program::file("bad.cu", "__global__ void k(float* x) {\n  x[0] = 1;\n  y = 2;\n}\n");
    expect_refused({"compile", bad}, 2, "bad.cu:3");
    expect_refused({"compile", "/no/such.cu"}, 2, "/no/such.cu");
}

// The object of the contract, field by field.
TEST(Compile, WithoutPtxasThereIsNoMachineCodeButEverythingElse) {
    const std::string missing = "GEMMSCOPE_PTXAS=/no/such/ptxas GEMMSCOPE_CACHE=/no/such/folder";
    const auto compiled = run({"compile", "naive"}, missing);
    EXPECT_EQ(compiled.code, 3);
    EXPECT_EQ(compiled.err, "gemmscope: ptxas, which makes machine code, is missing: there is no program /no/such/ptxas; install the CUDA Toolkit 12 or 13, or run "
                            "gemmscope.sh, which brings ptxas from PyPI\n");
    const Names trace = {"trace", "naive", "-m", "33", "-n", "17", "-k", "9"};
    const auto traced = run(trace, missing);
    EXPECT_EQ(traced.code, 0) << traced.err;
    EXPECT_NE(traced.out.find("verified"), std::string::npos) << traced.out;
    EXPECT_NE(traced.out.find("counted by PTX: ptxas, which makes machine code, is missing"), std::string::npos) << traced.out;
    Names as_json = trace;
    as_json.push_back("--json");
    EXPECT_EQ(run(as_json, missing).json()["registers"], json());
    const auto doctor = run({"doctor", "--json"}, missing).json();
    const auto row = std::find_if(doctor.begin(), doctor.end(), [](const json& check) { return check["part"] == "ptxas"; });
    ASSERT_NE(row, doctor.end());
    EXPECT_EQ((*row)["found"], false);
}

TEST(Compile, AnotherProgramInPlaceOfPtxasIsSaid) {
    const auto something = run({"compile", "naive"}, "GEMMSCOPE_PTXAS=/bin/true");
    EXPECT_EQ(something.code, 3);
    EXPECT_NE(something.err.find("this is not ptxas"), std::string::npos) << something.err;
    const std::string dying = program::file("ptxas", "#!/bin/sh\n[ \"$1\" != --version ] || { echo 'release 13.0, V13.0.1'; exit; }\nkill -9 $$\n");
    std::filesystem::permissions(dying, std::filesystem::perms::owner_all);
    const auto killed = run({"compile", "naive"}, "GEMMSCOPE_PTXAS=" + dying);
    EXPECT_EQ(killed.code, 2);
    EXPECT_NE(killed.err.find("ptxas: it was killed by signal 9"), std::string::npos) << killed.err;
}

TEST(Trace, JsonIsTheContract) {
    auto result = run({"trace", "double_buffer", "-m", "64", "-n", "96", "-k", "32", "-p", "BM=64", "--json"});
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(result.err, "");
    auto t = result.json();
    EXPECT_EQ(keys(t), (Names{"arch",
                              "block",
                              "checks",
                              "counted",
                              "counters",
                              "dynamic_shared_bytes",
                              "engine",
                              "findings",
                              "global_memory_watched",
                              "grid",
                              "kernel",
                              "operands",
                              "parameters",
                              "registers",
                              "schedule",
                              "static_shared_bytes",
                              "thread_instructions",
                              "unset_constants",
                              "verified",
                              "wall_s"}));
    EXPECT_EQ(t["kernel"], "double_buffer");
    EXPECT_EQ(t["engine"], "ptx");
    EXPECT_EQ(t["arch"], "sm_90");
    EXPECT_EQ(t["grid"], json({1, 1, 1}));
    EXPECT_EQ(t["block"], json({128, 1, 1}));
    EXPECT_EQ(t["parameters"]["BM"], 64);
    EXPECT_EQ(t["operands"], "f32");
    EXPECT_TRUE(t["registers"].is_number_integer());
    EXPECT_EQ(keys(t["counters"]),
              (Names{"async_copy", "bulk_copy", "dfma_thread_instructions", "ffma_thread_instructions",
                     "global_load", "global_store", "instructions_executed", "shared_load", "shared_store",
                     "tensor_core_flop"}));
    for (const char* kind : {"shared_load", "shared_store"}) {
        auto& c = t["counters"][kind];
        EXPECT_EQ(keys(c), (Names{"instructions", "wavefronts", "wavefronts_excessive", "wavefronts_ideal"}));
        EXPECT_GT(c["instructions"], 0);
        EXPECT_EQ(c["wavefronts"].get<int>() - c["wavefronts_ideal"].get<int>(), c["wavefronts_excessive"].get<int>());
    }
    for (const char* kind : {"global_load", "global_store", "async_copy"}) EXPECT_EQ(keys(t["counters"][kind]), (Names{"instructions", "sectors", "sectors_ideal"}));
    EXPECT_EQ(t["counters"]["async_copy"]["instructions"], 0);
    EXPECT_GE(t["counters"]["ffma_thread_instructions"], 64 * 96 * 32);
    EXPECT_EQ(keys(t["verified"]), (Names{"max_abs_error", "max_rel_error", "passed", "reference"}));
    EXPECT_EQ(t["verified"]["passed"], true);
    EXPECT_EQ(t["checks"], true);
    EXPECT_EQ(t["findings"], json::array());
    EXPECT_EQ(t["schedule"], "in-order");
    EXPECT_EQ(t["global_memory_watched"], true);
    EXPECT_GT(t["thread_instructions"], 64 * 96 * 32);
    EXPECT_GT(t["wall_s"], 0);
}

TEST(Trace, TextIsForPeople) {
    auto result = run({"trace", "naive", "-m", "33", "-n", "17", "-k", "9"});
    EXPECT_EQ(result.code, 0) << result.err;
    for (const char* part : {"naive", "M=33 N=17 K=9", "verified", "warp instructions", "sectors"}) EXPECT_NE(result.out.find(part), std::string::npos) << part;
}

// A race and an access out of bounds: without checks only the second is found, and nothing claims that there was no other.
TEST(Trace, WithoutChecks) {
    const std::string file = program::file("both.cu", "__global__ void both(float* x) {\n    __shared__ float s[64];\n    s[threadIdx.x] = 1;\n"
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
    expect_refused({"trace", "naive", "--engine", "machine"}, 3, "--engine ptx");
    expect_refused({"trace", "naive", "--engine", "magic"}, 2, "magic");
    expect_refused({"trace", "naive", "--threads", "-1"}, 2, "--threads");
    expect_refused({"trace", "naive", "--seed", "x"}, 2, "--seed");
    expect_refused({"trace", "naive", "--alpha", "nan"}, 2, "alpha");
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
    return {"trace", file, "--entry", "scale<float, 4>", "-D", "EXTRA=2", "--grid", "4", "--block", "32,1,1",
            "--arg", "i32=100", "--arg", "in:f32[100]", "--arg", "out:f32[100]"};
}

TEST(Trace, AFileWithItsArguments) {
    const std::string file = program::file("scale.cu", scale_cu);
    auto arguments = scale_arguments(file);
    const std::string in = (program::folder() / "in.raw").string(), out = (program::folder() / "out.raw").string();
    for (const std::string& word : {std::string("--json"), std::string("--dump"), std::string("1"), in, std::string("--dump"), std::string("2"), out}) arguments.push_back(word);
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
    const auto result = run(with({"{i8=-1,in:f32[32],i16=2,i32=30,out:f32[32],f32=-3}", "--dump", "2", in, "--dump", "5", out}));
    ASSERT_EQ(result.code, 0) << result.err;
    std::vector<float> a(32), b(32);
    std::ifstream(in, std::ios::binary).read(reinterpret_cast<char*>(a.data()), 128);
    std::ifstream(out, std::ios::binary).read(reinterpret_cast<char*>(b.data()), 128);
    for (size_t i = 0; i < 32; ++i) EXPECT_EQ(b[i], i >= 2 && i < 30 ? std::fma(a[i], -3.f, 0.5f) : 0) << i;
    expect_refused(with({"{i8=-1,in:f32[32],i16=2,i32=30,out:f32[32]}"}), 2, "argument 1 of the kernel has 40 bytes and the value given has 32");
    expect_refused(with({"i32=1"}), 2, "give a struct's members in braces");
    expect_refused(with({"{i8=-1,in:f32[32],i16=2,i32=30,out:f32[32],f32=-3}", "--arg", "i32=1"}), 2, "takes 2 arguments and 3 were given");
    for (const char* slip : {"{}", "{", "{i32=1", "{i32=1,}", "{i32=1,{i32=2}}"}) expect_refused(with({slip}), 2, "is not an argument");
    expect_refused(with({"{i8=200}"}), 2, "out of range");
}

// Whatever GPU would finish it in a second, or never: nobody waits for it here.
TEST(Trace, ALaunchTooLargeToExecuteIsRefused) {
    const std::string one = program::file("one.cu", "__global__ void one(float* x) {\n    if (blockIdx.x == 0) x[threadIdx.x] = 1;\n}\n");
    expect_refused({"trace", one, "--grid", "2147483647,65535,65535", "--block", "32", "--arg", "out:f32[32]"}, 2, "years on this machine; choose a smaller --grid");
    EXPECT_EQ(run({"trace", one, "--grid", "50000", "--block", "32", "--arg", "out:f32[32]"}).code, 0);
    const std::string endless = program::file("endless.cu", "__global__ void endless(volatile float* x) {\n    while (x[0] == 0) {}\n}\n");
    auto found = run({"check", endless, "--grid", "2000000000", "--block", "32", "--arg", "out:f32[32]", "--json"});
    EXPECT_EQ(found.code, 1) << found.err;
    EXPECT_EQ(found.json()["findings"][0]["kind"], "endless_loop");
}

TEST(Trace, EndsOnCtrlCWithASentence) {
    const std::string command = "timeout -s INT 3 " + program::quoted(GEMMSCOPE) + " trace naive -m 3000 -n 3000 -k 3000 2>&1";
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
    auto result = run({"trace", ptx, "--grid", "4,1,1", "--block", "32", "--arg", "i32=100", "--arg", "in:f32[100]", "--arg", "out:f32[100]", "--json"});
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
    expect_refused(with({"--block", "32", "--arg", "f64=1", "--arg", "in:f32[1]", "--arg", "out:f32[1]"}), 2, "argument 0");
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

TEST(Check, IntegersThatAreIndicesAreBounded) {
    const std::string file = program::file("bins.cu", "__global__ void bins(const int* values, int* counts) { atomicAdd(&counts[values[threadIdx.x]], 1); }\n");
    const auto with = [&](const std::string& values) { return std::vector<std::string>{"check", file, "--block", "64", "--arg", values, "--arg", "out:i32[8]"}; };
    EXPECT_EQ(run(with("in:i32[64]%8")).code, 0);
    EXPECT_EQ(run(with("in:i32[64]")).code, 1);
    EXPECT_EQ(run(with("in:i32[8x8]%9")).code, 1) << "8 is reached";
    for (const char* wrong :
         {"in:f32[64]%8", "out:i32[64]%8", "in:i32[64]%", "in:i32[64]%0", "in:u8[64]%257", "in:i8[64]%129",
          "in:u16[64]%65537", "in:i128[64]", "in:i32[64]8", "in:i32]64[%8"})
        expect_refused(with(wrong), 2, wrong);
    expect_refused({"check", program::file("pair.cu", "struct P { int n; int* v; };\n__global__ void k(P p) { p.v[0] = p.n; }\n"), "--block", "1", "--arg", "i32=1"}, 2, "members");
}

TEST(Trace, BuffersStartAsAFileHasThem) {
    const std::string file = program::file(
        "copy.cu",
        "__global__ void copy(const int* in, int* out) { out[threadIdx.x] = in[31 - threadIdx.x]; }\n");
    const std::string bytes(128, '\x01'),
        there = program::file("in.raw", bytes.substr(4) + std::string("\x02\0\0\0", 4));
    const auto with = [&](const std::string& in) {
        return Names{"trace", file,          "--block", "32", "--arg",  in,
                     "--arg", "out:i32[32]", "--dump",  "1",  "out.raw"};
    };
    ASSERT_EQ(run(with("in:i32[32]=" + there)).code, 0);
    EXPECT_EQ(*base::read_file(program::folder() / "out.raw"),
              std::string("\x02\0\0\0", 4) + bytes.substr(4));
    expect_refused(with("in:i32[33]=" + there), 2, "has 128 bytes and --arg in:i32[33] has 132");
    expect_refused(with("in:i32[32]=nowhere.raw"), 2, "nowhere.raw");
    expect_refused(with("out:i32[32]=" + there), 2, "is not an argument");
}

// What only host code fills is zero here, which is said, with the way to fill it.
TEST(Trace, ConstantMemoryThatNobodyFilled) {
    const std::string file = program::file(
        "taps.cu",
        "__constant__ float taps[2], unused[2];\n__device__ int offset;\n__constant__ float one = 1;\n"
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
    ASSERT_EQ(run(with({"--symbol", "offset=i32=1", "--symbol", "taps=in:f32[2]=" + one_two, "--dump", "0",
                        "out.raw"}))
                  .code,
              0);
    EXPECT_EQ(base::read_file(program::folder() / "out.raw")->substr(124), std::string("\0\0\0\x40", 4));
}

TEST(Check, FindsWhatIsBroken) {
    const std::string file = program::file("over.cu", "__global__ void over(float* x) {\n    x[threadIdx.x + 1] = 1;\n}\n");
    auto result = run({"check", file, "--block", "32", "--arg", "out:f32[32]", "--json"});
    EXPECT_EQ(result.code, 1);
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    auto findings = result.json()["findings"];
    ASSERT_EQ(findings.size(), 1u) << findings;
    EXPECT_EQ(keys(findings[0]), (Names{"block", "file", "instruction", "kind", "lanes", "line", "other",
                                        "pc", "severity", "text", "times", "warp"}));
    EXPECT_EQ(findings[0]["other"], nullptr);
    EXPECT_EQ(findings[0]["times"], 1);
    EXPECT_NE(findings[0]["instruction"].get<std::string>().find("st.global"), std::string::npos);
    EXPECT_EQ(findings[0]["kind"], "out_of_bounds");
    EXPECT_EQ(findings[0]["line"], 2);
    EXPECT_EQ(findings[0]["lanes"], json({31}));
    EXPECT_EQ(findings[0]["block"], json({0, 0, 0}));
    auto text = run({"check", file, "--block", "32", "--arg", "out:f32[32]"});
    EXPECT_NE(text.out.find("over.cu:2: error: out_of_bounds"), std::string::npos) << text.out;
    auto clean = run({"check", "naive", "-m", "40", "-n", "40", "-k", "8"});
    EXPECT_EQ(clean.code, 0) << clean.out;
    EXPECT_NE(clean.out.find("no findings"), std::string::npos);
}

// A kernel of the catalogue and a file, each with two mistakes: all of them are told, in text and as JSON.
TEST(Check, TellsEveryFinding) {
    std::string text = *base::read_file(SOURCE_DIR "/kernels/shared_tile.cu");
    for (size_t at; (at = text.find("__syncthreads();")) != std::string::npos;) text.replace(at, 16, ";");
    program::file("broken/shared_tile.cu", text);
    const std::string kernel = (program::folder() / "broken/shared_tile.cu").string();
    auto race = run({"check", kernel, "-p", "TILE=16", "-m", "32", "-n", "32", "-k", "32", "--json"});
    EXPECT_EQ(race.code, 1);
    const auto findings = race.json()["findings"];
    EXPECT_GE(findings.size(), 2u);
    EXPECT_TRUE(std::any_of(findings.begin(), findings.end(), [](const json& f) { return f["kind"] == "shared_race"; })) << findings;

    const std::string file = program::file("two.cu", "__global__ void two(float* x, float* y) {\n    __shared__ float s[32];\n    x[threadIdx.x + 1] = 1;\n"
                                                     "    y[threadIdx.x] = s[threadIdx.x];\n}\n");
    auto said = run({"check", file, "--block", "32", "--arg", "out:f32[32]", "--arg", "out:f32[32]"});
    EXPECT_EQ(said.code, 1);
    EXPECT_NE(said.out.find("two.cu:3: error: out_of_bounds"), std::string::npos) << said.out;
    EXPECT_NE(said.out.find("two.cu:4: error: uninitialised_shared"), std::string::npos) << said.out;
    EXPECT_NE(said.err.find("2 findings"), std::string::npos) << said.err;
    auto both = run({"check", file, "--block", "32", "--arg", "out:f32[32]", "--arg", "out:f32[32]", "--json"});
    EXPECT_EQ(both.code, 1);
    EXPECT_EQ(both.json()["findings"].size(), 2u);
}

// Warp 0 writes what warp 1 reads, with nothing between.
const char* const race_of_two = "__global__ void race(unsigned* out) {\n    __shared__ unsigned s[32];\n    if (threadIdx.x < 32) {\n        s[threadIdx.x] = threadIdx.x;\n"
                                "    } else {\n        out[threadIdx.x - 32] = s[63 - threadIdx.x] + 1;\n    }\n}\n";

TEST(Check, BothAccessesOfARaceAreFields) {
    const std::string file = program::file("race.cu", race_of_two);
    const auto findings = run({"check", file, "--block", "64", "--arg", "out:u32[32]", "--json"}).json()["findings"];
    ASSERT_EQ(findings.size(), 1u) << findings;
    const json &read = findings[0], &write = findings[0]["other"];
    EXPECT_EQ(keys(write), (Names{"block", "file", "instruction", "lanes", "line", "pc", "warp"}));
    EXPECT_EQ(read["line"], 6);
    EXPECT_EQ(write["line"], 4);
    EXPECT_EQ(read["warp"], 1);
    EXPECT_EQ(write["warp"], 0);
    EXPECT_EQ(write["lanes"].size(), 32u);
    EXPECT_EQ(write["block"], json({0, 0, 0}));
    EXPECT_NE(read["instruction"].get<std::string>().find("ld.shared"), std::string::npos) << read;
    EXPECT_NE(write["instruction"].get<std::string>().find("st.shared"), std::string::npos) << write;
    EXPECT_NE(read["pc"], write["pc"]);
}

// A race has other results in another order of the warps, and is found in each; a correct kernel has the same.
TEST(Trace, WarpsRunInTheOrderAskedFor) {
    const std::string file = program::file("race.cu", race_of_two), dumped = (program::folder() / "order.bin").string();
    std::map<std::string, std::string> results;
    for (const char* order : {"in-order", "warp:0", "warp:1", "seed:1", "seed:2"}) {
        auto t = run({"trace", file, "--block", "64", "--arg", "out:u32[32]", "--schedule", order, "--dump", "0", dumped, "--json"});
        EXPECT_EQ(t.code, 1) << order;
        EXPECT_EQ(t.json()["schedule"], order);
        ASSERT_EQ(t.json()["findings"].size(), 1u) << order;
        EXPECT_EQ(t.json()["findings"][0]["kind"], "shared_race") << order;
        results[order] = *base::read_file(dumped);
    }
    EXPECT_EQ(results["in-order"], results["warp:0"]);
    EXPECT_NE(results["in-order"], results["warp:1"]) << "the reader comes before the writer";
    EXPECT_EQ(results["warp:1"].substr(0, 4), std::string("\1\0\0\0", 4));

    const auto order_of = [](const char* order) { return run({"trace", "shared_tile", "-m", "64", "-n", "48", "-k", "32", "--schedule", order, "--json"}).json(); };
    auto one = order_of("in-order"), other = order_of("seed:9");
    for (json* t : {&one, &other}) t->erase("wall_s"), t->erase("schedule");
    EXPECT_EQ(one, other);
    EXPECT_NE(run({"check", file, "--block", "64", "--arg", "out:u32[32]", "--schedule", "seed:4"}).out.find("warps shuffled by seed 4"), std::string::npos);

    expect_refused({"trace", "naive", "--schedule", "sideways"}, 2, "there is no schedule sideways");
    expect_refused({"trace", "naive", "--schedule", "warp:32"}, 2, "warp");
    expect_refused({"check", file, "--block", "64", "--arg", "out:u32[32]", "--schedule", "warp:2"}, 2, "the block's warps are 0 to 1");
}

// The bound on what is kept of global memory says that it was met.
TEST(Check, SaysThatNotAllGlobalMemoryWasWatched) {
    const std::string file = program::file("large.cu", "__global__ void large(unsigned* x) {\n    x[(blockIdx.x * 1ull * blockDim.x + threadIdx.x) * 256] = 1;\n}\n");
    const std::vector<std::string> launch{"check", file, "--grid", "128", "--block", "1024", "--arg", "out:u32[33554432]"};
    const std::vector<std::string> small{"check", file, "--grid", "8", "--block", "1024", "--arg", "out:u32[2097152]", "--json"};
    auto said = run(launch);
    EXPECT_EQ(said.code, 0) << said.err;
    EXPECT_NE(said.out.find("note: races between blocks were looked for in a part of global memory only"), std::string::npos) << said.out;
    auto as_json = launch;
    as_json.push_back("--json");
    EXPECT_EQ(run(as_json).json()["global_memory_watched"], false);
    EXPECT_EQ(run(small).json()["global_memory_watched"], true);
}

TEST(Check, KernelsOfTheCatalogueAreClean) {
    for (const char* kernel : {"naive_uncoalesced", "naive", "shared_tile", "register_tile", "conflict_free", "double_buffer"}) {
        auto result = run({"check", kernel, "-m", "65", "-n", "47", "-k", "33", "--json"});
        EXPECT_EQ(result.code, 0) << kernel << result.err;
        EXPECT_EQ(result.json()["findings"], json::array()) << kernel;
    }
    expect_refused({"check", "nave"}, 2, "did you mean naive?");
}

std::string offsets(int stride) {
    std::string text;
    for (int lane = 0; lane < 32; ++lane) text += std::to_string(lane * stride) + " ";
    return text;
}

TEST(Wavefronts, ByTheRule) {
    auto result = run({"wavefronts", "--op", "load", "--bytes", "16", "--offsets", offsets(16), "--json"});
    ASSERT_EQ(result.code, 0) << result.err;
    auto w = result.json();
    EXPECT_EQ(keys(w), (Names{"phases", "wavefronts", "wavefronts_excessive", "wavefronts_ideal"}));
    EXPECT_EQ(w["wavefronts"], 4);
    EXPECT_EQ(w["wavefronts_excessive"], 0);
    EXPECT_EQ(w["phases"].size(), 4u);
    EXPECT_EQ(w["phases"][1], json({8, 9, 10, 11, 12, 13, 14, 15}));
    auto conflict = run({"wavefronts", "--op", "store", "--bytes", "4", "--offsets", offsets(128), "--json"}).json();
    EXPECT_EQ(conflict["wavefronts"], 32);
    EXPECT_EQ(conflict["wavefronts_excessive"], 31);
    std::string one = "0";
    for (int i = 1; i < 32; ++i) one += " -1";
    EXPECT_EQ(run({"wavefronts", "--op", "load", "--bytes", "8", "--offsets", one, "--json"}).json()["phases"], json({{0}}));
    std::string first_off = "-1" + one.substr(1);
    EXPECT_EQ(run({"wavefronts", "--op", "load", "--bytes", "8", "--offsets", first_off, "--json"}).json()["wavefronts"], 0);
    EXPECT_NE(run({"wavefronts", "--op", "load", "--bytes", "4", "--offsets", offsets(8)}).out.find("2 wavefronts, ideal 1, excessive 1"), std::string::npos);
    expect_refused({"wavefronts", "--op", "load", "--bytes", "4", "--offsets", "0 4 8"}, 2, "has 3 numbers");
    expect_refused({"wavefronts", "--op", "load", "--bytes", "4", "--offsets", offsets(4) + "0"}, 2, "has 33 numbers");
    expect_refused({"wavefronts", "--op", "move", "--bytes", "4", "--offsets", offsets(4)}, 2, "move");
    expect_refused({"wavefronts", "--op", "load", "--bytes", "5", "--offsets", offsets(4)}, 2, "5 bytes");
    expect_refused({"wavefronts", "--op", "load", "--bytes", "8", "--offsets", offsets(4)}, 2, "multiple of 8");
    expect_refused({"wavefronts", "--op", "load", "--bytes", "4", "--offsets", "a " + offsets(4)}, 2, "lane 0");
}

TEST(Occupancy, ByTheLimits) {
    auto result = run({"occupancy", "--arch", "sm_70", "--threads", "256", "--regs", "136", "--smem", "8192", "--json"});
    ASSERT_EQ(result.code, 0) << result.err;
    auto o = result.json();
    EXPECT_EQ(keys(o), (Names{"active_blocks_per_sm", "active_warps_per_sm", "limiter", "max_warps_per_sm", "occupancy"}));
    EXPECT_EQ(o["active_blocks_per_sm"], 1);
    EXPECT_EQ(o["active_warps_per_sm"], 8);
    EXPECT_EQ(o["occupancy"], 0.125);
    EXPECT_EQ(o["limiter"], "registers");
    EXPECT_NE(run({"occupancy", "--threads", "128", "--regs", "32"}).out.find("%"), std::string::npos);
    expect_refused({"occupancy", "--arch", "sm_99", "--threads", "128", "--regs", "32"}, 2, "sm_90");
    expect_refused({"occupancy", "--threads", "0", "--regs", "32"}, 2, "--threads");
    expect_refused({"occupancy", "--threads", "4096", "--regs", "32"}, 2, "--threads");
    expect_refused({"occupancy", "--threads", "128", "--regs", "32", "--smem", "999999999"}, 2, "shared");
}

TEST(Bench, ChecksBeforeItStartsAndSaysWhyItCannot) {
    expect_refused({"bench", "nave"}, 2, "did you mean naive?");
    expect_refused({"bench", "naive", "--sizes", "1024,"}, 2, "--sizes");
    expect_refused({"bench", "naive", "--sizes", "12x5"}, 2, "MxNxK");
    expect_refused({"bench", "naive", "--sizes", "256..1024"}, 2, "FIRST..LAST:STEP");
    expect_refused({"bench", "naive", "--sizes", "1024..256:64"}, 2, "never comes from 1024 to 256");
    expect_refused({"bench", "naive", "--sizes", "256..1024:x1"}, 2, "never comes");
    expect_refused({"bench", "naive", "--sizes", "sqare"}, 2, "square");
    expect_refused({"bench", "naive", "--worker", "false"}, 3, "worker");
}

TEST(Doctor, NamesEveryPart) {
    auto result = run({"doctor", "--json"});
    ASSERT_EQ(result.code, 0) << result.err;
    std::vector<std::string> parts;
    for (const auto& row : result.json()) {
        parts.push_back(row["part"]);
        EXPECT_FALSE(row["detail"].get<std::string>().empty()) << row;
        EXPECT_TRUE(row["found"].get<bool>() || !row["todo"].get<std::string>().empty()) << row;
    }
    for (const char* part : {"GPU", "NVRTC", "ptxas", "OpenGL", "fonts"}) EXPECT_NE(std::find(parts.begin(), parts.end(), part), parts.end()) << part;
    EXPECT_EQ(run({"doctor"}).code, 0);
}

TEST(Render, DrawsAPictureAndRefusesNonsense) {
    const std::string png = (program::folder() / "w.png").string();
    auto result = run({"render", "banks", "shared_tile", "-m", "64", "-n", "64", "-k", "32", "-o", png, "--size", "800x450", "--lane", "13"});
    EXPECT_EQ(result.code, 0) << result.err;
    auto bytes = base::read_file(png);
    ASSERT_TRUE(bytes.ok());
    EXPECT_EQ(bytes->substr(1, 3), "PNG");
    const auto size = [&](size_t at) { return static_cast<unsigned char>((*bytes)[at]) * 256 + static_cast<unsigned char>((*bytes)[at + 1]); };
    EXPECT_EQ(size(18), 800);
    EXPECT_EQ(size(22), 450);
    expect_refused({"render", "bank", "naive", "-o", png}, 2, "did you mean banks?");
    expect_refused({"render", "banks", "nave", "-o", png}, 2, "did you mean naive?");
    expect_refused({"render", "banks", "naive"}, 2, "-o");
    expect_refused({"render", "banks", "naive", "-o", png, "--size", "0x0"}, 2, "--size");
    expect_refused({"render", "banks", "naive", "-o", png, "--size", "big"}, 2, "--size");
    expect_refused({"render", "banks", "naive", "-o", png, "--lane", "32"}, 2, "--lane");
    expect_refused({"render", "banks", "naive", "-o", "w.jpg"}, 2, ".png");
    expect_refused({"render", "banks", "naive", "-o", png, "--engine", "machine"}, 3, "machine-code engine");
    expect_refused({"render", "banks", "naive", "-o", png, "--engine", "steam"}, 2, "no engine steam");
}

TEST(Render, WhatDoesNotExistIsNotDrawn) {
    const std::string png = (program::folder() / "none.png").string();
    const auto refuse = [&](const char* option, const char* value, const char* sentence) {
        expect_refused({"render", "map", "naive", "-m", "64", "-n", "64", "-k", "8", "-o", png, "--size", "320x200", option, value}, 2, sentence);
    };
    refuse("--at", "99,0,0", "there is no block 99,0,0 in a grid of 2 x 8 x 1");
    refuse("--warp", "9", "there is no warp 9 in a block of 8");
    refuse("--schedule", "warp:9", "there is no warp 9 in a block of 8");
    refuse("--schedule", "9", "there is no schedule 9");
    refuse("--step", "999999999", "there is no step 999999999");
}

TEST(Render, AKernelThatDoesNotCompileIsAPictureAndAnError) {
    program::file("faulty/faulty.cu", "/* gemmscope\nfamily = \"ladder\"\nrung = 9\ntitle = { en = \"F\" }\nidea = { en = \"F\" }\nstory = { en = \"F\" }\n"
                                      "[launch]\nblock = [\"32\", \"1\"]\ngrid = [\"1\", \"1\"]\ndynamic_shared = \"0\"\n*/\n"
                                      "__global__ void faulty(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C) {\n"
                                      "    C[0] = no_such_name;\n}\n");
    const std::string png = (program::folder() / "faulty.png").string();
    expect_refused({"render", "source", "faulty", "-o", png, "--size", "640x360", "--kernels", (program::folder() / "faulty").string()}, 2, "faulty.cu:13");
    EXPECT_EQ(base::read_file(png)->substr(1, 3), "PNG");
}

TEST(Render, KnowsEveryViewThatIsPromised) {
    const std::string png = (program::folder() / "v.png").string();
    for (const char* view : {"window", "map", "banks", "sectors", "timeline", "shared", "registers", "source", "plot", "roofline", "compare"}) {
        auto result = run({"render", view, "naive", "-m", "64", "-n", "32", "-k", "16", "-o", png, "--size", "640x360"});
        EXPECT_EQ(result.code, 0) << view << result.err;
    }
}

TEST(Render, AFilesOwnKernelTakesThePlaceOfOneWithItsName) {
    auto text = base::read_file(SOURCE_DIR "/kernels/shared_tile.cu");
    ASSERT_TRUE(text.ok());
    const auto source = program::file("shared_tile.cu", *text);
    const auto refused = program::file("other_tile.cu", *text); // its function is not named like the file
    const std::string png = (program::folder() / "own.png").string();
    EXPECT_EQ(run({"render", "map", source, "-p", "TILE=8", "-m", "64", "-n", "64", "-k", "16", "-o", png, "--size", "640x360"}).code, 0);
    expect_refused({"render", "map", refused, "-o", png}, 2, "no function other_tile");
}

TEST(Render, ALargeProductDoesNotRunItsWholeGrid) {
    const std::string png = (program::folder() / "large.png").string();
    const auto start = std::chrono::steady_clock::now();
    auto result = run({"render", "numbers", "naive", "-m", "4096", "-n", "4096", "-k", "4096", "-o", png, "--size", "640x360"});
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60)); // its grid takes many minutes
}

TEST(Window, ADamagedStateIsNamed) {
    expect_refused({"--state", program::file("bad.json", R"({"selection": {"lane": 77}})")}, 2, "selection.lane");
    expect_refused({"--state", "/no/such.json"}, 2, "/no/such.json");
}

TEST(Worker, EndsWhenNobodyAsks) {
    auto result = run({"worker"});
    EXPECT_TRUE(result.code == 0 || result.code == 3) << result.code; // 3: no GPU here
    EXPECT_TRUE(json::accept(result.out.substr(0, result.out.find('\n')))) << result.out;
}

} // namespace
