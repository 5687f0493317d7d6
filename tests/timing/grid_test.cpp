// Waves and the tail: grids counted by hand, and those whose blocks were timed on an H200.
#include "base/cpu_time.h"
#include "timing/grid.h"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace {

using timing::BlockCycles;
using timing::grid_cycles;
using timing::Machine;

Machine immediate() {
    Machine m;
    m.block_start = m.unevenness = 0;
    return m;
}

double grid(const Machine& m, uint64_t blocks, const std::vector<double>& first, double alone) {
    return grid_cycles(m, blocks, {.first = first, .alone = alone});
}

TEST(Grid, WavesAndTailsByHand) {
    const Machine m = immediate();
    const uint64_t places = 132;
    const struct {
        uint64_t blocks;
        std::vector<double> first;
        double alone, cycles;
    } cases[] = {
        {1, {1000}, 1000, 1000},
        {places, {1000}, 1000, 1000},
        {places + 1, {1000}, 1000, 2000},
        {2 * places, {1000}, 1000, 2000},
        {20 * places, {1000}, 1000, 20000},
        {20 * places + 1, {1000}, 1000, 21000},
        {2 * places, {1000, 1000}, 600, 1000},     // two at a time
        {4 * places, {1000, 1000}, 600, 2000},     //
        {2 * places + 1, {1000, 1000}, 600, 1600}, // the last one has a multiprocessor to itself
        {places, {1000, 1000}, 600, 600},          // each has
    };
    for (const auto& c : cases)
        EXPECT_NEAR(grid(m, c.blocks, c.first, c.alone), c.cycles, 1e-6 * c.cycles) << c.blocks << " blocks";
}

TEST(Grid, TheLastBlocksMayDoLessByHand) {
    const Machine m = immediate();
    const uint64_t places = 132;
    const struct {
        uint64_t blocks, last;
        double work, cycles;
    } cases[] = {
        {3 * places, places, 0.25, 2250},
        {3 * places, 1, 0.25, 3000},         // all others of the wave do their whole
        {3 * places, 3 * places, 0.5, 1500}, // there are no others
        {100 * places, 50 * places, 0.5, 75000},
        {2 * places, places / 2, 0, 2000},
        {2 * places, 1, 3, 4000}, // and more
    };
    for (const auto& c : cases)
        EXPECT_NEAR(grid_cycles(m, c.blocks, {.first = std::vector<double>{1000}, .alone = 1000}, {c.last, c.work}),
                    c.cycles, 1e-6 * c.cycles)
            << c.blocks << " blocks, of which " << c.last << " do " << c.work;
}

TEST(Grid, ABlockBeginsAfterItsPlaceIsFree) {
    Machine m;
    m.unevenness = 0;
    EXPECT_DOUBLE_EQ(grid(m, 1, {1000}, 1000), 1000 + m.block_start);
    EXPECT_NEAR(grid(m, 3 * 132, {1000}, 1000), 3 * (1000 + m.block_start), 1e-6);
}

TEST(Grid, MoreBlocksNeverTakeLess) {
    const Machine m;
    const std::vector<double> firsts[] = {{1000}, {900, 1000}, {500, 700, 900, 1200}};
    for (const auto& first : firsts) {
        double before = 0;
        for (uint64_t blocks = 1; blocks < 16 * 132 * first.size(); blocks += 61) {
            const double cycles = grid(m, blocks, first, 0.6 * first.back());
            EXPECT_GE(cycles, before * (1 - 1e-9)) << blocks << " blocks, " << first.size() << " at a time";
            before = cycles;
        }
    }
}

TEST(Grid, HasNoBoundsThatMatter) {
    const Machine m;
    EXPECT_EQ(grid(m, 0, {1000}, 1000), 0);
    EXPECT_EQ(grid(m, 1000, {}, 0), 0); // nothing fits
    const double before = base::thread_cpu_s();
    const double cycles = grid(m, uint64_t{1} << 31, {900, 1000}, 600);
    EXPECT_GT(grid_cycles(m, uint64_t{1} << 31, {.first = std::vector<double>{900, 1000}, .alone = 600},
                          {uint64_t{1} << 30, 0.5}),
              0);
    EXPECT_LT(base::thread_cpu_s() - before, 1);
    EXPECT_GT(cycles, 8e9 / 132 * 100);
    EXPECT_TRUE(std::isfinite(cycles));
}

// Of a block that has a multiprocessor to itself, from the last ones of places that had one block less than others: they were alone
// behind the end of the one before, and until then moved on as in the first wave.
double alone_of(std::map<int, std::vector<std::pair<double, double>>>& blocks, double together) {
    size_t most = 0;
    for (const auto& [place, all] : blocks) most = std::max(most, all.size());
    double sum = 0, count = 0;
    for (auto& [place, all] : blocks) {
        if (all.size() == most) continue;
        std::sort(all.begin(), all.end(), [](auto a, auto b) { return a.second < b.second; });
        const auto [start, end] = all.back();
        const double left = std::max(start, all[all.size() - 2].second);
        sum += (end - left) / (1 - (left - start) / together);
        ++count;
    }
    return count > 0 ? sum / count : together;
}

// Damaged code may fail at its first instruction.
TEST(Grid, BlocksThatExecuteNothingTakeATimeThatIsANumber) {
    const Machine m;
    for (const std::vector<double>& first : {std::vector<double>{0}, {0, 0}, {0, 100}, {100, 0}})
        for (const double alone : {0.0, 100.0})
            for (const uint64_t blocks : {1, 132, 5000}) {
                const double cycles = grid(m, blocks, first, alone);
                EXPECT_TRUE(std::isfinite(cycles) && cycles > 0) << cycles << " of " << blocks;
            }
}

TEST(Grid, EndsWithTheRecordedTimelines) {
    for (const char* name : {"double_buffer_4096", "warp_tile_4096", "champion_4096", "double_buffer_1024"}) {
        std::ifstream in(std::string(SOURCE_DIR "/assets/recorded/timelines/h200_") + name + ".json");
        const auto json = nlohmann::json::parse(in);
        const Machine m;
        const double cycles_a_ns = m.clock_mhz / 1e3, first_wave = 4000; // cycles in which it begins
        const std::vector<int> place = json.at("multiprocessor");
        std::map<int, std::vector<std::pair<double, double>>> blocks;
        std::map<int, std::vector<double>> firsts;
        double last = 0;
        for (size_t b = 0; b < place.size(); ++b) {
            const double start = json.at("start_ns")[b].get<double>() * cycles_a_ns;
            const double end = json.at("end_ns")[b].get<double>() * cycles_a_ns;
            blocks[place[b]].emplace_back(start, end);
            if (start < first_wave) firsts[place[b]].push_back(end);
            last = std::max(last, end);
        }
        std::vector<double> first(firsts.begin()->second.size());
        for (auto& [p, ends] : firsts) {
            ASSERT_EQ(ends.size(), first.size());
            std::sort(ends.begin(), ends.end());
            for (size_t n = 0; n < ends.size(); ++n) first[n] += ends[n] / static_cast<double>(firsts.size());
        }
        double together = 0;
        for (const double end : first) together += end / static_cast<double>(first.size());
        const double alone = alone_of(blocks, together);
        // Where the first had ended, another block came; without it the second would have moved on alone.
        if (first.size() == 2) first[1] = first[0] + (first[1] - first[0]) * alone / together;
        EXPECT_NEAR(grid(m, place.size(), first, alone) / last, 1, 0.03) << name;
    }
}

TEST(Grid, ResidentsShareWhatThoseLeaveThatHaveEnded) {
    constexpr double unbounded = std::numeric_limits<double>::infinity();
    const auto ends = [](double left, std::vector<double> paces, double most) {
        return timing::shared_ends(left, paces, most);
    };
    const auto expect = [](const std::vector<double>& found, const std::vector<double>& expected) {
        ASSERT_EQ(found.size(), expected.size());
        for (size_t n = 0; n < found.size(); ++n) EXPECT_NEAR(found[n], expected[n], 0.02) << n;
    };
    expect(ends(12, {2, 2, 2}, unbounded), {6, 6, 6});
    // The first ends at 3; of 12 the second has done 6 and does the rest at 6 instead of 2.
    expect(ends(12, {4, 2}, unbounded), {3, 4});
    expect(ends(12, {2, 4}, 3), {16.0 / 3, 4}); // the second goes at 3, and when it has ended the first does
    expect(ends(12, {3, 0}, 3), {4, 8});        // who stood still begins when there is room
    EXPECT_TRUE(ends(12, {}, 1).empty());
}

} // namespace
