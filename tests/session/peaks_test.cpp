#include "session/peaks.h"

#include "base/file.h"
#include "compile/compiler.h"
#include "session/series.h"

#include <gtest/gtest.h>

#include <unistd.h>

namespace {

namespace fs = std::filesystem;

session::DeviceRecord record() { // invented, round numbers
    session::DeviceRecord record;
    record.device = {"A GPU", "sm_90", 10, 1000, 2000, 512, uint64_t{8} << 30, 1 << 20, 1 << 17};
    record.measured = measure::Peaks{2500, 1200, 200, 990, 980, 1000, "1.2", "13.0", "2026-11-20", 800, 400, 970, 960};
    return record;
}

TEST(Peaks, ArithmeticIsTheProductOfItsFactors) {
    const auto peaks = session::arithmetic(record().device);
    EXPECT_EQ(peaks.fp32_lanes, 128);
    EXPECT_DOUBLE_EQ(peaks.gflops(analysis::Unit::fp32),
                     2.0 * 10 * 128 * 1.0); // 10 multiprocessors, 128 lanes, 1 GHz, 2 for an FMA
    EXPECT_DOUBLE_EQ(peaks.gflops(analysis::Unit::fp64), 2.0 * 10 * 64 * 1.0);
    EXPECT_DOUBLE_EQ(peaks.memory_gb_s, 64 * 2 * 2.0); // 64 bytes, twice a cycle of 2 GHz
    EXPECT_DOUBLE_EQ(peaks.gflops(analysis::Unit::popc),
                     64.0 * 10 * 16 * 1.0); // 16 lanes count 32 products each
    auto unknown = record().device;
    unknown.arch = "sm_1";
    for (const auto unit : {analysis::Unit::fp32, analysis::Unit::fp64, analysis::Unit::tensor_bf16})
        EXPECT_EQ(session::arithmetic(unknown).gflops(unit), 0);
}

TEST(Peaks, ARecordedDeviceReturns) {
    const fs::path assets = fs::temp_directory_path() / ("gemmscope_peaks_test." + std::to_string(::getpid()));
    const fs::path file = assets / "recorded/devices/one.json";
    ASSERT_TRUE(base::write_file(file, session::to_json(record()) + "\n"));
    auto unmeasured = record();
    unmeasured.measured.reset();
    ASSERT_TRUE(base::write_file(assets / "recorded/devices/two.json", session::to_json(unmeasured)));
    ASSERT_TRUE(base::write_file(assets / "recorded/devices/broken.json", R"({"device":{"name":7}})"));
    const auto files = session::read_devices(assets);
    fs::remove_all(assets);
    ASSERT_EQ(files.devices.size(), 2u);
    EXPECT_EQ(files.devices[0].device, record().device);
    EXPECT_EQ(files.devices[0].measured, record().measured);
    EXPECT_EQ(files.devices[0].file, "one.json");
    EXPECT_FALSE(files.devices[1].measured);
    ASSERT_EQ(files.problems.size(), 1u);
    EXPECT_NE(files.problems[0].sentence().find("broken.json: device.name is not text"), std::string::npos)
        << files.problems[0].sentence();
}

TEST(Peaks, TheKernelsCompileAndTheGridFillsTheDevice) {
    if (!compile::availability().found) GTEST_SKIP() << "no NVRTC";
    auto request = session::peaks_request(SOURCE_DIR "/assets", record().device);
    ASSERT_TRUE(request) << request.error().sentence();
    EXPECT_EQ(request->fma.grid.x, 80u); // 2048 threads for each of ten multiprocessors
    EXPECT_EQ(request->flop_per_turn, 2.0 * 256 * 80 * 256);
    EXPECT_FALSE(request->copy.image.empty());
    EXPECT_EQ(request->fp64.grid.x, request->fma.grid.x);
    EXPECT_NE(request->fma.entry, request->copy.entry);
    EXPECT_NE(request->fma.entry, request->fp64.entry);
    EXPECT_NE(request->l1.read.entry, request->l2.read.entry);
    EXPECT_EQ(request->l2.bytes, 1u << 18); // a MiB of L2: the power of two below a third
    EXPECT_EQ(request->l2.bytes_per_turn, 4.0 * 16 * 80 * 256);
    EXPECT_FALSE(session::peaks_request("/nowhere", record().device));
}

TEST(Peaks, EveryRecordedDeviceOfTheRepositoryReads) {
    for (const auto& problem : session::read_devices(SOURCE_DIR "/assets").problems)
        ADD_FAILURE() << problem.sentence();
}

} // namespace
