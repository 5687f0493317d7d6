// Sentences that the window and the command line share.
#include "session/ceiling.h"
#include "views/block_words.h"
#include "views/device_rows.h"
#include "views/run_words.h"
#include "views/search_words.h"
#include "views/speed_words.h"
#include "views/stream_words.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace {

using session::Language;

views::Strings strings(Language language = Language::en) {
    auto loaded = views::Strings::load(std::filesystem::path(SOURCE_DIR) / "assets" / "i18n");
    EXPECT_TRUE(loaded) << loaded.error().sentence();
    loaded->use(language);
    return *std::move(loaded);
}

TEST(Words, OrdersOfTheWarps) {
    const views::Strings tr = strings();
    EXPECT_EQ(views::schedule_text(tr, {}), "in order");
    EXPECT_EQ(views::schedule_text(tr, {trace::Schedule::Kind::warp_first, 3}), "warp 3 first");
    EXPECT_EQ(views::schedule_text(tr, {trace::Schedule::Kind::shuffled, 7}), "shuffled, seed 7");
}

TEST(Words, WhatARunLeavesOpen) {
    const views::Strings tr = strings();
    session::FullRun run;
    EXPECT_EQ(views::unwatched_text(tr, run), "");
    EXPECT_EQ(views::sample_text(tr, run), "");
    run.unwatched = true;
    EXPECT_TRUE(views::unwatched_text(tr, run).starts_with("The launch is large"));
}

TEST(Words, WhyASearchMeansAKernel) {
    using Where = session::Match::Where;
    EXPECT_EQ(views::matches_text(strings(), {}), "");
    EXPECT_EQ(views::matches_text(strings(), {{Where::idea, "tile"}, {Where::ptx, "cp.async"}}),
              "idea: tile, PTX: cp.async");
}

TEST(Words, SpeedsAndUnits) {
    const views::Strings tr = strings();
    EXPECT_EQ(views::of_cublas(tr, 0.874, catalog::OperandType::f32), "87.4 % of cuBLAS FP32");
    EXPECT_EQ(views::of_cublas(tr, 0.5, catalog::OperandType::b1), "50.0 % of cuBLAS FP32");
    session::Speed speed;
    speed.device = "NVIDIA H200", speed.origin = measure::Origin::recorded;
    EXPECT_EQ(views::speed_origin(tr, speed), "recorded on NVIDIA H200");
    EXPECT_EQ(views::unit_text(tr, analysis::Unit::fp32), "FP32");
    EXPECT_EQ(views::percent_text(1, 8), "12.5 %");
    EXPECT_EQ(views::percent_text(1, 0), "—");
}

// Ten multiprocessors of 128 lanes at 1 GHz do 2560 GFLOPS.
TEST(Words, APeakIsTheMultiplicationThatItIs) {
    const views::Strings tr = strings();
    measure::Device device;
    device.arch = "sm_90", device.multiprocessors = 10, device.sm_clock_mhz = 1000;
    device.memory_bus_bits = 64, device.memory_clock_mhz = 1000, device.l2_bytes = 50 << 20;
    constexpr std::array units{analysis::Unit::fp32};
    auto peaks = views::device_peaks(tr, device, nullptr, units);
    ASSERT_EQ(peaks.size(), 2u);
    EXPECT_EQ(peaks[0].name, "FP32");
    EXPECT_EQ(peaks[0].product, "10 × 128 × 2 × 1000 MHz = 2.6 TFLOPS");
    EXPECT_EQ(peaks[0].measured, "");
    EXPECT_EQ(peaks[1].product, "64 bit ÷ 8 × 2 × 1000 MHz = 16 GB/s");
    measure::Peaks measured;
    measured.fma_gflops = 2432, measured.fma_clock_mhz = 990, measured.copy_gb_s = 12;
    peaks = views::device_peaks(tr, device, &measured, units);
    EXPECT_TRUE(peaks[0].measured.starts_with("measured 2.4 TFLOPS, 95.0 %, at 990 MHz")) << peaks[0].measured;
    EXPECT_TRUE(peaks[1].measured.starts_with("measured 12 GB/s, 75.0 %")) << peaks[1].measured;
    EXPECT_EQ(views::caches_text(tr, measured), "");
    EXPECT_EQ(views::device_facts(tr, device)[0], "10 SMs, sm_90, clock up to 1000 MHz");
}

TEST(Words, BlocksAndTheirTail) {
    measure::BlockTimeline t;
    t.multiprocessors = 2, t.device = "GPU", t.driver = "1", t.cuda = "13.0", t.date = "today";
    t.grid = {3, 1, 1}, t.plain_ms = 2, t.recorded_ms = 2.5;
    t.blocks = {{0, 10, 0}, {0, 10, 1}, {10, 20, 0}}; // the third runs alone
    const measure::Waves waves = measure::waves(t);
    const views::Strings tr = strings();
    EXPECT_EQ(views::blocks_origin(tr, t), "Measured here: GPU, driver 1, CUDA 13.0, today");
    EXPECT_EQ(views::blocks_sentence(tr, t, waves), "1.50 waves of 2 blocks; the last fills 50 % of the block slots. "
                                                    "Tail effect: 25 % of all slot time is idle at the end.");
    EXPECT_EQ(views::blocks_launch(tr, t), "A launch takes 2 ms, with recording 2.5 ms.");
}

session::Stream stream() {
    auto record = std::make_shared<measure::StreamRecord>();
    record->assumed = {10, 45000};
    session::Stream stream;
    stream.record = record;
    stream.plan.shape = {4096, 2048, 1024, 2, 4'000'000'000};
    stream.plan.tiles_down = stream.plan.tiles_across = 2, stream.plan.pieces = 16;
    stream.plan.device_bytes = 200'000'000;
    stream.sum.total_ms = 100, stream.sum.flop = 2e12, stream.sum.tail_ms = 3;
    stream.sum.waited_ms[static_cast<size_t>(measure::StreamWait::launch)] = 0.5;
    return stream;
}

TEST(Words, AStreamedProduct) {
    session::Stream one = stream();
    const views::Strings tr = strings();
    EXPECT_EQ(views::stream_origin(tr, *one.record), "Planned, not measured, at 10 GB/s and 45 TFLOPS");
    EXPECT_TRUE(views::stream_tiles(tr, one).starts_with(
        "4 tiles of C, 4096 × 2048, each the sum of 16 products; 0.2 of at most 4 GB on the GPU."))
        << views::stream_tiles(tr, one);
    EXPECT_TRUE(views::stream_time(tr, one).starts_with("100 ms in total, 20 TFLOPS"));
    EXPECT_EQ(views::stream_time(tr, one).find("everything in the GPU's memory"), std::string::npos);
    EXPECT_EQ(views::stream_waits(tr, one),
              "The arithmetic waits 0 ms for A and B, 0 ms for C and 0.5 ms between launches; 3 ms follow it.");
    auto record = std::make_shared<measure::StreamRecord>(*one.record);
    record->in_core_ms = 80;
    one.record = record;
    EXPECT_NE(views::stream_time(tr, one).find("80.0 % of the speed with everything"), std::string::npos);
}

// Every number of a sentence is said in Chinese, too.
TEST(Words, ChineseSaysTheSameNumbers) {
    const views::Strings tr = strings(Language::zh);
    const session::Stream one = stream();
    for (const char* number : {"4096", "2048", "16", "0.2", "4 GB"})
        EXPECT_NE(views::stream_tiles(tr, one).find(number), std::string::npos) << number;
    for (const char* number : {"0.5 ms", "3 ms"})
        EXPECT_NE(views::stream_waits(tr, one).find(number), std::string::npos) << number;
}

} // namespace
