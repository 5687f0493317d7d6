// Memory instructions: conflicts, the queue of a sub-core, L1, what lies behind it, stores.
#include "hand_made.h"
#include "recorded.h"

#include <bit>
#include <fmt/format.h>

#include "timing/memory.h"

namespace {

using namespace hand_made;
using timing::Line;

const Machine machine = machine_without_code_fetches();

Op memory(Does does, uint8_t stall = 1) {
    Op o = op(stall, Pipe::memory, does);
    o.interval = static_cast<uint16_t>(machine.access_interval);
    return o;
}

// Cycles of the multiprocessor for each of many accesses, by warps on all schedulers.
double each(const Op& o, const timing::Access& a, const std::vector<Line>& lines, size_t warps,
            timing::WhatIf what_if = {}) {
    constexpr size_t times = 128;
    Streams s;
    for (size_t w = 0; w < warps; ++w) s.warp(straight(times));
    s.access(0, a, lines);
    for (auto& warp : s.stream.warps)
        for (Step& step : warp) step.access = 0;
    return static_cast<double>(run(std::vector<Op>(times, o), s.stream, what_if).cycles) /
           static_cast<double>(times * warps);
}

TEST(MemoryUnit, AnNWayConflictTakesNWavefronts) {
    for (const int ways : {1, 2, 4, 8, 32})
        for (const int warps : {8, 16}) {
            const double expected = recorded::value(fmt::format("lds_32_{}_way_interval_{}_warps", ways, warps));
            const timing::Access a = in_shared(ways);
            EXPECT_NEAR(each(memory(Does::shared), a, {}, static_cast<size_t>(warps)), expected, 0.15 * expected)
                << ways << " ways, " << warps << " warps";
        }
    EXPECT_NEAR(each(memory(Does::shared), in_shared(32), {}, 16, {.bank_conflicts = false}), 1, 0.1);
}

TEST(MemoryUnit, TheQueueHoldsSoManyAndNoMore) {
    constexpr size_t loads = 12;
    constexpr uint64_t ways = 32;
    Streams s;
    s.warp(straight(loads)).access(0, in_shared(ways));
    for (Step& step : s.stream.warps[0]) step.access = 0;
    const timing::Run r = run(std::vector<Op>(loads, memory(Does::shared)), s.stream);
    const auto entries = static_cast<size_t>(machine.queue_entries);
    // One is served; behind it each issue waits until the first of the queue begins.
    for (size_t n = 0; n < loads; ++n)
        EXPECT_EQ(r.issues[n].cycle, n <= entries ? 2 * n : (n - entries) * ways + 1) << n;
    EXPECT_EQ(r.issues.back().why, Wait::memory_queue);
    // So does one of global memory; where such fill the queue, the wait has another name.
    std::vector<Op> mixed(loads, memory(Does::shared));
    mixed.back() = memory(Does::global);
    EXPECT_EQ(run(mixed, s.stream).issues.back().why, Wait::memory_queue);
    Streams global;
    global.warp(straight(loads + entries)).access(0, {});
    global.stream.lines.resize(ways, {.sectors = 1});
    for (Step& step : global.stream.warps[0]) step.access = 0;
    EXPECT_EQ(run(std::vector<Op>(loads + entries, memory(Does::global)), global.stream).issues.back().why,
              Wait::global_queue);
    // Without conflicts nobody waits for it.
    const timing::Run free =
        run(std::vector<Op>(loads, memory(Does::shared, 2)), Streams().warp(straight(loads)).stream);
    EXPECT_EQ(all_of(free)[Wait::memory_queue], 0u);
}

std::vector<uint64_t> latencies(const std::vector<std::vector<Line>>& loads, timing::Behind behind = {.l1_bytes = 1e5},
                                timing::WhatIf what_if = {}) {
    std::vector<Op> ops;
    Streams s;
    s.warp(straight(2 * loads.size()));
    for (size_t n = 0; n < loads.size(); ++n) {
        ops.push_back(writes(memory(Does::global), 0));
        ops.push_back(waits(op(1), {0}));
        s.access(static_cast<uint32_t>(2 * n), {}, loads[n]);
    }
    const timing::Run r = run(ops, s.stream, what_if, machine, behind);
    std::vector<uint64_t> found;
    for (size_t n = 0; n < loads.size(); ++n) {
        found.push_back(r.issues[2 * n + 1].cycle - r.issues[2 * n].cycle);
        EXPECT_EQ(r.issues[2 * n + 1].why, Wait::long_scoreboard);
        EXPECT_EQ(r.issues[2 * n + 1].producer, 2 * n);
    }
    return found;
}

TEST(MemoryUnit, ALoadHitsL1OrWaitsForL2OrMemory) {
    const std::vector<Line> a{{.number = 7, .sectors = 3}}, rest{{.number = 7, .sectors = 12}};
    const auto found = latencies({a, a, rest, a, rest});
    const double l2 = recorded::value("l2_2_mb_latency"), l1 = recorded::value("ldg_32_stride_4_latency");
    EXPECT_NEAR(static_cast<double>(found[0]), l2, 0.05 * l2);
    EXPECT_EQ(static_cast<double>(found[1]), l1);
    EXPECT_NEAR(static_cast<double>(found[2]), l2, 0.05 * l2); // other sectors of the line
    EXPECT_EQ(static_cast<double>(found[3]), l1);
    EXPECT_EQ(static_cast<double>(found[4]), l1);
    const double memory_latency = recorded::value("memory_1_gb_latency");
    const auto cold = latencies({a, a}, {.l1_bytes = 1e5, .from_memory = 1});
    EXPECT_NEAR(static_cast<double>(cold[0]), memory_latency, 0.05 * memory_latency);
    EXPECT_EQ(static_cast<double>(cold[1]), l1);
    const auto twice = latencies({a, a}, {.l1_bytes = 1e5}, {.memory_latency = 2});
    EXPECT_NEAR(static_cast<double>(twice[0]), 2 * l2, 0.1 * l2);
    EXPECT_EQ(static_cast<double>(twice[1]), l1);
}

TEST(MemoryUnit, LinesOfALoadComeOneAfterAnother) {
    for (const size_t lines : {1, 2, 4, 8, 16, 32}) {
        std::vector<Line> all;
        for (size_t n = 0; n < lines; ++n) all.push_back({.number = n, .sectors = 1});
        const double expected = recorded::value(lines == 1    ? "ldg_32_stride_4_latency"
                                                : lines == 32 ? "ldg_32_stride_128_latency"
                                                              : fmt::format("ldg_32_{}_lines_latency", lines));
        const auto found = static_cast<double>(latencies({all, all})[1]);
        EXPECT_NEAR(found, expected, 0.15 * expected) << lines;
    }
}

TEST(MemoryUnit, ASecondLoadOfALineOnItsWayWaitsForIt) {
    const Op load = writes(memory(Does::global, 10), 0), other = writes(memory(Does::global), 1);
    Streams s;
    s.warp(straight(4)).access(0, {}, {{.number = 1, .sectors = 1}}).access(1, {}, {{.number = 1, .sectors = 1}});
    const timing::Run r = run({load, other, waits(op(1), {1}), waits(op(1), {0})}, s.stream);
    EXPECT_LE(r.issues[2].cycle, r.issues[3].cycle + 1); // with the first, not a latency later
    EXPECT_GT(r.issues[2].cycle, 250u);
    EXPECT_LT(r.issues[2].cycle, 320u);
}

TEST(MemoryUnit, AHitWaitsForTheMissBefore) {
    const Op load = writes(memory(Does::global), 0);
    const std::vector<Line> known{{.number = 1, .sectors = 15}}, unknown{{.number = 2, .sectors = 15}};
    const auto waited = [&](const Op& hit) {
        Streams s;
        s.warp(straight(5)).access(0, {}, known).access(2, {}, unknown).access(3, {}, known);
        const timing::Run r = run({load, waits(op(1), {0}), load, writes(hit, 1), waits(op(1), {1})}, s.stream);
        EXPECT_EQ(r.issues[4].producer, 3u);
        return static_cast<double>(r.issues[4].cycle - r.issues[3].cycle);
    };
    Op local = memory(Does::global);
    local.local = true;
    EXPECT_GT(waited(memory(Does::global)), 0.9 * machine.l2_latency);
    EXPECT_LT(waited(local), 2 * machine.l1_latency);
}

TEST(MemoryUnit, ARegisterACycleLeavesIt) {
    Op load = memory(Does::global);
    for (const int words : {1, 2, 4}) {
        load.registers = static_cast<uint8_t>(words);
        const double expected = recorded::value(fmt::format("ldg_{}_stride_0_interval_16_warps", 32 * words));
        EXPECT_NEAR(each(load, {}, {{.number = 1, .sectors = 1}}, 16), expected, 0.2 * expected) << words;
    }
}

TEST(MemoryUnit, L1KeepsWhatWasUsedLast) {
    // Rings of lines, the second time round.
    const auto second = [](size_t lines, double l1_bytes) {
        timing::FirstLevel l1(l1_bytes);
        size_t hits = 0;
        for (size_t n = 0; n < 2 * lines; ++n) {
            const auto found = l1.find(n % lines, 15, n);
            if (n >= lines && found.missing == 0) ++hits;
            l1.fill(n % lines, found.missing, n);
        }
        return static_cast<double>(hits) / static_cast<double>(lines);
    };
    EXPECT_GT(second(64 * 8, 128 * 1024), 0.98);
    EXPECT_LT(second(512 * 8, 128 * 1024), 0.1);
    EXPECT_LT(second(64, 0), 0.3); // of no size: one set
    EXPECT_EQ(second(8, 0), 1);
}

// Cycles of each of many stores of these lines.
double store_interval(const std::vector<Line>& lines, double storing) {
    constexpr size_t times = 64;
    Streams s;
    s.warp(straight(times)).access(0, {}, lines);
    for (size_t n = 0; n < times; ++n) s.stream.warps[0][n].access = 0;
    const std::vector<Op> ops(times, memory(Does::store));
    // L2 has taken them before the block's place is free.
    return static_cast<double>(run(ops, s.stream, {}, machine, {.storing = storing}).cycles) / times;
}

// L2 takes few sectors while all multiprocessors store; one alone stores a sector a cycle, and masks of bytes beside.
TEST(MemoryUnit, StoresTakeAsLongAsRecorded) {
    const struct {
        const char* name;
        size_t lines;
        uint8_t sectors, partial = 0;
    } cases[] = {{"store_4_lines", 4, 15},
                 {"store_1_line", 1, 15},
                 {"store_2_sectors_of_8_lines", 8, 3},
                 {"store_sector_of_4_lines", 4, 1},
                 {"store_word_of_32_sectors", 8, 15, 15},
                 {"store_word_of_32_lines", 32, 1, 1},
                 {"store_2_words_of_16_lines", 16, 1, 1}};
    for (const auto& c : cases) {
        SCOPED_TRACE(c.name);
        const std::vector<Line> lines(c.lines, {.sectors = c.sectors, .partial = c.partial});
        const double sectors_a_cycle =
            recorded::value(c.name + std::string("_l2")) / machine.multiprocessors / machine.clock_mhz * 1e3;
        const double all = static_cast<double>(c.lines * std::popcount(c.sectors)) / sectors_a_cycle;
        EXPECT_NEAR(store_interval(lines, 1), all, 0.15 * all);
        const double alone = recorded::value(c.name + std::string("_one_sm_1024_threads"));
        EXPECT_NEAR(store_interval(lines, 1 / machine.multiprocessors), alone, 0.15 * alone);
    }
}

TEST(MemoryUnit, L2GivesAMultiprocessorSoManyBytes) {
    std::vector<Line> lines;
    for (uint64_t n = 0; n < 4; ++n) lines.push_back({.number = n, .sectors = 15});
    Op copy = memory(Does::copy_async);
    copy.registers = 4;
    copy.past_l1 = true;
    constexpr size_t times = 256;
    Streams s;
    s.warp(straight(times + 2)).access(0, {}, lines);
    for (size_t n = 0; n < times; ++n) s.stream.warps[0][n].access = 0;
    std::vector<Op> ops(times, copy);
    ops.push_back(op(1, Pipe::none, Does::commit));
    ops.push_back(wait_count(0, 0));
    const timing::Run r = run(ops, s.stream);
    const double bytes = times * 512, until = static_cast<double>(r.cycles) - machine.l2_latency;
    EXPECT_NEAR(bytes / until, machine.l2_bytes_per_cycle, 0.05 * machine.l2_bytes_per_cycle);
    EXPECT_EQ(r.issues.back().why, Wait::long_scoreboard);
}

} // namespace
