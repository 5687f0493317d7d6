// sweep as a command: the real worker on an invented GPU, workers that die, hang and lie, and runs that are killed.
#include "program.h"

#include "../library_path.h"
#include "base/process.h"
#include "catalog/catalog.h"
#include "catalog/sweep_space.h"
#include "compile/compiler.h"
#include "measure/sweep_record.h"
#include "session/sweeps.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <functional>
#include <map>
#include <thread>

namespace {

namespace fs = std::filesystem;
using program::quoted;

const std::string gpu_here = before_other_libraries(FAKE_CUDA ":" FAKE_CUBLAS) + " CUDA_HOME= CUDA_PATH=";
const std::string worker = gpu_here + " exec " + quoted(GEMMSCOPE) + " worker";
std::string invented(const std::string& mode, const std::string& host = "fakehost") {
    return "FAKE_HOST=" + host + " exec python3 '" SOURCE_DIR "/tests/gpu/fake_worker.py' " + mode;
}

// Compiles soon, and has 4 x 4 x 4 settings, of which BM = 32 with BK = 8 is none.
const std::string tiny = R"cu(/* gemmscope
family = "ladder"
rung = 1
provenance = "test"
title = { en = "Tiny", zh = "小" }
idea = { en = "Nothing." }
story = { en = "Nothing.", zh = "无" }

[[parameter]]
name = "BM"
values = [4, 8, 16, 32]
initial = 8
meaning = { en = "rows", zh = "行" }

[[parameter]]
name = "BN"
values = [4, 8, 16, 32]
initial = 8
meaning = { en = "columns", zh = "列" }

[[parameter]]
name = "BK"
values = [4, 8, 16, 32]
initial = 8
meaning = { en = "depth", zh = "深" }

[[rule]]
expression = "BM < 32 || BK != 8"
reason = { en = "Both are too many.", zh = "太多" }

[launch]
block = ["BM", "BN"]
grid = ["1", "1"]
dynamic_shared = "0"
*/
template <int BM, int BN, int BK>
__global__ void tiny(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C) {
    if (threadIdx.x == BK) C[0] = alpha + beta + A[M] + B[N] + K;
}
)cu";
constexpr size_t legal = 60;

class Sweep : public testing::Test {
protected:
    void SetUp() override {
        if (!compile::availability().found) GTEST_SKIP() << "no NVRTC";
        ASSERT_TRUE(base::write_file(kernels_ / "tiny.cu", tiny));
    }
    void TearDown() override { fs::remove_all(kernels_); }

    std::vector<std::string> arguments(const std::vector<std::string>& workers,
                                       std::vector<std::string> more = {}) const {
        std::vector<std::string> all{"sweep", "tiny", "--kernels", kernels_.string(), "--space", "tiles"};
        if (std::find(more.begin(), more.end(), "--output") == more.end())
            all.insert(all.end(), {"--output", records_.string()});
        if (std::find(more.begin(), more.end(), "--sizes") == more.end())
            all.insert(all.end(), {"--sizes", "16,8x16x4"});
        for (const std::string& one : workers) all.insert(all.end(), {"--worker", one});
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }
    program::Result sweep(const std::vector<std::string>& workers, const std::vector<std::string>& more = {}) const {
        return program::run(arguments(workers, more));
    }
    // Without waiting for it.
    base::Process started(const std::vector<std::string>& workers) const {
        std::string command = "echo $$ >" + quoted(pid_.string()) +
                              "; GEMMSCOPE_STATE=" + quoted(program::folder().string()) + " exec " + quoted(GEMMSCOPE);
        for (const std::string& word : arguments(workers)) command += " " + quoted(word);
        auto process = base::Process::start({"/bin/sh", "-c", command}, base::Group::own, "gemmscope");
        EXPECT_TRUE(process) << process.error().sentence();
        return std::move(*process);
    }
    size_t lines() const {
        auto text = base::read_file(record_);
        return text ? static_cast<size_t>(std::count(text->begin(), text->end(), '\n')) : 0;
    }
    static bool wait_for(const std::function<bool()>& condition) {
        for (int i = 0; i < 6000; ++i, std::this_thread::sleep_for(std::chrono::milliseconds(10)))
            if (condition()) return true;
        return false;
    }
    std::shared_ptr<const measure::SweepRecord> record() const {
        auto read = measure::SweepRecord::read(record_);
        EXPECT_TRUE(read) << read.error().sentence();
        return read ? *read : std::make_shared<const measure::SweepRecord>();
    }
    // Every setting at both sizes, each in one line.
    void expect_each_once() const {
        const auto all = record();
        EXPECT_EQ(all->points().size(), 2 * legal);
        EXPECT_EQ(lines(), 7 + all->sources().size() + 2 * legal) << *base::read_file(record_);
        const auto kernel = catalog::load({kernels_}).find("tiny");
        const auto settings = catalog::sweep_settings(*kernel, catalog::SweepSpace::tiles);
        ASSERT_TRUE(settings);
        for (const auto& values : *settings)
            for (const catalog::Problem& p : {catalog::Problem{16, 16, 16}, {8, 16, 4}})
                EXPECT_TRUE(all->find(values, p));
        EXPECT_EQ(measure::text_of(*all), *base::read_file(record_)) << "sorted";
        EXPECT_TRUE(all->is_of(*kernel));
    }

    const fs::path kernels_ = program::folder() / "swept", records_ = kernels_ / "records",
                   record_ = records_ / "fake_gpu" / "tiny.txt";
    const fs::path pid_ = kernels_ / "pid";                    // of what was started
    const fs::path invented_ = records_ / "fake" / "tiny.txt"; // of a worker that invents its figures
};

TEST_F(Sweep, MeasuresEverySettingOnceBesideCublas) {
    const auto first = sweep({worker});
    ASSERT_EQ(first.code, 0) << first.err;
    EXPECT_NE(first.out.find("120 points of 60 settings, 0 of them failed"), std::string::npos) << first.out;
    EXPECT_NE(first.out.find("settings a second"), std::string::npos) << first.out;
    expect_each_once();
    const auto all = record();
    EXPECT_EQ(all->device(), "Fake GPU");
    for (const auto& p : all->points()) {
        EXPECT_EQ(p.ms, 1);
        EXPECT_EQ(p.cublas_ms, 2);
        EXPECT_EQ(p.ratio(), 2);
    }
    const measure::SweepSource& by = all->sources().at(0);
    EXPECT_NE(by.host, "");
    EXPECT_NE(by.cublas.find("13.0.2 cublasLt heuristic 3"), std::string::npos) << by.cublas;
    EXPECT_EQ(by.command, "gemmscope sweep tiny --sizes 16,8x16x4 --space tiles");
    const std::string text = *base::read_file(record_);
    const auto second = sweep({worker});
    EXPECT_EQ(second.code, 0) << second.err;
    EXPECT_NE(second.out.find("0 points of 0 settings"), std::string::npos) << second.out;
    EXPECT_EQ(*base::read_file(record_), text) << "nothing is measured twice";
    session::Sweeps sweeps(records_, program::folder() / "none");
    EXPECT_EQ(sweeps.of(*catalog::load({kernels_}).find("tiny")).size(), 1u);
}

TEST_F(Sweep, MostTakesThoseNearestToTheInitialSetting) {
    ASSERT_EQ(sweep({worker}, {"--most", "5"}).code, 0);
    const auto all = record();
    ASSERT_EQ(all->points().size(), 10u);
    for (const auto& p : all->points()) {
        int changed = 0;
        for (const auto& [name, value] : all->setting(p)) changed += value != 8;
        EXPECT_LE(changed, 1);
    }
    ASSERT_EQ(sweep({worker}).code, 0);
    expect_each_once();
}

TEST_F(Sweep, WhatIsWrongIsRecordedWithItsReason) {
    ASSERT_EQ(sweep({"FAKE_CUBIN=wrong " + worker}, {"--most", "3"}).code, 0);
    const auto all = record();
    EXPECT_EQ(all->points().size(), 6u);
    for (const auto& p : all->points()) EXPECT_NE(p.reason.find("tiny is wrong at"), std::string::npos) << p.reason;
    EXPECT_NE(sweep({worker}, {"--most", "3"}).out.find("0 points"), std::string::npos) << "nor is it tried again";
}

TEST_F(Sweep, ASettingThatDoesNotCompileIsRecordedWithItsReason) {
    std::string text = tiny;
    text.replace(text.find("if (threadIdx"), 0, "static_assert(BM != 16, \"never 16\"); ");
    ASSERT_TRUE(base::write_file(kernels_ / "tiny.cu", text));
    const auto done = sweep({worker});
    ASSERT_EQ(done.code, 0) << done.err;
    expect_each_once();
    const auto all = record();
    for (const auto& p : all->points()) EXPECT_EQ(p.measured(), all->setting(p).at("BM") != 16) << p.reason;
    EXPECT_NE(done.out.find("120 points of 60 settings, 32 of them failed"), std::string::npos) << done.out;
}

TEST_F(Sweep, AfterAKillItContinuesWithoutALossOrADouble) {
    {
        base::Process process = started({worker});
        ASSERT_TRUE(wait_for([&] { return lines() >= 30; }));
        process.finish(0); // SIGKILL
    }
    const size_t kept = lines();
    EXPECT_LT(kept, 120u) << "it was too fast to be killed half-way";
    const auto again = sweep({worker});
    ASSERT_EQ(again.code, 0) << again.err;
    EXPECT_EQ(again.out.find("120 points"), std::string::npos) << again.out;
    expect_each_once();
}

TEST_F(Sweep, CtrlCKeepsAll) {
    base::Process process = started({worker});
    ASSERT_TRUE(wait_for([&] { return lines() >= 20; }));
    ASSERT_EQ(::kill(std::stoi(*base::read_file(pid_)), SIGINT), 0);
    EXPECT_EQ(process.finish(60).english(), "exited with status 1");
    const auto all = record();
    EXPECT_EQ(measure::text_of(*all), *base::read_file(record_)) << "sorted";
    ASSERT_EQ(sweep({worker}).code, 0);
    expect_each_once();
}

TEST_F(Sweep, OneOfThreeWorkersIsKilledHalfWay) {
    const fs::path pid = kernels_ / "second";
    const std::string second = "echo $$ >>" + quoted(pid.string()) + "; " + worker;
    base::Process process = started({worker, second, worker});
    ASSERT_TRUE(wait_for([&] { return lines() >= 40 && fs::exists(pid) && fs::file_size(pid) > 0; }));
    ASSERT_EQ(::kill(std::stoi(*base::read_file(pid)), SIGKILL), 0);
    EXPECT_EQ(process.finish(120).english(), "");
    expect_each_once();
    const auto all = record();
    for (const auto& p : all->points()) EXPECT_TRUE(p.measured()) << p.reason;
}

TEST_F(Sweep, AWorkerThatHangsGivesItsShareBackAndTheRecordNamesWhoMeasured) {
    const auto done = sweep({invented("hang", "lab1"), invented("behave", "lab2"), invented("behave", "lab3")},
                            {"--time-limit", "0.5"});
    ASSERT_EQ(done.code, 0) << done.err;
    EXPECT_NE(done.err.find("no sign of life"), std::string::npos) << done.err;
    auto all = measure::SweepRecord::read(invented_);
    ASSERT_TRUE(all) << all.error().sentence();
    EXPECT_EQ((*all)->points().size(), 2 * legal);
    std::map<std::string, int> by;
    for (const auto& p : (*all)->points()) ++by[(*all)->sources().at(static_cast<size_t>(p.source)).host];
    EXPECT_FALSE(by.contains("lab1"));
    EXPECT_GT(by["lab2"] + by["lab3"], 0);
    EXPECT_EQ((*all)->best({16, 16, 16})->ms, 1.0417); // 100 / 96
}

TEST_F(Sweep, AWorkerThatLiesOrDiesIsLeftOut) {
    for (const char* mode :
         {"sweep_short", "sweep_nothing", "garbage", "refuse", "crash", "exits", "unknown", "other_kind"}) {
        SCOPED_TRACE(mode);
        fs::remove_all(records_);
        const auto alone = sweep({invented(mode)}, {"--most", "3"});
        EXPECT_EQ(alone.code, mode == std::string("refuse") ? 1 : 3) << alone.err;
        EXPECT_NE(alone.err.find("is left out"), std::string::npos) << alone.err;
        auto all = measure::SweepRecord::read(invented_);
        EXPECT_TRUE(!all || (*all)->points().empty()) << "a worker that never worked says nothing of a setting";
        const auto beside = sweep({invented(mode), invented("behave")}, {"--most", "3"});
        EXPECT_EQ(beside.code, 0) << beside.err;
        all = measure::SweepRecord::read(invented_);
        ASSERT_TRUE(all) << all.error().sentence();
        EXPECT_EQ((*all)->points().size(), 6u);
        for (const auto& p : (*all)->points()) EXPECT_TRUE(p.measured()) << p.reason;
    }
}

TEST_F(Sweep, WhateverAWorkerSaysTheRecordCanBeRead) {
    for (const char* mode : {"sweep_long_words", "sweep_long_reasons"}) {
        fs::remove_all(records_);
        ASSERT_EQ(sweep({invented(mode)}, {"--most", "3"}).code, 0);
        auto all = measure::SweepRecord::read(invented_);
        ASSERT_TRUE(all) << all.error().sentence();
        EXPECT_EQ((*all)->points().size(), 6u);
        EXPECT_EQ(base::read_file(invented_)->find('\x1b'), std::string::npos);
    }
}

TEST_F(Sweep, AnotherKindOfGpuIsLeftOut) {
    const auto done = sweep({invented("behave"), "sleep 1; " + invented("h200")});
    EXPECT_EQ(done.code, 0) << done.err;
    EXPECT_FALSE(fs::exists(records_ / "h200"));
}

TEST_F(Sweep, MeasuredAgainItSaysHowManyAgree) {
    ASSERT_EQ(sweep({invented("behave")}).code, 0);
    const std::string text = *base::read_file(invented_);
    EXPECT_NE(
        sweep({invented("behave")}, {"--again", "7"}).out.find("14 of 14 points agree with the record within 3 %"),
        std::string::npos);
    EXPECT_NE(sweep({invented("slower")}, {"--again", "7"}).out.find("0 of 14 points agree"), std::string::npos);
    EXPECT_EQ(*base::read_file(invented_), text);
}

TEST_F(Sweep, OfChangedCodeItBeginsAnew) {
    ASSERT_EQ(sweep({worker}, {"--most", "2"}).code, 0);
    ASSERT_TRUE(base::write_file(kernels_ / "tiny.cu", tiny + "\n__device__ int other() { return 1; }\n"));
    const auto done = sweep({worker}, {"--most", "2"});
    EXPECT_EQ(done.code, 0) << done.err;
    EXPECT_NE(done.err.find("tiny has changed since it was swept"), std::string::npos) << done.err;
    EXPECT_EQ(record()->points().size(), 4u);
}

TEST_F(Sweep, PlansWithoutAGpuAndSaysWhatCannotBeSwept) {
    const auto plan = sweep({}, {"--plan"});
    EXPECT_EQ(plan.code, 0) << plan.err;
    EXPECT_NE(plan.out.find("60 settings, 120 points"), std::string::npos) << plan.out;
    program::expect_refused({"sweep", "tiny"}, 2, "--sizes");
    program::expect_refused({"sweep", "nave", "--sizes", "64"}, 2, "did you mean naive?");
    program::expect_refused({"sweep", "naive", "--sizes", "64", "--space", "some"}, 2, "--space");
    program::expect_refused({"sweep", "naive", "--sizes", "64", "--most", "0"}, 2, "--most");
    program::expect_refused({"sweep", "naive", "--sizes", "64", "--time-limit", "-1"}, 2, "--time-limit");
    EXPECT_EQ(sweep({"false"}).code, 3);
    EXPECT_EQ(sweep({worker}, {"--output", "/dev/null"}).code, 2);
}

} // namespace
