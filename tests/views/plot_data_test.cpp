#include "views/plot_data.h"
#include "views/standing.h"

#include <gtest/gtest.h>

#include <filesystem>

using measure::Origin;
using measure::Series;

namespace {

Series series(std::string name, std::string kernel, Origin origin, std::string device,
              std::vector<measure::Sample> samples) {
    Series made;
    made.name = std::move(name);
    made.kernel = std::move(kernel);
    made.origin = origin;
    made.device = std::move(device);
    made.samples = std::move(samples);
    return made;
}

std::vector<Series> some() {
    return {
        series("naive", "naive", Origin::published, "Tesla V100-PCIE-32GB",
               {{128, 128, 1024, 300}, {4096, 4096, 1024, 1800}}),
        series("naive", "naive", Origin::recorded, "NVIDIA H200", {{1024, 1024, 1024, 4000}, {4096, 4096, 4096, 5000}}),
        series("naive", "naive", Origin::recorded, "NVIDIA H200", {{4096, 4096, 4096, 6000}}),
        series("cublas_fp32", "", Origin::recorded, "NVIDIA H200", {{4096, 4096, 4096, 50000}}),
        series("empty", "", Origin::recorded, "NVIDIA H100", {}),
    };
}

TEST(PlotData, GroupsByOriginAndDevice) {
    const auto all = some();
    const auto groups = views::series_groups(all);
    ASSERT_EQ(groups.size(), 2u); // a series without a sample makes no group
    EXPECT_EQ(groups[0].origin, Origin::recorded);
    EXPECT_EQ(groups[0].series.size(), 3u);
    ASSERT_NE(views::cublas_of(groups[0], catalog::OperandType::f32), nullptr);
    EXPECT_EQ(views::cublas_of(groups[0], catalog::OperandType::f32)->name, "cublas_fp32");
    EXPECT_EQ(views::cublas_of(groups[1], catalog::OperandType::f32), nullptr);
}

// What opens with the plot has rungs, whichever file came first.
TEST(PlotData, ACpuIsAGroupOfItsOwnBehindThatOfTheKernels) {
    auto all = some();
    all.insert(all.begin(), series("openblas_fp32", "", Origin::recorded, "A CPU, 8 cores", {{1024, 1024, 1024, 500}}));
    const auto groups = views::series_groups(all);
    ASSERT_EQ(groups.size(), 3u);
    EXPECT_EQ(groups[0].device, "NVIDIA H200");
    EXPECT_EQ(groups[1].device, "A CPU, 8 cores");
    EXPECT_EQ(groups[2].origin, Origin::published);
    EXPECT_TRUE(views::shown_at_first(groups, 1));
}

// The same sizes with bf16 beside them: another race.
std::vector<Series> with_bf16() {
    auto all = some();
    for (Series& added :
         std::vector{series("tensor", "tensor", Origin::recorded, "NVIDIA H200", {{4096, 4096, 4096, 600000}}),
                     series("cublas_bf16", "", Origin::recorded, "NVIDIA H200", {{4096, 4096, 4096, 750000}})}) {
        added.operands = catalog::OperandType::bf16;
        all.push_back(added);
    }
    return all;
}

TEST(PlotData, APictureShowsOneTypeOfOperands) {
    const auto all = with_bf16();
    const auto fp32 =
        views::of_operands(views::series_groups(all), catalog::Operation::product, catalog::OperandType::f32);
    const auto bf16 =
        views::of_operands(views::series_groups(all), catalog::Operation::product, catalog::OperandType::bf16);
    EXPECT_EQ(fp32.size(), 2u);
    EXPECT_EQ(fp32[0].series.size(), 3u);
    EXPECT_EQ(views::cublas_of(fp32[0], catalog::OperandType::bf16), nullptr);
    ASSERT_EQ(bf16.size(), 1u) << "what was published has none";
    EXPECT_EQ(bf16[0].series.size(), 2u);
    EXPECT_TRUE(
        views::of_operands(views::series_groups(all), catalog::Operation::product, catalog::OperandType::tf32).empty());
    const auto both = views::series_groups(all);
    EXPECT_EQ(views::reference_of(both[0], *both[0].series.front(), {4096, 4096, 4096, 0}), 50000);
    EXPECT_EQ(views::reference_of(both[0], *both[0].series.back(), {4096, 4096, 4096, 0}), 750000);
}

TEST(PlotData, AKernelStandsBesideCublasOfItsOwnOperands) {
    const auto all = with_bf16();
    const auto now = views::standing(views::series_groups(all), {4096, 4096, 4096});
    EXPECT_TRUE(now.exact);
    ASSERT_EQ(now.share.size(), 2u) << "both in one ladder";
    EXPECT_DOUBLE_EQ(now.share.at("naive"), 6000.0 / 50000);
    EXPECT_DOUBLE_EQ(now.share.at("tensor"), 0.8);
}

TEST(PlotData, AStandingIsOfTheNearestSizeAndSaysSo) {
    const auto all = with_bf16();
    const auto groups = views::series_groups(all);
    for (const int edge : {256, 3000, 16384}) { // the only size with a cuBLAS beside it
        const auto now = views::standing(groups, {edge, edge, edge});
        EXPECT_EQ(now.problem, (catalog::Problem{4096, 4096, 4096})) << edge;
        EXPECT_FALSE(now.exact);
        EXPECT_EQ(now.cubes.size(), 2u) << "what can be asked for";
    }
    EXPECT_TRUE(views::standing({}, {}).share.empty());
}

TEST(PlotData, ShapesAreApartAsEdgesAre) {
    const catalog::Problem cube{4096, 4096, 4096};
    EXPECT_EQ(views::distance(cube, cube), (std::pair(0.0, 0.0)));
    EXPECT_LT(views::distance({4096, 4096, 1024}, cube), views::distance({2048, 2048, 2048}, cube))
        << "the edge before the shape";
    EXPECT_LT(views::distance({4096, 4096, 1024}, {4096, 4096, 512}), views::distance(cube, {4096, 4096, 512}));
}

TEST(PlotData, PublishedFiguresStandInOnlyWhereNothingWasMeasured) {
    const auto all = some();
    const auto groups = views::series_groups(all);
    EXPECT_TRUE(views::shown_at_first(groups, 0));
    EXPECT_FALSE(views::shown_at_first(groups, 1));
    const std::vector<Series> published(all.begin(), all.begin() + 1);
    EXPECT_TRUE(views::shown_at_first(views::series_groups(published), 0));
}

TEST(PlotData, AFigureIsTheFastestAtExactlyThatSize) {
    const auto all = some();
    const auto groups = views::series_groups(all);
    const auto figure = views::figure(groups[0], "naive", {4096, 4096, 4096});
    ASSERT_TRUE(figure);
    EXPECT_EQ(figure->sample.gflops, 6000);
    EXPECT_EQ(views::reference_of(groups[0], *figure->series, figure->sample), 50000);
    EXPECT_FALSE(views::figure(groups[0], "naive", {4096, 4096, 1024}));
    EXPECT_FALSE(views::figure(groups[0], "double_buffer", {4096, 4096, 4096}));
    EXPECT_EQ(views::reference_of(groups[0], *figure->series, {1024, 1024, 1024, 0}), 0); // not measured there
}

TEST(PlotData, SizesOnceAndInOrder) {
    const auto all = some();
    const auto groups = views::series_groups(all);
    const auto sizes = views::sizes(groups[0]);
    ASSERT_EQ(sizes.size(), 2u);
    EXPECT_EQ(sizes[0].m, 1024);
    EXPECT_EQ(sizes[1].m, 4096);
    EXPECT_EQ(views::nearest_size(groups[0], {3000, 3000, 3000})->m, 4096);
    EXPECT_EQ(views::nearest_size(groups[0], {1, 1, 1})->m, 1024);
    EXPECT_FALSE(views::nearest_size({}, {4096, 4096, 4096}));
}

// After R the ladder still stands: the other rungs as they were recorded on that device.
TEST(PlotData, WhatIsMeasuredHereIsCompletedByWhatWasRecordedOnTheSameDevice) {
    const auto series = [](const char* kernel, measure::Origin origin, const char* device, double gflops) {
        measure::Series one;
        one.name = *kernel ? kernel : "cublas_fp32";
        one.kernel = kernel, one.origin = origin, one.device = device;
        one.samples = {{1024, 1024, 1024, gflops}};
        return one;
    };
    using enum measure::Origin;
    std::vector<measure::Series> all{series("", live, "A", 100), series("naive", live, "A", 30),
                                     series("", recorded, "A", 200), series("naive", recorded, "A", 40),
                                     series("champion", recorded, "A", 220)};
    auto now = views::standing(views::series_groups(all), {1024, 1024, 1024});
    EXPECT_EQ(now.origin, recorded);
    EXPECT_EQ(now.live, 1);
    EXPECT_DOUBLE_EQ(now.share["naive"], 0.3);
    EXPECT_DOUBLE_EQ(now.share["champion"], 1.1);
    // The plot's rungs are the same ones: what was measured here first, though the other is faster; each beside its own cuBLAS.
    const auto groups = views::series_groups(all);
    const views::SeriesGroup rungs = views::completed(groups.front(), groups);
    EXPECT_EQ(views::completed(groups.back(), groups).series.size(), 3u) << "recorded ones stay as they are";
    for (const auto& [kernel, share] : now.share) {
        const auto figure = views::figure(rungs, kernel, {1024, 1024, 1024});
        ASSERT_TRUE(figure);
        EXPECT_DOUBLE_EQ(figure->sample.gflops / views::reference_of(rungs, *figure->series, figure->sample), share);
    }
    for (measure::Series& one : all)
        if (one.origin == recorded) one.device = "B";
    now = views::standing(views::series_groups(all), {1024, 1024, 1024});
    EXPECT_EQ(now.origin, live);
    EXPECT_EQ(now.share.size(), 1u);
}

TEST(PlotData, ACurveIsOfCubesWhereThereAreAny) {
    measure::Series series;
    series.samples = {{1024, 1024, 1024, 3}, {2048, 2048, 128, 1}, {2048, 1024, 4096, 2}, {2048, 2048, 2048, 5}};
    const auto curve = views::curve(series);
    ASSERT_EQ(curve.size(), 2u);
    EXPECT_EQ(curve[1].gflops, 5);
    series.samples = {
        {1024, 1024, 64, 3}, {2048, 2048, 64, 1}, {2048, 2048, 2048, 5}}; // k is the same throughout, or nearly
    EXPECT_EQ(views::curve(series).size(), 3u);
    views::SeriesGroup group;
    series.samples = {{2048, 2048, 128, 1}, {1024, 4096, 2048, 2}, {2048, 2048, 2048, 5}};
    group.series = {&series};
    EXPECT_EQ(views::nearest_size(group, {2048, 2048, 2048})->k, 2048);
    EXPECT_EQ(views::nearest_size(group, {2048, 2048, 2048})->m, 2048);
}

TEST(PlotData, DriverNamesMeetTheTableOfPeaks) {
    const auto name = [](const char* device) {
        const analysis::Device* found = views::device_named(device);
        return found ? found->name : std::string();
    };
    EXPECT_EQ(name("NVIDIA H200"), "H200");
    EXPECT_EQ(name("Tesla V100-SXM2-16GB"), "V100 SXM2");
    EXPECT_EQ(name("Tesla V100-PCIE-32GB"), "V100 PCIe");
    EXPECT_EQ(name("NVIDIA GeForce RTX 4090"), "RTX 4090");
    EXPECT_EQ(name("NVIDIA H100 80GB HBM3"), "H100 SXM");
    EXPECT_EQ(name("NVIDIA H100 PCIe"), ""); // other peaks than the SXM board's
    EXPECT_EQ(name("NVIDIA GeForce RTX 4060"), "");
    EXPECT_EQ(name(""), "");
}

TEST(PlotData, PeaksAreTheDevicesOwnOrThoseRecordedOnItsLike) {
    session::DeviceRecord here, other, like;
    here.device.name = like.device.name = "A", other.device.name = "B";
    other.measured.emplace(), like.measured.emplace();
    other.file = "b.json", like.file = "a.json";
    const std::vector<session::DeviceRecord> recorded{other, like};
    std::optional<session::DeviceRecord> mine = here;
    auto known = views::known_device(mine, recorded, "A");
    EXPECT_EQ(known.record, &*mine);
    EXPECT_EQ(known.measured, &recorded[1]) << "at once, before anything is measured here";
    mine->measured.emplace();
    EXPECT_EQ(views::known_device(mine, recorded, "A").measured, &*mine);
    known = views::known_device({}, recorded, "");
    EXPECT_EQ(known.record, &recorded[0]) << "any";
    EXPECT_EQ(known.measured, &recorded[0]);
    mine->measured.reset();
    EXPECT_EQ(views::known_device(mine, {other}, "A").peaks(), nullptr) << "another model says nothing";
    EXPECT_EQ(views::known_device(mine, recorded, "C").record, nullptr);
}

TEST(PlotData, SizeText) {
    EXPECT_EQ(views::size_text(512, 512, 512), "512³");
    EXPECT_EQ(views::size_text(128, 128, 1024), "128 × 128 × 1024");
}

} // namespace
