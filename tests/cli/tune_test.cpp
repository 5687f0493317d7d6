// tune and device through a worker that invents its figures, and what the commands then make of tuned
// settings.
#include "program.h"

#include "compile/compiler.h"
#include "measure/point_log.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace {

namespace fs = std::filesystem;
using program::run;

const std::string tiles_worker = "exec python3 '" SOURCE_DIR "/tests/gpu/fake_worker.py' tiles";

// A folder with a copy of naive.cu, to be tuned there.
class Tune : public testing::Test {
protected:
    void SetUp() override {
        if (!compile::availability().found) GTEST_SKIP() << "no NVRTC";
        fs::create_directories(kernels_);
        fs::copy_file(SOURCE_DIR "/kernels/naive.cu", kernels_ / "naive.cu");
    }
    void TearDown() override { fs::remove_all(kernels_); }

    program::Result with_folder(std::vector<std::string> arguments) const {
        arguments.insert(arguments.end(), {"--kernels", kernels_.string()});
        return run(arguments);
    }
    program::Result tune(const std::string& sizes) const {
        return with_folder(
            {"tune", "naive", "--sizes", sizes, "--most", "6", "--output", log_.string(), "--worker", tiles_worker});
    }
    program::Result bench(std::vector<std::string> more) const {
        more.insert(more.begin(), {"bench", "naive", "--json", "--worker", tiles_worker});
        return with_folder(more);
    }

    const fs::path kernels_ = program::folder() / "tuned", log_ = kernels_ / "log.json";
};

TEST_F(Tune, FindsTheFastestKeepsItAndContinues) {
    auto first = tune("64");
    ASSERT_EQ(first.code, 0) << first.err;
    auto points = measure::read_points(log_);
    ASSERT_TRUE(points) << points.error().sentence();
    const auto& all = points->points;
    auto is_final = [](const auto& p) { return !p.cublas.mode.empty(); };
    const auto finals = std::count_if(all.begin(), all.end(), is_final);
    EXPECT_EQ(std::ssize(all) - finals, 6); // first looks; then the best of them beside cuBLAS
    EXPECT_GE(finals, 1);
    EXPECT_LE(finals, 5);
    auto slower = [](const auto& a, const auto& b) { return a.median_ms > b.median_ms; };
    const auto best = *std::max_element(all.begin(), all.end(), slower);
    for (const auto& p : all) EXPECT_TRUE(!is_final(p) || p.median_ms <= 1.5 * best.median_ms);
    const std::string text = *base::read_file(kernels_ / "naive.tuned.toml");
    EXPECT_NE(text.find("BX = " + std::to_string(best.parameters.at("BX"))), std::string::npos) << text;
    EXPECT_NE(text.find("device = 'Fake'"), std::string::npos) << text;
    EXPECT_NE(text.find("gemmscope tune naive --sizes 64x64x64"), std::string::npos) << text;

    auto second = tune("64");
    EXPECT_EQ(second.out, first.out);
    EXPECT_EQ(measure::read_points(log_)->points.size(), all.size()) << "nothing is measured twice";
}

TEST_F(Tune, TheSettingsAreOffered) {
    ASSERT_EQ(tune("64").code, 0);
    auto shown = with_folder({"show", "naive", "--json"}).json();
    ASSERT_EQ(shown["tuned"].size(), 1u);
    const auto best = shown["tuned"][0]["parameters"];
    EXPECT_NE(with_folder({"show", "naive"}).out.find("\nTuned\n  64 x 64 x 64"), std::string::npos);

    EXPECT_EQ(bench({"--sizes", "100", "--tuned"}).json()["parameters"], best);
    EXPECT_NE(bench({"--sizes", "100"}).json()["parameters"], best);
    EXPECT_EQ(
        with_folder({"trace", "naive", "-m", "32", "-n", "32", "-k", "8", "--tuned", "--json"}).json()["parameters"],
        best);
    EXPECT_NE(bench({"--tuned", "-p", "BX=16"}).err.find("-p and --tuned"), std::string::npos);
    EXPECT_NE(run({"trace", "shared_tile", "--tuned"}).err.find("was not tuned on sm_90"), std::string::npos);
}

TEST_F(Tune, AKernelMayStartTuned) {
    ASSERT_EQ(tune("64").code, 0);
    const auto best = with_folder({"show", "naive", "--json"}).json()["tuned"][0]["parameters"];
    std::string text = *base::read_file(kernels_ / "naive.cu");
    text.insert(text.find("family ="), "tuned = true\n");
    ASSERT_TRUE(base::write_file(kernels_ / "naive.cu", text));
    EXPECT_EQ(bench({"--sizes", "100"}).json()["parameters"], best);
    EXPECT_EQ(bench({"--sizes", "100", "-p", "BX=8"}).json()["parameters"]["BX"], 8);
    EXPECT_EQ(with_folder({"trace", "naive", "-m", "32", "-n", "32", "-k", "8", "--json"}).json()["parameters"], best);
}

TEST_F(Tune, WhatCannotBeTunedIsSaid) {
    program::expect_refused({"tune", "naive"}, 2, "--sizes");
    program::expect_refused({"tune", "nave", "--sizes", "64"}, 2, "did you mean naive?");
    program::expect_refused({"tune", "naive", "--sizes", "64", "--most", "0"}, 2, "--most");
    program::expect_refused({"tune", "naive", "--sizes", "64", "--worker", "false", "--output", log_.string()}, 3,
                            "worker");
}

TEST(Device, PrintsThePeaksAsProductsAndBesideWhatWasMeasured) {
    if (!compile::availability().found) GTEST_SKIP() << "no NVRTC";
    auto told = run({"device", "--json", "--worker", tiles_worker}).json();
    EXPECT_EQ(told["device"]["name"], "Fake");
    EXPECT_EQ(told["arithmetic"]["fma_gflops"], 256); // 1 multiprocessor, 128 lanes, 2, 1000 MHz
    EXPECT_EQ(told["arithmetic"]["memory_gb_s"], 16); // 64 bits, both edges of 1000 MHz
    EXPECT_EQ(told["measured"]["fma_gflops"], 240.5);
    auto text = run({"device", "--worker", tiles_worker});
    EXPECT_EQ(text.code, 0) << text.err;
    EXPECT_NE(text.out.find("1 × 128 × 2 × 1000 MHz = 0.3 TFLOPS  measured 0.2 TFLOPS, 93.9 %"), std::string::npos)
        << text.out;
    EXPECT_EQ(told["arithmetic"]["fp64_gflops"], 128); // 64 lanes
    EXPECT_EQ(told["measured"]["fp64_gflops"], 121.25);
    EXPECT_EQ(told["measured"]["l2_gb_s"], 40.25);
    EXPECT_NE(text.out.find("L2 40 GB/s"), std::string::npos) << text.out;
    EXPECT_NE(text.out.find("94.7 %"), std::string::npos) << text.out; // 121.25 of 128
    program::expect_refused({"device", "--worker", "false"}, 3, "worker");
}

// The recorded kernels of a device of this name, each beside the peak of the units that compute it.
TEST(Device, AShareIsOfTheUnitsThatComputeIt) {
    if (!compile::availability().found) GTEST_SKIP() << "no NVRTC";
    const auto text = run({"device", "--worker", "exec python3 '" SOURCE_DIR "/tests/gpu/fake_worker.py' h200"}).out;
    const auto row = [&](const std::string& kernel) {
        const size_t at = text.find("\n" + kernel + " ");
        return at == text.npos ? "no row of " + kernel : text.substr(at + 1, text.find('\n', at + 1) - at - 1);
    };
    for (auto [kernel, of] : {std::pair{"champion", " FP32 "},
                              {"dgemm_tile", " FP64 "},
                              {"dgemm_tensor", " FP64 tensor cores "},
                              {"cublas_fp64", " FP64 tensor cores "},
                              {"tensor_bf16", " BF16 tensor cores "},
                              {"binary_tiled", " popc "}}) {
        EXPECT_NE(row(kernel).find(of), std::string::npos) << row(kernel);
        EXPECT_NE(row(kernel).find("%"), std::string::npos) << row(kernel);
    }
    EXPECT_EQ(row("binary_tensor").find("%"), std::string::npos) << row("binary_tensor");
    EXPECT_NE(text.find("No rate is known of B1 tensor cores on sm_90"), std::string::npos) << text;
}

} // namespace
