// How the recorded ladder stands: percentages at a size of their own, and bars on the scale of their family and arithmetic.
#include "views/standing.h"

#include "session/series.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace {

struct Recorded {
    catalog::Catalog catalog = catalog::load({std::filesystem::path(SOURCE_DIR) / "kernels"});
    std::vector<measure::Series> series =
        session::read_series(std::filesystem::path(SOURCE_DIR) / "assets", catalog).series;

    views::Standing at(int edge) const { return views::standing(views::series_groups(series), {edge, edge, edge}); }
    views::Yardstick stick(const std::string& kernel, const views::Standing& now) const {
        const auto found = catalog.find(kernel);
        return views::yardstick(catalog.of_family(found->family), *found, now);
    }
    double bar(const std::string& kernel, const views::Standing& now) const {
        return views::bar_length(stick(kernel, now), now, kernel).value_or(-1);
    }
};

TEST(Standing, TheLadderRisesAtFourThousandAndNotAtTheTracedSize) {
    const Recorded recorded;
    const auto now = recorded.at(4096);
    ASSERT_TRUE(now.exact);
    EXPECT_LT(now.share.at("naive_uncoalesced"), 0.02);
    EXPECT_NEAR(now.share.at("naive"), 0.12, 0.02);
    EXPECT_NEAR(now.share.at("double_buffer"), 0.87, 0.03);
    EXPECT_GT(now.share.at("champion"), 1);
    const auto small = recorded.at(256); // four blocks for 132 multiprocessors: launch and latency
    EXPECT_GT(small.share.at("naive"), small.share.at("double_buffer"));
    EXPECT_GE(now.cubes.size(), 8u);
    EXPECT_TRUE(
        std::is_sorted(now.cubes.begin(), now.cubes.end(), [](const auto& a, const auto& b) { return a.m < b.m; }));
}

// One of another family that is many times as fast as cuBLAS's floats shortens no bar of the ladder.
TEST(Standing, BarsShareAScaleWithTheirFamilyAndArithmetic) {
    const Recorded recorded;
    const auto now = recorded.at(4096);
    EXPECT_GT(now.share.at("binary_tensor"), 10);
    double longest = 0;
    for (const auto& kernel : recorded.catalog.of_family("ladder"))
        if (kernel->operands == catalog::OperandType::f32) longest = std::max(longest, recorded.bar(kernel->id, now));
    EXPECT_DOUBLE_EQ(longest, 1) << "the longest fills its column";
    EXPECT_NEAR(recorded.bar("double_buffer", now), now.share.at("double_buffer") / now.share.at("champion"), 1e-9);
    for (const std::string first : {"tensor_tf32", "tensor_bf16"}) { // three rungs of an arithmetic, beside cuBLAS's
        double best = 1;
        for (const std::string rung : {"", "_persistent", "_multicast"})
            best = std::max(best, now.share.at(first + rung));
        EXPECT_DOUBLE_EQ(recorded.stick(first, now).longest, best) << first;
        EXPECT_GT(recorded.bar(first, now), 0.8) << first;
    }
    EXPECT_DOUBLE_EQ(recorded.bar("binary_tensor", now), 1);
    EXPECT_LT(recorded.bar("binary_naive", now), 0.5);
    EXPECT_EQ(recorded.bar("matrix_vector", now), -1) << "not measured at a cube";
}

// 94 % of cuBLAS BF16 is eleven times as fast as 107 % of cuBLAS FP32: no column says both in per cent.
TEST(Standing, AnotherArithmeticThanTheFamilysFirstIsToldInTflops) {
    const Recorded recorded;
    const auto now = recorded.at(4096);
    for (const auto& kernel : recorded.catalog.of_family("ladder"))
        EXPECT_EQ(recorded.stick(kernel->id, now).percent, kernel->operands == catalog::OperandType::f32) << kernel->id;
    for (const auto& kernel : recorded.catalog.of_family("double"))
        EXPECT_TRUE(recorded.stick(kernel->id, now).percent) << kernel->id;
    for (const auto& kernel : recorded.catalog.of_family("binary")) {
        if (kernel->operation != catalog::Operation::product) continue;
        EXPECT_FALSE(recorded.stick(kernel->id, now).percent) << "cuBLAS multiplies no bits";
        EXPECT_FALSE(recorded.stick(kernel->id, now).beside_cublas);
    }
    EXPECT_GT(now.gflops.at("tensor_bf16"), 10 * now.gflops.at("champion"));
}

TEST(Standing, WhatMultipliesNothingStandsBesideNoProduct) {
    const Recorded recorded;
    const auto now = recorded.at(4096);
    EXPECT_FALSE(now.share.contains("add_one"));
    EXPECT_FALSE(now.share.contains("binary_pack_rows"));
}

} // namespace
