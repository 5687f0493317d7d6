// gemmscope check: what is told of a broken kernel, and that correct ones are clean.
#include "program.h"

#include <algorithm>
#include <map>

namespace {

using nlohmann::json;
using program::expect_refused;
using program::keys;
using program::Names;
using program::run;

TEST(Check, IntegersThatAreIndicesAreBounded) {
    const std::string file = program::file(
        "bins.cu",
        "__global__ void bins(const int* values, int* counts) { atomicAdd(&counts[values[threadIdx.x]], 1); }\n");
    const auto with = [&](const std::string& values) {
        return std::vector<std::string>{"check", file, "--block", "64", "--arg", values, "--arg", "out:i32[8]"};
    };
    EXPECT_EQ(run(with("in:i32[64]%8")).code, 0);
    EXPECT_EQ(run(with("in:i32[64]")).code, 1);
    EXPECT_EQ(run(with("in:i32[8x8]%9")).code, 1) << "8 is reached";
    for (const char* wrong : {"in:f32[64]%8", "out:i32[64]%8", "in:i32[64]%", "in:i32[64]%0", "in:u8[64]%257",
                              "in:i8[64]%129", "in:u16[64]%65537", "in:i128[64]", "in:i32[64]8", "in:i32]64[%8"})
        expect_refused(with(wrong), 2, wrong);
    expect_refused(
        {"check", program::file("pair.cu", "struct P { int n; int* v; };\n__global__ void k(P p) { p.v[0] = p.n; }\n"),
         "--block", "1", "--arg", "i32=1"},
        2, "members");
}

TEST(Check, FindsWhatIsBroken) {
    const std::string file =
        program::file("over.cu", "__global__ void over(float* x) {\n    x[threadIdx.x + 1] = 1;\n}\n");
    auto result = run({"check", file, "--block", "32", "--arg", "out:f32[32]", "--json"});
    EXPECT_EQ(result.code, 1);
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    auto findings = result.json()["findings"];
    ASSERT_EQ(findings.size(), 1u) << findings;
    EXPECT_EQ(keys(findings[0]), (Names{"block", "file", "instruction", "kind", "lanes", "line", "other", "pc",
                                        "severity", "text", "times", "warp"}));
    EXPECT_EQ(findings[0]["other"], nullptr);
    EXPECT_EQ(findings[0]["times"], 1);
    EXPECT_NE(findings[0]["instruction"].get<std::string>().find("STG"), std::string::npos);
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

// Planted mistakes: listed, found with both accesses, and told apart from what a kernel or file does not have.
TEST(Check, SwitchesPlantedMistakesOn) {
    const std::vector<std::string> size{"-m", "40", "-n", "44", "-k", "70"};
    const auto with = [&](std::vector<std::string> arguments) {
        arguments.insert(arguments.end(), size.begin(), size.end());
        return arguments;
    };
    EXPECT_EQ(run(with({"check", "tile"})).code, 0);
    const auto broken = run(with({"check", "tile", "--break", "no_second_barrier", "--break", "no_guard"}));
    EXPECT_EQ(broken.code, 1);
    EXPECT_NE(broken.out.find("tile TILE=32, broken by no_guard, broken by no_second_barrier, M=40"), std::string::npos)
        << broken.out;
    EXPECT_NE(broken.out.find("shared_race"), std::string::npos) << broken.out;
    EXPECT_NE(broken.out.find("out_of_bounds"), std::string::npos) << broken.out;
    const auto traced = run(with({"trace", "tile", "--break", "no_guard", "--json"})).json();
    EXPECT_EQ(traced["breaks"], json({"no_guard"}));

    const auto shown = run({"show", "tile"});
    EXPECT_NE(shown.out.find("no_second_barrier"), std::string::npos) << shown.out;
    EXPECT_EQ(run({"show", "tile", "--json"}).json()["breaks"][0]["findings"][0], "shared_race");
    const auto idle = run({"check", "tile", "--break", "no_guard", "-m", "64", "-n", "64", "-k", "64"});
    EXPECT_EQ(idle.code, 0) << idle.out;
    EXPECT_NE(idle.out.find("no_guard (which does nothing here: only where M % TILE != 0"), std::string::npos)
        << idle.out;
    expect_refused({"check", "tile", "--break", "no_such"}, 2, "choose among");
    const std::string file = program::file("plain.cu", "__global__ void plain() {}\n");
    expect_refused({"check", file, "--break", "no_guard", "--block", "32"}, 2, "leave --break away");
    expect_refused({"bench", "tile", "--break", "no_guard"}, 2, "--break");
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
    EXPECT_TRUE(std::any_of(findings.begin(), findings.end(), [](const json& f) { return f["kind"] == "shared_race"; }))
        << findings;

    const std::string file = program::file(
        "two.cu",
        "__global__ void two(float* x, float* y) {\n    __shared__ float s[32];\n    x[threadIdx.x + 1] = 1;\n"
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
const char* const race_of_two =
    "__global__ void race(unsigned* out) {\n    __shared__ unsigned s[32];\n    if (threadIdx.x < 32) {\n        s[threadIdx.x] = threadIdx.x;\n"
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
    EXPECT_NE(read["instruction"].get<std::string>().find("LDS"), std::string::npos) << read;
    EXPECT_NE(write["instruction"].get<std::string>().find("STS"), std::string::npos) << write;
    EXPECT_NE(read["pc"], write["pc"]);
}

// A race has other results in another order of the warps, and is found in each; a correct kernel has the same.
TEST(Check, WarpsRunInTheOrderAskedFor) {
    const std::string file = program::file("race.cu", race_of_two), dumped = (program::folder() / "order.bin").string();
    std::map<std::string, std::string> results;
    for (const char* order : {"in-order", "warp:0", "warp:1", "seed:1", "seed:2"}) {
        auto t = run({"trace", file, "--block", "64", "--arg", "out:u32[32]", "--schedule", order, "--dump", "0",
                      dumped, "--json"});
        EXPECT_EQ(t.code, 1) << order;
        EXPECT_EQ(t.json()["schedule"], order);
        ASSERT_EQ(t.json()["findings"].size(), 1u) << order;
        EXPECT_EQ(t.json()["findings"][0]["kind"], "shared_race") << order;
        results[order] = *base::read_file(dumped);
    }
    EXPECT_EQ(results["in-order"], results["warp:0"]);
    EXPECT_NE(results["in-order"], results["warp:1"]) << "the reader comes before the writer";
    EXPECT_EQ(results["warp:1"].substr(0, 4), std::string("\1\0\0\0", 4));

    const auto order_of = [](const char* order) {
        return run({"trace", "shared_tile", "-m", "64", "-n", "48", "-k", "32", "--schedule", order, "--json"}).json();
    };
    auto one = order_of("in-order"), other = order_of("seed:9");
    for (json* t : {&one, &other}) t->erase("wall_s"), t->erase("schedule");
    EXPECT_EQ(one, other);
    EXPECT_NE(run({"check", file, "--block", "64", "--arg", "out:u32[32]", "--schedule", "seed:4"})
                  .out.find("shuffled, seed 4"),
              std::string::npos);

    expect_refused({"trace", "naive", "--schedule", "sideways"}, 2, "there is no schedule sideways");
    expect_refused({"trace", "naive", "--schedule", "warp:32"}, 2, "warp");
    expect_refused({"check", file, "--block", "64", "--arg", "out:u32[32]", "--schedule", "warp:2"}, 2,
                   "the block's warps are 0 to 1");
}

// The bound on what is kept of global memory says that it was met.
TEST(Check, SaysThatNotAllGlobalMemoryWasWatched) {
    const std::string file = program::file(
        "large.cu",
        "__global__ void large(unsigned* x) {\n    x[(blockIdx.x * 1ull * blockDim.x + threadIdx.x) * 256] = 1;\n}\n");
    const std::vector<std::string> launch{"check",   file,   "--grid", "320",
                                          "--block", "1024", "--arg",  "out:u32[83886080]"};
    const std::vector<std::string> small{"check", file,    "--grid",           "8",     "--block",
                                         "1024",  "--arg", "out:u32[2097152]", "--json"};
    auto said = run(launch);
    EXPECT_EQ(said.code, 0) << said.err;
    EXPECT_NE(
        said.out.find("note: The launch is large: races between blocks were checked in only part of global memory"),
        std::string::npos)
        << said.out;
    auto as_json = launch;
    as_json.push_back("--json");
    EXPECT_EQ(run(as_json).json()["global_memory_watched"], false);
    EXPECT_EQ(run(small).json()["global_memory_watched"], true);
}

TEST(Check, KernelsOfTheCatalogueAreClean) {
    for (const char* kernel :
         {"naive_uncoalesced", "naive", "shared_tile", "register_tile", "conflict_free", "double_buffer"}) {
        auto result = run({"check", kernel, "-m", "65", "-n", "47", "-k", "33", "--json"});
        EXPECT_EQ(result.code, 0) << kernel << result.err;
        EXPECT_EQ(result.json()["findings"], json::array()) << kernel;
    }
    expect_refused({"check", "nave"}, 2, "did you mean naive?");
}

} // namespace
