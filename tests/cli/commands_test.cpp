// The program itself and its small sub-commands, through the real binary. Names of fields are a contract: other
// people's scripts read them; so in the files of the other sub-commands.
#include "program.h"

#include <algorithm>

namespace {

using nlohmann::json;
using program::expect_refused;
using program::keys;
using program::Names;
using program::run;

TEST(Cli, HelpNamesEveryCommand) {
    auto help = run({"--help"});
    EXPECT_EQ(help.code, 0);
    for (const char* command : {"list", "show", "compile", "trace", "check", "wavefronts", "occupancy", "bench", "tune",
                                "device", "render", "doctor", "setup", "worker"}) {
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
    EXPECT_EQ(run({"wavefronts", "--op", "load", "--bytes", "8", "--offsets", one, "--json"}).json()["phases"],
              json({{0}}));
    std::string first_off = "-1" + one.substr(1);
    EXPECT_EQ(
        run({"wavefronts", "--op", "load", "--bytes", "8", "--offsets", first_off, "--json"}).json()["wavefronts"], 0);
    EXPECT_NE(run({"wavefronts", "--op", "load", "--bytes", "4", "--offsets", offsets(8)})
                  .out.find("2 wavefronts, ideal 1, excessive 1"),
              std::string::npos);
    expect_refused({"wavefronts", "--op", "load", "--bytes", "4", "--offsets", "0 4 8"}, 2, "has 3 numbers");
    expect_refused({"wavefronts", "--op", "load", "--bytes", "4", "--offsets", offsets(4) + "0"}, 2, "has 33 numbers");
    expect_refused({"wavefronts", "--op", "move", "--bytes", "4", "--offsets", offsets(4)}, 2, "move");
    expect_refused({"wavefronts", "--op", "load", "--bytes", "5", "--offsets", offsets(4)}, 2, "5 bytes");
    expect_refused({"wavefronts", "--op", "load", "--bytes", "8", "--offsets", offsets(4)}, 2, "multiple of 8");
    expect_refused({"wavefronts", "--op", "load", "--bytes", "4", "--offsets", "a " + offsets(4)}, 2, "lane 0");
}

TEST(Occupancy, ByTheLimits) {
    auto result =
        run({"occupancy", "--arch", "sm_70", "--threads", "256", "--regs", "136", "--smem", "8192", "--json"});
    ASSERT_EQ(result.code, 0) << result.err;
    auto o = result.json();
    EXPECT_EQ(keys(o),
              (Names{"active_blocks_per_sm", "active_warps_per_sm", "limiter", "max_warps_per_sm", "occupancy"}));
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
        parts.push_back(row["part"].get<std::string>());
        EXPECT_FALSE(row["detail"].get<std::string>().empty()) << row;
        EXPECT_TRUE(row["found"].get<bool>() || !row["todo"].get<std::string>().empty()) << row;
    }
    for (const char* part : {"GPU", "NVRTC", "ptxas", "CUTLASS", "OpenGL", "fonts"})
        EXPECT_NE(std::find(parts.begin(), parts.end(), part), parts.end()) << part;
    EXPECT_EQ(run({"doctor"}).code, 0);
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
