#include "../analysis/made_trace.h"
#include "views/cycle_track.h"

#include <gtest/gtest.h>

#include <numeric>

namespace {

using timing::Issue;
using timing::Wait;
using trace::Kind;
using trace::Space;
using views::Lane;

// Warp 0: a load at cycle 10; an FMA at 50 that waits 4 cycles by its stall count and 35 for the load. Warp 1: an FMA at 20.
struct Made {
    views::Pictures pictures;
    std::shared_ptr<const views::BlockPicture> picture;
    timing::Run run;
    Made() {
        test::MadeTrace made(64);
        made.buffer("A", 0x1000, 4, 32);
        trace::Addresses address{};
        for (size_t lane = 0; lane < address.size(); ++lane) address[lane] = 0x1000 + lane * 4;
        const uint32_t load = made.code(Kind::load, Space::global, 4), fma = made.code(Kind::fma);
        made.run(0, load, address);
        made.run(1, fma);
        made.run(0, fma);
        auto block = std::make_shared<session::BlockRun>();
        block->trace = made.get();
        block->timeline = analysis::timeline(block->trace);
        picture = pictures.block(std::shared_ptr<const session::BlockRun>(block));
        run.block_cycles = {51};
        run.issues.resize(3);
        run.issues[0].cycle = 10;
        run.issues[1].cycle = 20;
        run.issues[2] = {.cycle = 50,
                         .waited = 39,
                         .why = Wait::long_scoreboard,
                         .why_cycles = 35,
                         .producer = 0,
                         .first_part = 0,
                         .parts = 2};
        run.parts = {{4, Issue::nobody, Wait::fixed_latency}, {35, 0, Wait::long_scoreboard}};
    }
};

float waited(const std::vector<views::CyclePixel>& pixels, Wait why) {
    return std::accumulate(pixels.begin(), pixels.end(), 0.0f, [why](float sum, const views::CyclePixel& pixel) {
        return sum + pixel.waited[static_cast<size_t>(why)];
    });
}

TEST(CycleTrack, HoldsEveryIssueAndEveryCycleThatWasWaited) {
    const Made made;
    for (const int count : {1, 7, 60, 500}) {
        const auto pixels = views::cycle_track(*made.picture, made.run, 0, {0, 60}, count);
        ASSERT_EQ(pixels.size(), static_cast<size_t>(count));
        EXPECT_NEAR(waited(pixels, Wait::fixed_latency), 4, 1e-3) << count;
        EXPECT_NEAR(waited(pixels, Wait::long_scoreboard), 35, 1e-3) << count;
        uint32_t loads = 0;
        for (const auto& pixel : pixels) loads += pixel.count[static_cast<size_t>(Lane::global_load)];
        EXPECT_EQ(loads, count <= 60 ? 1u : 9u) << "a cycle that is wider than a pixel covers all of its pixels";
    }
    const auto cut = views::cycle_track(*made.picture, made.run, 0, {20, 30}, 10);
    EXPECT_NEAR(waited(cut, Wait::long_scoreboard), 10, 1e-3) << "a wait that goes on beyond both ends";
    EXPECT_EQ(waited(cut, Wait::fixed_latency), 0);
}

TEST(CycleTrack, SaysWhatHappensInACycle) {
    const Made made;
    EXPECT_EQ(views::index_at_cycle(*made.picture, made.run, 0, 0), 0u);
    EXPECT_EQ(views::index_at_cycle(*made.picture, made.run, 0, 10.5), 0u);
    EXPECT_EQ(views::index_at_cycle(*made.picture, made.run, 0, 11), 1u) << "waits for what comes next";
    EXPECT_EQ(views::index_at_cycle(*made.picture, made.run, 0, 1e9), 1u);
    const auto stall = views::gap_at_cycle(*made.picture, made.run, 0, 1, 12),
               load = views::gap_at_cycle(*made.picture, made.run, 0, 1, 49.9);
    ASSERT_TRUE(stall && load);
    EXPECT_EQ(stall->part.why, Wait::fixed_latency);
    EXPECT_EQ(load->part.why, Wait::long_scoreboard);
    EXPECT_EQ(load->part.producer, 0u);
    EXPECT_EQ(load->first, 15);
    EXPECT_EQ(load->last, 50);
    EXPECT_FALSE(views::gap_at_cycle(*made.picture, made.run, 0, 1, 50)) << "it issues";
    const timing::Lost lost = views::warp_waits(*made.picture, made.run, 0, {0, 2});
    EXPECT_EQ(lost[Wait::selected], 2u);
    EXPECT_EQ(lost[Wait::long_scoreboard], 35u);
}

TEST(CycleTrack, ShowsAllOfAWarpWithoutALoopAndMagnifiesAroundTheStep) {
    const Made made;
    const auto all = views::cycles_around(*made.picture, made.run, 0, 1, 1);
    EXPECT_EQ(all.first, 0);
    EXPECT_EQ(all.last, 51);
    for (const double zoom : {1e-3, 0.5, 2.0, 3.0, 1e6})
        for (const uint32_t index : {0u, 1u}) {
            const auto part = views::cycles_around(*made.picture, made.run, 0, index, zoom);
            const double cycle = views::issue_cycle(*made.picture, made.run, 0, index);
            EXPECT_GE(part.first, 0);
            EXPECT_LE(part.last, 51);
            EXPECT_LE(part.first, cycle);
            EXPECT_GT(part.last, cycle);
            EXPECT_GE(part.last - part.first, 16) << "a gap and its name have room";
        }
}

TEST(CycleTrack, GroupsWarpsByTheirScheduler) {
    EXPECT_EQ(views::by_scheduler(6), (std::vector<size_t>{0, 4, 1, 5, 2, 3}));
    EXPECT_EQ(views::by_scheduler(1), std::vector<size_t>{0});
}

} // namespace
