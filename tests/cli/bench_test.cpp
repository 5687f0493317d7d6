// bench through a worker that invents its figures (tests/gpu/fake_worker.py).
#include "program.h"

#include "measure/series.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

namespace {

using program::run;

std::string fake_worker(const std::string& mode) {
    return "exec python3 '" SOURCE_DIR "/tests/gpu/fake_worker.py' " + mode;
}

std::vector<std::string> bench(const std::string& mode, const std::string& sizes, const std::string& output = {}) {
    std::vector<std::string> arguments{"bench", "naive",  "naive_uncoalesced", "--sizes",
                                       sizes,   "--json", "--worker",          fake_worker(mode)};
    if (!output.empty()) arguments.insert(arguments.end(), {"--output", output});
    return arguments;
}

size_t line_count(const std::string& text) { return static_cast<size_t>(std::count(text.begin(), text.end(), '\n')); }

TEST(Bench, PrintsALineForEachPoint) {
    auto result = run(bench("good", "64,32..64:16"));
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(line_count(result.out), 6u); // 64, 32 and 48 for each of two kernels
    auto point = measure::point_from_json(result.out.substr(0, result.out.find('\n')));
    ASSERT_TRUE(point) << point.error().sentence();
    EXPECT_EQ(point->kernel, "naive");
    EXPECT_EQ(point->m, 64);
    EXPECT_EQ(result.err.find('\r'), std::string::npos) << "progress is for terminals";
}

TEST(Bench, ContinuesWhereItWasKilled) {
    const std::string file = (program::folder() / "points.json").string();
    auto first = run(bench("good", "32,64", file));
    ASSERT_EQ(first.code, 0) << first.err;
    auto whole = base::read_file(file);
    ASSERT_TRUE(whole);
    EXPECT_EQ(line_count(*whole), 5u); // provenance, then the points
    EXPECT_NE(whole->find(R"("command":"gemmscope bench naive naive_uncoalesced --sizes 32,64")"), std::string::npos)
        << *whole;
    ASSERT_TRUE(base::write_file(file, whole->substr(0, whole->size() - 40))); // killed while it wrote the last
    auto second = run(bench("good", "32,64,16", file));
    ASSERT_EQ(second.code, 0) << second.err;
    EXPECT_NE(second.err.find("3 of 6 points are in"), std::string::npos) << second.err;
    EXPECT_EQ(line_count(second.out), 3u);
    EXPECT_EQ(line_count(*base::read_file(file)), 7u);
    EXPECT_EQ(run(bench("good", "16", file)).out, "");
}

TEST(Bench, OtherParametersDeviceOrDriverAreMeasuredAgain) {
    const std::string file = (program::folder() / "others.json").string();
    ASSERT_EQ(run(bench("good", "32", file)).code, 0);
    auto arguments = bench("good", "32", file);
    arguments.insert(arguments.end(), {"-p", "BX=16"});
    EXPECT_EQ(line_count(run(arguments).out), 2u);
    EXPECT_EQ(line_count(run(bench("other_driver", "32", file)).out), 2u);
    arguments = bench("two_gpus", "32", file);
    arguments.insert(arguments.end(), {"--device", "1"});
    auto result = run(arguments);
    EXPECT_EQ(line_count(result.out), 2u) << result.err;
    EXPECT_NE(result.out.find(R"("device":"Second fake")"), std::string::npos) << result.out;
    arguments.back() = "2";
    EXPECT_NE(run(arguments).err.find("--device = 2"), std::string::npos);
}

bool has_openblas() {
    const auto checks = run({"doctor", "--json"}).json();
    return std::any_of(checks.begin(), checks.end(),
                       [](const auto& c) { return c["part"] == "OpenBLAS" && c["found"]; });
}

TEST(Bench, OpenBlasNeedsNoGpuAndContinues) {
    if (!has_openblas()) GTEST_SKIP() << "no OpenBLAS";
    const std::string file = (program::folder() / "cpu.json").string();
    auto first = run({"bench", "openblas", "--sizes", "32,48", "--json", "--output", file}, "OPENBLAS_NUM_THREADS=1");
    ASSERT_EQ(first.code, 0) << first.err;
    EXPECT_EQ(line_count(first.out), 4u); // floats, then doubles
    auto point = measure::point_from_json(first.out.substr(0, first.out.find('\n')));
    ASSERT_TRUE(point) << point.error().sentence();
    EXPECT_EQ(point->kernel, "openblas_fp32");
    EXPECT_EQ(point->parameters, (std::map<std::string, int>{{"threads", 1}}));
    auto again = run({"bench", "openblas_fp64", "--sizes", "16,32,48", "--output", file}, "OPENBLAS_NUM_THREADS=1");
    ASSERT_EQ(again.code, 0) << again.err;
    EXPECT_EQ(line_count(again.out), 1u) << again.out;
    EXPECT_NE(again.err.find("2 of 3 points are in"), std::string::npos) << again.err;
    EXPECT_EQ(line_count(*base::read_file(file)), 6u); // provenance and five points
    auto series = measure::read_recorded(file);
    ASSERT_TRUE(series) << series.error().sentence();
    EXPECT_EQ(series->size(), 2u);
}

TEST(Bench, CublasXtGoesThroughTheWorker) {
    auto result = run({"bench", "cublasxt", "--sizes", "32,64", "--json", "--worker", fake_worker("good")});
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(line_count(result.out), 2u);
    EXPECT_NE(result.out.find(R"("kernel":"cublasxt_fp32")"), std::string::npos) << result.out;
    auto beside = run({"bench", "cublasxt_fp32", "naive", "--sizes", "32", "--json", "--worker", fake_worker("good")});
    EXPECT_EQ(line_count(beside.out), 2u) << beside.err;
}

TEST(Bench, CutlassGoesThroughTheWorkerBesideCublas) {
    const std::string file = (program::folder() / "cutlass.json").string();
    const auto measured = [&](const char* name) {
        return run({"bench", name, "--sizes", "32,64", "--json", "--worker", fake_worker("good"), "--output", file});
    };
    auto result = measured("cutlass_256x128");
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(line_count(result.out), 2u);
    auto point = measure::point_from_json(result.out.substr(0, result.out.find('\n')));
    ASSERT_TRUE(point) << point.error().sentence();
    EXPECT_EQ(point->kernel, "cutlass_256x128");
    EXPECT_EQ(point->ratio, 0.5) << "a kernel's request, not one of host memory";
    auto both = measured("cutlass");
    EXPECT_EQ(line_count(both.out), 2u) << "of cutlass_128x128; the other's are there";
    EXPECT_NE(both.out.find(R"("kernel":"cutlass_128x128")"), std::string::npos) << both.out;
}

TEST(Bench, WhatIsNoRunOfAReferenceIsRefused) {
    using program::expect_refused;
    expect_refused({"bench", "cutlass", "-p", "STAGES=4"}, 2, "cutlass_128x128 has no parameters");
    expect_refused({"bench", "cublas_fp32"}, 2, "cublas_fp32 is measured beside every kernel");
    expect_refused({"bench", "openblas_fp64", "-p", "BM=64"}, 2, "openblas_fp64 has no parameters");
    expect_refused({"bench", "openblas", "naive"}, 2, "one of openblas_fp32 and naive runs on the CPU");
    expect_refused({"bench", "openblas", "--sizes", "1048576"}, 2, "GiB of memory");
}

TEST(Bench, APointThatFailsIsSaidAndTheOthersFollow) {
    auto result = run(bench("refuses_first", "32,64"));
    EXPECT_EQ(result.code, 1);
    EXPECT_EQ(line_count(result.out), 3u) << result.out;
    EXPECT_NE(result.err.find("naive 32 x 32 x 32: C is wrong"), std::string::npos) << result.err;
}

// What the program says and its exit code when it is interrupted while it measures its first point: once, or again and again until it
// ends. Signals that come within half a second count as one.
program::Result interrupted(const std::string& mode, bool once) {
    const std::string asked = program::quoted((program::folder() / ("asked_" + mode)).string());
    std::string command = "FAKE_WORKER_ASKED=" + asked + " " + program::quoted(GEMMSCOPE) +
                          " bench naive --sizes 32,64 --json --worker " + program::quoted(fake_worker(mode)) +
                          " 2>&1 & pid=$!; until [ -e " + asked + " ]; do sleep 0.05; done; ";
    command += once ? "kill -INT $pid" : "while kill -INT $pid 2>/dev/null; do sleep 0.7; done";
    FILE* pipe = ::popen((command + "; wait $pid").c_str(), "r");
    program::Result result;
    for (int c; (c = std::fgetc(pipe)) != EOF;) result.out += static_cast<char>(c);
    result.code = WEXITSTATUS(::pclose(pipe));
    return result;
}

TEST(Bench, CtrlCEndsAfterThePoint) {
    auto result = interrupted("slow", true);
    EXPECT_EQ(result.code, 1);
    EXPECT_NE(result.out.find(R"("m":32)"), std::string::npos) << result.out;
    EXPECT_NE(result.out.find("stopped after 1 of 2 points; with --output FILE.json it can be continued"),
              std::string::npos)
        << result.out;
}

TEST(Bench, CtrlCAgainEndsAtOnce) {
    auto result = interrupted("hang", false);
    EXPECT_EQ(result.code, 1);
    EXPECT_NE(result.out.find("stopped after 0 of 2 points"), std::string::npos) << result.out;
}

} // namespace
