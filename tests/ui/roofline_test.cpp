// No kernel stands above its roof, and both axes are of one size.
#include "views/roofline_points.h"

#include "session/ceiling.h"
#include "session/series.h"
#include "stage.h"

namespace {

using catalog::Problem;
constexpr double gflop = 1e9;

TEST(Roofline, BytesAreThoseOfTheSizeOfTheSpeed) {
    analysis::Totals totals; // of 256 cubed, in tiles of 128 by 128: 4 blocks, each reads 256 x (128 + 128) floats
    totals.global_load.sectors = 4 * 256 * 256 * 4 / 32;
    totals.global_store.sectors = 256 * 256 * 4 / 32;
    const Problem small{256, 256, 256}, large{4096, 4096, 4096};
    EXPECT_DOUBLE_EQ(ui::bytes_at(totals, small, small), 5 * 256 * 256 * 4.0);
    const double blocks = 32 * 32;
    EXPECT_DOUBLE_EQ(ui::bytes_at(totals, small, large), 4 * (blocks * 4096 * 256 + 4096.0 * 4096));
    EXPECT_DOUBLE_EQ(ui::bytes_at(totals, small, {512, 256, 1024}), 4 * (8 * 1024 * 256 + 512.0 * 256));
    totals.bulk_copy = totals.async_copy = totals.global_load;
    EXPECT_DOUBLE_EQ(ui::bytes_at(totals, small, small), 13 * 256 * 256 * 4.0);
}

TEST(Roofline, WhatCachesAnswerMovesAKernelToItsRoofAndNotAboveIt) {
    const ui::ByteRoof memory{false, 5000};
    const double flop = 100 * gflop;
    // 0.5 flop a byte and 10 TFLOPS are 20 TB/s: memory brings a quarter of it at most.
    const auto naive = ui::roofline_place(flop, 10000, {flop / 0.5, 0, 0}, memory);
    EXPECT_TRUE(naive.at_roof());
    EXPECT_DOUBLE_EQ(naive.flop_per_byte, 2);
    EXPECT_DOUBLE_EQ(naive.asked_flop_per_byte, 0.5);
    EXPECT_DOUBLE_EQ(naive.answered(), 0.75);
    const auto tiled = ui::roofline_place(flop, 10000, {flop / 30, 0, 0}, memory);
    EXPECT_FALSE(tiled.at_roof());
    EXPECT_DOUBLE_EQ(tiled.flop_per_byte, 30);
    // What a profiler counted goes before what the program asks for, of the level that the roof is of.
    const ui::LaunchBytes profiled{flop / 0.5, flop / 3, flop / 40};
    EXPECT_DOUBLE_EQ(ui::roofline_place(flop, 10000, profiled, memory).flop_per_byte, 40);
    EXPECT_DOUBLE_EQ(ui::roofline_place(flop, 10000, profiled, {true, 8000}).flop_per_byte, 3);
    EXPECT_FALSE(ui::roofline_place(flop, 10000, profiled, {true, 8000}).at_roof());
    EXPECT_DOUBLE_EQ(ui::roofline_place(flop, 10000, {0, flop / 3, 0}, {true, 8000}).leftmost(), 3)
        << "profiled before it was counted";
    EXPECT_DOUBLE_EQ(naive.leftmost(), 0.5);
    EXPECT_EQ(ui::roofline_place(flop, 10000, {}, memory).flop_per_byte, 0) << "not counted yet";
}

// Every recorded product of every kernel at every size, whatever it asks for.
TEST(Roofline, NoRecordedKernelStandsAboveItsRoof) {
    const std::filesystem::path assets = std::filesystem::path(SOURCE_DIR) / "assets";
    const auto catalog = catalog::load({kernel_folder()});
    const auto devices = session::read_devices(assets).devices;
    ASSERT_FALSE(devices.empty());
    const analysis::Device device = session::arithmetic(devices.front().device);
    double worst = 0;
    size_t seen = 0;
    for (const measure::Series& series : session::read_series(assets, catalog).series) {
        const bool products =
            series.operation == catalog::Operation::product && series.kernel != "strassen"; // it multiplies less
        if (series.device != device.name || series.kernel.empty() || !products) continue;
        const session::Ceiling peak = session::ceiling(session::unit_of(series, catalog, device), device, nullptr);
        for (const measure::Sample& sample : series.samples) {
            const double flop = 2.0 * sample.m * sample.n * sample.k;
            for (const double asked : {0.05, 0.4, 8.0, 42.7, 300.0}) { // operations a byte
                const auto place =
                    ui::roofline_place(flop, sample.gflops, {flop / asked, 0, 0}, {false, device.memory_gb_s});
                const double roof = place.flop_per_byte * device.memory_gb_s;
                EXPECT_LE(sample.gflops, roof * (1 + 1e-12)) << series.kernel << " at " << sample.m;
            }
            if (peak.gflops <= 0) continue; // tensor cores that count bits: no rate of them is published
            worst = std::max(worst, sample.gflops / peak.gflops);
            EXPECT_LE(sample.gflops, peak.gflops) << series.kernel << " at " << sample.m;
            ++seen;
        }
    }
    EXPECT_GT(seen, 500u);
    RecordProperty("worst", std::to_string(worst));
}

// What no profiler has counted is counted by blocks of the launch that was measured.
TEST(Roofline, BytesAreCountedAtTheSizeOfTheSpeeds) {
    session::View view = view_of("naive");
    view.plot_tab = session::PlotTab::roofline;
    view.speed_problem = {1024, 2304, 768};
    Stage stage(view);
    stage.show(ui::draw_plot);
    stage.settle();
    stage.frames(2);
    stage.settle();
    const auto groups = ui::of_operands(ui::series_groups(stage.session().series()), catalog::Operation::product,
                                        catalog::OperandType::f32);
    ASSERT_FALSE(groups.empty());
    const auto points = ui::roofline_points(stage.session(), groups.front(), view.speed_problem, {true, 9000});
    EXPECT_GE(points.size(), 10u);
    for (const ui::RooflinePoint& point : points) {
        ASSERT_TRUE(point.launch);
        const auto counts = stage.session().counts(*point.launch);
        ASSERT_TRUE(counts && *counts) << point.kernel->id;
        EXPECT_EQ((*counts)->subject.problem, view.speed_problem) << point.kernel->id;
        EXPECT_GT(point.place.flop_per_byte, 0) << point.kernel->id;
    }
}

// Of what was measured.
TEST(Roofline, PointsAreOfOneSize) {
    Stage stage(view_of("naive"));
    stage.settle();
    const auto groups = ui::of_operands(ui::series_groups(stage.session().series()), catalog::Operation::product,
                                        catalog::OperandType::f32);
    ASSERT_FALSE(groups.empty());
    for (const int edge : {1024, 4096}) {
        const auto points = ui::roofline_points(stage.session(), groups.front(), {edge, edge, edge}, {false, 4814});
        EXPECT_GE(points.size(), 10u);
        for (const ui::RooflinePoint& point : points) {
            EXPECT_EQ(point.figure.sample.m, edge);
            EXPECT_EQ(point.current, point.kernel->id == "naive");
        }
    }
}

} // namespace
