#include "base/cpu_time.h"
#include "measure/block_timeline.h"

#include <gtest/gtest.h>

namespace {

measure::BlockTimeline timeline(std::vector<measure::BlockRecord> blocks, int multiprocessors) {
    measure::BlockTimeline t;
    t.kernel = "k";
    t.parameters = {{"BM", 64}};
    t.m = 10, t.n = 20, t.k = 30;
    t.grid = {static_cast<uint32_t>(blocks.size()), 1, 1};
    t.block = {128, 1, 1};
    t.blocks = std::move(blocks);
    t.multiprocessors = multiprocessors;
    t.plain_ms = 1, t.recorded_ms = 1.25;
    t.device = "D", t.driver = "1.2", t.cuda = "13.0", t.date = "2026-01-02";
    return t;
}

TEST(BlockTimeline, JsonKeepsAll) {
    const auto t = timeline({{0, 5, 7}, {1, 9, 0}}, 132);
    auto back = measure::block_timeline_from_json(measure::to_json(t));
    ASSERT_TRUE(back) << back.error().sentence();
    EXPECT_EQ(*back, t);
    EXPECT_TRUE(measure::is_of(t, "k", {{"BM", 64}}, {10, 20, 30}));
    EXPECT_FALSE(measure::is_of(t, "k", {{"BM", 32}}, {10, 20, 30}));
    EXPECT_FALSE(measure::is_of(t, "k", {{"BM", 64}}, {10, 20, 31}));
}

TEST(BlockTimeline, DamagedFilesNameTheField) {
    std::string text = measure::to_json(timeline({{0, 5, 7}, {1, 9, 0}}, 132));
    const auto with = [&](std::string from, const std::string& to) {
        std::string changed = text;
        changed.replace(changed.find(from), from.size(), to);
        auto read = measure::block_timeline_from_json(changed);
        return read ? std::string("read") : read.error().sentence();
    };
    EXPECT_NE(with("[0,1]", "[0]").find("not 2 records"), std::string::npos);
    EXPECT_NE(with("[0,1]", "[0,-1]").find("start_ns is not a list of whole numbers"), std::string::npos);
    EXPECT_NE(with("[0,1]", "[0,10]").find("ends before it starts"), std::string::npos);
    EXPECT_NE(with("[2,1,1]", "[2,1]").find("grid is not three sizes"), std::string::npos);
    EXPECT_NE(with("[2,1,1]", "[0,1,1]").find("grid is not three sizes"), std::string::npos);
    EXPECT_NE(with("\"multiprocessors\":132", "\"multiprocessors\":0").find("multiprocessors is not"),
              std::string::npos);
    EXPECT_NE(measure::block_timeline_from_json("tea").error().sentence().find("not JSON"), std::string::npos);
}

TEST(BlockTimeline, TimesCountFromTheFirstStart) {
    std::vector<measure::BlockRecord> blocks{{105, 110, 0}, {100, 130, 1}};
    ASSERT_TRUE(measure::settle(blocks));
    EXPECT_EQ(blocks, (std::vector<measure::BlockRecord>{{5, 10, 0}, {0, 30, 1}}));
    blocks = {{100, 110, 0}, {0, 0, 0}};
    EXPECT_NE(measure::settle(blocks).error().sentence().find("block 1 of 2 left no record of its beginning"),
              std::string::npos);
    blocks = {{100, 0, 0}, {100, 120, 0}};
    EXPECT_NE(measure::settle(blocks).error().sentence().find("block 0 of 2 left no record of its end"),
              std::string::npos);
}

TEST(BlockTimeline, WavesOfOneBlockAMultiprocessor) {
    // Two multiprocessors, five blocks of 10 ns: the last one runs alone.
    const auto w = measure::waves(timeline({{0, 10, 4}, {0, 10, 2}, {10, 20, 2}, {11, 21, 4}, {21, 30, 4}}, 2));
    EXPECT_EQ(w.resident, 1);
    EXPECT_EQ(w.multiprocessors, (std::vector<int>{2, 4}));
    EXPECT_EQ(w.row, (std::vector<int>{1, 0, 0, 1, 1}));
    EXPECT_EQ(w.wave, (std::vector<int>{0, 0, 1, 1, 2}));
    EXPECT_EQ(w.most_waves, 3);
    EXPECT_EQ(w.duration_ns, 30);
    EXPECT_DOUBLE_EQ(w.count, 2.5);
    EXPECT_DOUBLE_EQ(w.last_fill, 0.5);
    EXPECT_NEAR(w.idle_at_end, 10.0 / 60, 1e-12);
}

TEST(BlockTimeline, PlacesOfAMultiprocessorThatHoldsTwo) {
    const auto w = measure::waves(timeline({{0, 10, 0}, {1, 4, 0}, {4, 12, 0}, {10, 20, 0}}, 1));
    EXPECT_EQ(w.resident, 2);
    EXPECT_EQ(w.place, (std::vector<int>{0, 1, 1, 0}));
    EXPECT_EQ(w.wave, (std::vector<int>{0, 0, 1, 1}));
    EXPECT_DOUBLE_EQ(w.count, 2);
    EXPECT_DOUBLE_EQ(w.last_fill, 1) << "full";
    EXPECT_NEAR(w.idle_at_end, 8.0 / 40, 1e-12);
}

TEST(BlockTimeline, AMultiprocessorWithoutABlockIsIdle) {
    const auto w = measure::waves(timeline({{0, 10, 0}}, 4));
    EXPECT_DOUBLE_EQ(w.count, 0.25);
    EXPECT_DOUBLE_EQ(w.last_fill, 0.25);
    EXPECT_DOUBLE_EQ(w.idle_at_end, 0.75);
}

// No GPU holds them, but a file may say so: all on one multiprocessor at once, or each on one of its own.
TEST(BlockTimeline, HoweverBlocksLieTheirWavesAreFoundSoon) {
    constexpr size_t many = 1 << 17;
    std::vector<measure::BlockRecord> crowd, apart;
    for (size_t i = 0; i < many; ++i) crowd.push_back({i, many + i, 0}), apart.push_back({0, 1, i});
    const double start = base::thread_cpu_s();
    EXPECT_EQ(measure::waves(timeline(crowd, 1)).resident, static_cast<int>(many));
    EXPECT_EQ(measure::waves(timeline(apart, 1)).multiprocessors.size(), many);
    EXPECT_LT(base::thread_cpu_s() - start, 2);
}

} // namespace
