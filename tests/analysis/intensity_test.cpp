#include "analysis/intensity.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>

namespace {

using analysis::Device;
using analysis::Unit;

TEST(Intensity, ByHand) {
    analysis::Totals t;
    t.global_load.sectors = 900;
    t.global_store.sectors = 90;
    t.async_copy.sectors = 10;
    t.shared_load.wavefronts = 300;
    t.shared_store.wavefronts = 20;
    const Device device{"one", "sm_90", 10, 1.0, 128, 100}; // 2560 GFLOPS
    const analysis::Intensity i = analysis::intensity(t, 2.0 * 100 * 20 * 8, device);
    EXPECT_DOUBLE_EQ(i.flop, 32000);
    EXPECT_DOUBLE_EQ(i.global_bytes, 32000);
    EXPECT_DOUBLE_EQ(i.flop_per_byte, 1);
    EXPECT_DOUBLE_EQ(i.required_gb_s, 2560);
    EXPECT_DOUBLE_EQ(i.available_gb_s, 100);
    EXPECT_DOUBLE_EQ(i.shared_bytes_per_flop, 320 * 128 / 32000.0);
}

TEST(Intensity, WithoutTrafficNothingIsRequired) {
    const analysis::Intensity i = analysis::intensity({}, 0, {});
    EXPECT_EQ(i.flop_per_byte, 0);
    EXPECT_EQ(i.required_gb_s, 0);
    EXPECT_EQ(i.shared_bytes_per_flop, 0);
}

TEST(Devices, PeaksAreThePublishedOnes) {
    const std::tuple<const char*, double, double> published[] = {
        // TFLOPS: FP32, FP64 without tensor cores
        {"H200", 66.9, 33.5},          {"H100 SXM", 66.9, 33.5},
        {"A100 SXM", 19.5, 9.7},       {"V100 SXM2", 15.7, 7.8},
        {"V100 PCIe", 14.1, 7.0},      {"T4", 8.1, 8.1 / 32},
        {"L4", 30.3, 30.3 / 64},       {"RTX 3090", 35.6, 35.6 / 64},
        {"RTX 4090", 82.6, 82.6 / 64}, {"RTX 5090", 104.8, 104.8 / 64},
    };
    for (const auto& [name, tflops, fp64_tflops] : published) {
        const auto& all = analysis::devices();
        const auto at =
            std::find_if(all.begin(), all.end(), [&name = name](const Device& d) { return d.name == name; });
        ASSERT_NE(at, all.end()) << name;
        EXPECT_NEAR(at->gflops(Unit::fp32) / 1000, tflops, tflops * 0.01) << name;
        EXPECT_NEAR(at->gflops(Unit::fp64) / 1000, fp64_tflops, fp64_tflops * 0.01) << name;
    }
}

TEST(Devices, RatesOfTensorCoresAreThePublishedOnes) {
    Device a100 = *analysis::device_of("sm_80"), h100 = *analysis::device_of("sm_90");
    a100.multiprocessors = 108, a100.clock_ghz = 1.410;
    h100.multiprocessors = 132, h100.clock_ghz = 1.830;
    for (auto [device, unit, tflops] : {std::tuple{a100, Unit::tensor_tf32, 156.0},
                                        {a100, Unit::tensor_bf16, 312.0},
                                        {a100, Unit::tensor_fp64, 19.5},
                                        {h100, Unit::tensor_tf32, 494.7},
                                        {h100, Unit::tensor_3xtf32, 494.7 / 3},
                                        {h100, Unit::tensor_bf16, 989.4},
                                        {h100, Unit::tensor_fp64, 66.9 * 1830 / 1980}})
        EXPECT_NEAR(device.gflops(unit) / 1000, tflops, tflops * 0.002) << analysis::name_of(unit);
    EXPECT_EQ(h100.gflops(Unit::tensor_b1), 0) << "not published";
    EXPECT_EQ(analysis::device_of("sm_89")->gflops(Unit::tensor_bf16), 0) << "the boards differ";
    EXPECT_EQ(h100.gflops(Unit::popc), 64.0 * 132 * 16 * 1.830);
    EXPECT_EQ(analysis::device_of("sm_1"), nullptr);
}

TEST(Devices, AreDistinctAndComplete) {
    std::set<std::string> names;
    for (const Device& d : analysis::devices()) {
        EXPECT_TRUE(names.insert(d.name).second) << d.name;
        EXPECT_GT(d.gflops(Unit::fp32), 0) << d.name;
        EXPECT_GT(d.gflops(Unit::fp64), 0) << d.name;
        EXPECT_GT(d.memory_gb_s, 0) << d.name;
    }
}

} // namespace
