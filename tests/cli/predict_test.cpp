// gemmscope predict and gemmscope judge, as a user types them.
#include "program.h"

#include "measure/accuracy.h"

namespace {

using nlohmann::json;
using program::expect_refused;
using program::run;

const std::vector<std::string> small_predict{"predict", "naive", "-p", "BX=32", "-p", "BY=8",
                                             "-m",      "256",   "-n", "256",   "-k", "256"};

std::vector<std::string> with(std::vector<std::string> arguments, const std::vector<std::string>& more) {
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
}

double number(const json& object, const char* name) { return object.at(name).get<double>(); }

TEST(Predict, SaysTheTimeAndWhatItIsMadeOf) {
    const auto result = run(with(small_predict, {"--json"}));
    EXPECT_EQ(result.code, 0) << result.err;
    const json told = result.json();
    EXPECT_EQ(program::keys(told), (program::Names{"arch",
                                                   "blocks",
                                                   "clock_mhz",
                                                   "cycles",
                                                   "error",
                                                   "error_p90",
                                                   "gflops",
                                                   "issued_cycles",
                                                   "k",
                                                   "kernel",
                                                   "launch_us",
                                                   "lines",
                                                   "m",
                                                   "ms",
                                                   "multiprocessors",
                                                   "n",
                                                   "not_validated",
                                                   "parameters",
                                                   "reasons",
                                                   "resident_blocks",
                                                   "source",
                                                   "tail_cycles",
                                                   "wave_cycles",
                                                   "waves",
                                                   "what_if"}));
    EXPECT_EQ(told["source"], "predicted");
    EXPECT_EQ(told["kernel"], "naive");
    EXPECT_EQ(told["parameters"], (json{{"BX", 32}, {"BY", 8}}));
    EXPECT_EQ(told["blocks"], 8 * 32);
    EXPECT_TRUE(told["error"].is_null());
    EXPECT_TRUE(told["error_p90"].is_null());
    EXPECT_NE(told["not_validated"].get<std::string>().find("judged"), std::string::npos);
    EXPECT_NEAR(number(told, "ms"),
                number(told, "cycles") / number(told, "clock_mhz") / 1e3 + number(told, "launch_us") / 1e3,
                1e-4 * number(told, "ms"));
    EXPECT_NEAR(number(told, "gflops"), 2.0 * 256 * 256 * 256 / number(told, "ms") / 1e6,
                1e-4 * number(told, "gflops"));
}

TEST(Predict, ReasonsAndLinesAreSharesOfLostCycles) {
    const json told = run({"predict", "conflict_free", "-m", "512", "-n", "512", "-k", "512", "--json"}).json();
    EXPECT_GT(number(told, "issued_cycles"), 0);
    double lost = 0; // by reason, and by line the same
    for (const json& one : told["reasons"]) lost += number(one, "cycles");
    for (const char* list : {"reasons", "lines"}) {
        double sum = 0, before = 1;
        for (const json& one : told[list]) {
            EXPECT_NE(one["reason"], "selected") << list;
            EXPECT_NEAR(number(one, "share"), number(one, "cycles") / lost, 1e-3) << list;
            EXPECT_LE(number(one, "share"), before) << "the largest first";
            before = number(one, "share");
            sum += before;
        }
        EXPECT_NEAR(sum, 1, 1e-3) << list;
    }
}

TEST(Predict, TextSaysTheSame) {
    const auto result = run(small_predict);
    EXPECT_EQ(result.code, 0) << result.err;
    for (const char* words : {"naive at 256 x 256 x 256 -p BX=32 -p BY=8",
                              "predicted: ", "not validated: ", " waves of ", " of their cycles and lose"})
        EXPECT_NE(result.out.find(words), std::string::npos) << words << result.out;
}

TEST(Predict, WhatIfIsATableOfItsOwn) {
    const json told = run(with(small_predict, {"--what-if", "every", "--json"})).json();
    ASSERT_EQ(told["what_if"].size(), 6u);
    for (const json& one : told["what_if"]) EXPECT_GT(number(one, "ms"), 0) << one;
    const auto text =
        run(with(small_predict, {"--what-if", "double_memory_latency", "--what-if", "no_bank_conflicts"}));
    EXPECT_NE(text.out.find("double_memory_latency"), std::string::npos) << text.out;
    EXPECT_EQ(text.out.find("no_reuse_cache"), std::string::npos) << text.out;
}

TEST(Predict, RefusesWhatItDoesNotKnow) {
    expect_refused({"predict", "nothing"}, 2, "nothing");
    expect_refused({"predict", "naive", "-p", "BX=3"}, 2, "BX");
    expect_refused(with(small_predict, {"--what-if", "magic"}), 2, "--what-if magic is no switch");
    expect_refused(with(small_predict, {"--arch", "sm_80"}), 3, "no times are known of sm_80");
}

// A time of what it does until it fails would look like one of the whole.
TEST(Predict, SaysWhereAKernelFailsInsteadOfATime) {
    const std::string file = program::file("over.cu", "__global__ void over(float* x) {\n"
                                                      "    x[threadIdx.x + 1000] = 1;\n"
                                                      "}\n");
    expect_refused({"predict", file, "--arg", "out:f32[64]", "--block", "64"}, 1, "over.cu:2: ");
}

TEST(Judge, WritesARecordThatItsReaderTakes) {
    const std::string output = (program::folder() / "accuracy.json").string(),
                      points = (program::folder() / "points.jsonl").string();
    const auto result =
        run({"judge", "shared_tile", "--sizes", "1024", "--json", "--output", output, "--points", points});
    ASSERT_EQ(result.code, 0) << result.err;
    const auto read = measure::read_accuracy_record(output);
    ASSERT_TRUE(read) << read.error().sentence();
    EXPECT_EQ(read->device, "NVIDIA H200");
    EXPECT_EQ(read->arch, "sm_90");
    EXPECT_EQ(read->half, "judged");
    EXPECT_EQ(read->command, "gemmscope judge shared_tile --sizes 1024");
    ASSERT_EQ(read->rows.size(), 2u) << "of the size, and of all sizes";
    EXPECT_EQ(read->rows[0].size, (catalog::Problem{1024, 1024, 1024}));
    std::string rows;
    for (const auto& row : read->rows) rows += measure::fields_of(row).line() + "\n";
    EXPECT_EQ(result.out, rows);
    const std::string lines = *base::read_file(points);
    EXPECT_EQ(static_cast<size_t>(std::count(lines.begin(), lines.end(), '\n')), read->rows[1].accuracy.points);
    const json point = json::parse(lines.substr(0, lines.find('\n')));
    EXPECT_EQ(program::keys(point),
              (program::Names{"k", "kernel", "m", "measured_ms", "n", "parameters", "predicted_ms"}));
}

TEST(Judge, TheHalvesTogetherAreTheRecord) {
    size_t points = 0;
    for (const char* half : {"judged", "calibration"}) {
        const auto result = run({"judge", "shared_tile", "--sizes", "1024", "--half", half, "--json"});
        EXPECT_EQ(result.code, 0) << result.err;
        if (!result.out.empty())
            points += json::parse(result.out.substr(0, result.out.find('\n')))["points"].get<size_t>();
    }
    EXPECT_EQ(points, 3u) << "tiles of 8, 16 and 32";
}

TEST(Judge, RefusesWhatItCannotJudge) {
    expect_refused({"judge", "nothing"}, 2, "there is no kernel or family nothing");
    expect_refused({"judge", "naive", "--device", "No GPU"}, 2, "nothing is recorded of a GPU No GPU");
    expect_refused({"judge", "naive", "--sizes", "x"}, 2, "--sizes");
    EXPECT_EQ(run({"judge", "naive", "--sizes", "999"}).code, 1) << "nothing was measured there";
    expect_refused({"judge", "naive", "--most", "0"}, 2, "--most");
    expect_refused({"judge", "naive", "--half", "calibration", "--output", "x.json"}, 2,
                   "--output is of the judged half");
}

} // namespace
