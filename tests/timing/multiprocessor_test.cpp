// One multiprocessor in time, by hand and by the microbenchmarks of an H200: every number here follows from ptxas's control fields and
// the constants of the machine.
#include "hand_made.h"
#include "recorded.h"

#include "base/cpu_time.h"

#include <fmt/format.h>

namespace {

using namespace hand_made;

const Machine machine = machine_without_code_fetches();

uint64_t cycles(double constant) { return static_cast<uint64_t>(constant); }

TEST(Multiprocessor, AChainIsTheSumOfItsStalls) {
    const Stream s = Streams().warp(straight(6)).stream;
    const timing::Run r = run({op(4), op(1), op(15), op(0), op(2), op(5)}, s); // a stall of 0 is one of 1
    EXPECT_EQ(cycles_of(r), (std::vector<uint64_t>{0, 4, 5, 20, 21, 23}));
    EXPECT_EQ(r.cycles, 24u);
    EXPECT_EQ(all_of(r)[Wait::fixed_latency], 18u);
    EXPECT_EQ(r.issues[3].why, Wait::fixed_latency);
    EXPECT_EQ(r.issues[3].waited, 14u);
}

TEST(Multiprocessor, TellsWhatLiesBetweenTwoTurns) {
    const std::vector<Op> ops = {op(4), op(1), op(5)};
    const Stream one = Streams().warp(looped(3, 10)).stream, other = Streams().warp(looped(3, 4)).stream;
    const Stream* const blocks[] = {&one, &other};
    const Code code{ops};
    const timing::Run r = timing::simulate({machine, code, {}, {}, false, {.pc = 1, .shares = {0.3, 0.7}}}, blocks);
    // The third time is at 24, the seventh at 64: a turn takes 10 cycles. The other block has a scheduler of its own here, and ends before.
    EXPECT_EQ(r.marks.at(0).cycle, 24u);
    EXPECT_EQ(r.marks.at(1).cycle, 64u);
    EXPECT_EQ(r.marks.at(0).instructions, (std::vector<uint64_t>{8, 7})); // its turn comes later in the cycle
    EXPECT_EQ(r.marks.at(1).instructions, (std::vector<uint64_t>{20, 12}));
    EXPECT_EQ(r.marks.at(1).lost[1][Wait::selected] - r.marks.at(0).lost[1][Wait::selected], 6u);
    const timing::Run never = timing::simulate({machine, code, {}, {}, false, {.pc = 9, .shares = {0.5, 1}}}, blocks);
    EXPECT_TRUE(never.marks.empty());
}

TEST(Multiprocessor, WarpsOfOneSchedulerShareItsIssues) {
    const std::vector<Op> ops(8, op(2, Pipe::fma));
    // The fifth warp is the first scheduler's second.
    const Stream s = Streams().warp(straight(8)).no_warp().no_warp().no_warp().warp(straight(8)).stream;
    EXPECT_EQ(run(ops, s).cycles, 16u);
    // A warp that can issue keeps on: the other one waits until it has ended.
    const timing::Run greedy = run(std::vector<Op>(8, op(1, Pipe::fma)), s);
    EXPECT_EQ(greedy.cycles, 16u);
    EXPECT_EQ(all_of(greedy)[Wait::not_selected], 8u);
    EXPECT_EQ(all_of(greedy)[Wait::fixed_latency], 0u);
}

// As on the GPU: order_warp_4_first, order_warp_12_first, order_warp_8_first. Of the two oldest warps either may be the first there.
TEST(Multiprocessor, AWarpRunsOnAndThenTheYoungest) {
    ASSERT_LT(recorded::value("order_warp_12_first"), recorded::value("order_warp_8_first"));
    ASSERT_EQ(recorded::value("order_looks_in_a_row"), 32);
    Streams s;
    for (int w = 0; w < 13; ++w) w % 4 == 0 ? s.warp(straight(32)) : s.no_warp();
    const timing::Run r = run(std::vector<Op>(32, op(1, Pipe::fma)), s.stream);
    const auto first = [&](size_t warp) { return r.issues[s.stream.events[warp].front()].cycle; };
    EXPECT_EQ(first(0), 0u);
    EXPECT_EQ(first(12), 32u);
    EXPECT_EQ(first(8), 64u);
    EXPECT_EQ(first(4), 96u);
}

TEST(Multiprocessor, FourWarpsOnFourSchedulersDoNotDisturbEachOther) {
    const std::vector<Op> ops{op(2, Pipe::fma), op(1, Pipe::alu), op(5, Pipe::fma), op(1, Pipe::special), op(3)};
    const Stream one = Streams().warp(straight(5)).stream;
    const Stream four = Streams().warp(straight(5)).warp(straight(5)).warp(straight(5)).warp(straight(5)).stream;
    const timing::Run alone = run(ops, one), together = run(ops, four);
    EXPECT_EQ(together.cycles, alone.cycles);
    for (size_t n = 0; n < together.issues.size(); ++n)
        EXPECT_EQ(together.issues[n].cycle, alone.issues[n % 5].cycle) << n;
}

TEST(Multiprocessor, ReadersWaitForScoreboards) {
    const struct {
        Does does;
        timing::Access access;
        double latency;
        Wait why;
        uint8_t registers = 1;
    } cases[] = {
        {Does::shared, in_shared(1), machine.shared_latency, Wait::short_scoreboard},
        {Does::shared, in_shared(8), recorded::value("lds_32_8_way_latency"), Wait::short_scoreboard},
        {Does::shared, in_shared(4, 4), recorded::value("lds_128_consecutive_latency"), Wait::short_scoreboard, 4},
        {Does::shuffle, {}, machine.shuffle_latency, Wait::short_scoreboard},
        {Does::constant, {}, machine.constant_latency, Wait::short_scoreboard},
    };
    for (const auto& c : cases) {
        Op load = writes(op(1, Pipe::memory, c.does), 3);
        load.registers = c.registers;
        const Stream s = Streams().warp(straight(3)).access(0, c.access).stream;
        const timing::Run r = run({load, op(1), waits(op(1), {3})}, s);
        EXPECT_EQ(r.issues[1].cycle, 1u); // does not read it
        EXPECT_NEAR(static_cast<double>(r.issues[2].cycle), c.latency, 1) << static_cast<int>(c.does);
        EXPECT_EQ(r.issues[2].why, c.why);
        EXPECT_EQ(r.issues[2].producer, 0u);
    }
}

TEST(Multiprocessor, AScoreboardIsFreeWhenAllThatCountOnItAre) {
    const auto lds = writes(op(1, Pipe::memory, Does::shared), 0);
    const Stream s = Streams().warp(straight(4)).access(1, in_shared(32)).stream;
    const timing::Run r = run({lds, lds, lds, waits(op(1), {0})}, s);
    EXPECT_EQ(r.issues[3].producer, 1u); // the slowest
    EXPECT_EQ(r.issues[3].cycle, r.issues[1].cycle + cycles(machine.shared_latency + 31 * machine.wavefront_latency));
}

// Groups end in the order of their commits, so that an empty one does not end before what is copied.
TEST(Multiprocessor, DepbarLeavesTheLastGroups) {
    Op copy = op(1, Pipe::memory, Does::copy_async);
    copy.registers = 4;
    copy.past_l1 = true;
    const Op commit = writes(op(1, Pipe::none, Does::commit), 0); // as ptxas has it
    const auto when = [&](uint8_t left, bool last_is_empty) {
        std::vector<Op> ops{copy, commit, last_is_empty ? op(1) : copy, commit, wait_count(0, left), op(1)};
        const std::vector<timing::Line> line{{.number = 1, .sectors = 15}};
        const Stream s = Streams().warp(straight(6)).access(0, {}, line).access(2, {}, line).stream;
        const timing::Run r = run(ops, s);
        EXPECT_EQ(all_of(r)[Wait::long_scoreboard] > 0, left < 2);
        if (left == 1) {
            EXPECT_EQ(r.issues[4].producer, 0u);
        }
        return r.issues[4].cycle;
    };
    EXPECT_GE(when(0, false), when(1, false) + 2);
    EXPECT_GE(when(1, false), cycles(machine.l2_latency));
    EXPECT_EQ(when(2, false), 4u);
    EXPECT_EQ(when(1, true), when(1, false));
    EXPECT_EQ(when(0, true), when(1, true));
    EXPECT_EQ(when(2, true), 4u);
}

// Its field has room for eight, of which damaged code may name any.
TEST(Multiprocessor, DepbarWaitsForNothingOfAScoreboardThatThereIsNot) {
    Op copy = op(1, Pipe::memory, Does::copy_async);
    const Op product = op(1, Pipe::tensor, Does::group_product);
    for (const uint8_t scoreboard : std::initializer_list<uint8_t>{6, 7}) {
        const Stream s = Streams().warp(straight(4)).access(0, {}, {{.number = 1, .sectors = 15}}).stream;
        EXPECT_EQ(cycles_of(run({copy, product, wait_count(scoreboard, 0), op(1)}, s)),
                  (std::vector<uint64_t>{0, 1, 2, 3}));
    }
}

TEST(Multiprocessor, AWriterWaitsUntilTheOperandsAreRead) {
    for (const Does does : {Does::shared, Does::global}) {
        Op access = op(1, Pipe::memory, does);
        access.read_barrier = 1;
        const Stream s = Streams().warp(straight(2)).access(0, in_shared(1)).stream;
        const timing::Run r = run({access, waits(op(1), {1})}, s);
        EXPECT_EQ(r.issues[1].cycle, cycles(machine.operand_latency));
        EXPECT_EQ(r.issues[1].why, Wait::short_scoreboard);
    }
}

// Cycles of each instruction in a row of some kind, of so many warps of one scheduler together.
double interval(const std::vector<Op>& kinds, size_t warps, timing::WhatIf what_if = {}) {
    constexpr size_t times = 256;
    std::vector<Op> ops;
    for (size_t n = 0; n < times; ++n) ops.push_back(kinds[n % kinds.size()]);
    Streams s;
    for (size_t w = 0; w < warps; ++w) {
        s.warp(straight(times));
        if (w + 1 < warps) s.no_warp().no_warp().no_warp();
    }
    return static_cast<double>(run(ops, s.stream, what_if).cycles) / static_cast<double>(times * warps);
}

TEST(Multiprocessor, PipesTakeAnInstructionInTheirInterval) {
    const struct {
        Pipe pipe;
        double interval;
        const char* recorded;
    } cases[] = {
        {Pipe::fma, machine.fma_interval, "ffma_interval"},
        {Pipe::fma, machine.integer_multiply_interval, "imad_interval"},
        {Pipe::alu, machine.alu_interval, "iadd3_interval"},
        {Pipe::fp64, machine.fp64_interval, "dfma_interval"},
        {Pipe::special, machine.special_interval, "mufu_ex2_interval"},
        {Pipe::tensor, machine.product_interval, "mma_m16n8k16_bf16_interval"},
        {Pipe::tensor, machine.short_product_interval, "mma_m16n8k8_bf16_interval"},
    };
    for (const auto& c : cases) {
        Op o = op(1, c.pipe);
        o.interval = static_cast<uint16_t>(c.interval);
        for (const auto& [warps, name] : {std::pair{1, "_1_warp"}, {4, "_4_warps"}}) {
            const double expected = recorded::value(std::string(c.recorded) + name);
            EXPECT_NEAR(interval({o}, static_cast<size_t>(warps)), expected, 0.15 * expected) << c.recorded << name;
        }
    }
    Op o = op(1, Pipe::alu);
    o.interval = 2;
    const timing::Run r = run({o, o, o}, Streams().warp(straight(3)).stream);
    EXPECT_EQ(r.issues[2].why, Wait::math_pipe);
    EXPECT_EQ(all_of(r)[Wait::math_pipe], 2u);
}

// An FFMA whose operands A, B and C are these registers; one that is negative is kept for the next.
Op ffma(std::array<int, 3> operands) {
    Op o = op(1, Pipe::fma);
    for (uint8_t place = 0; place < 3; ++place) {
        const int n = operands[place];
        if (n != 0) o.reads[o.read_count++] = {place, n < 0, static_cast<uint16_t>(std::abs(n)), 1};
    }
    return o;
}

TEST(Multiprocessor, ABankGivesOneRegisterACycle) {
    const auto rows = [](int a, int b, int c) { // accumulators of one parity, one after another
        std::vector<Op> all;
        for (int n = 0; n < 8; ++n) all.push_back(ffma({a, b, c + 2 * n}));
        return all;
    };
    std::vector<Op> kept;
    for (int n = 0; n < 8; ++n) kept.push_back(ffma({n < 7 ? -2 : 2, 4, 16 + 2 * n}));
    std::vector<Op> alternating; // two of one bank, then two of the other one
    for (int n = 0; n < 8; ++n) alternating.push_back(n / 2 % 2 ? ffma({3, 5, 17 + 2 * n}) : ffma({2, 4, 16 + 2 * n}));
    const struct {
        const char* recorded;
        std::vector<Op> ops;
    } cases[] = {
        {"operands_ffma_same_bank", rows(2, 4, 16)},           {"operands_ffma_a_b_same_bank", rows(2, 4, 17)},
        {"operands_ffma_a_c_same_bank", rows(2, 5, 16)},       {"operands_ffma_b_c_same_bank", rows(3, 4, 16)},
        {"operands_ffma_immediate_same_bank", rows(2, 0, 16)}, {"operands_ffma_same_bank_reuse_8", kept},
        {"operands_ffma_2_even_2_odd", alternating},
    };
    for (const auto& c : cases)
        for (const auto& [warps, name] : {std::pair{1, "_1_warp"}, {4, "_4_warps"}}) {
            const double expected = recorded::value(std::string(c.recorded) + name);
            EXPECT_NEAR(interval(c.ops, static_cast<size_t>(warps)), expected, 0.16 * expected) << c.recorded << name;
        }
    EXPECT_NEAR(interval({ffma({2, 4, 6})}, 1), 3, 0.05);
    EXPECT_NEAR(interval({ffma({-2, -4, 6})}, 1), 1, 0.05);                         // A and B are kept
    EXPECT_NEAR(interval({ffma({-2, -4, 6})}, 1, {.reuse_cache = false}), 3, 0.05); // what if they were not
    EXPECT_NEAR(interval({ffma({2, 4, 6})}, 1, {.register_banks = false}), 1, 0.05);
    EXPECT_NEAR(interval({ffma({2, 3, 5})}, 1), 2, 0.05);
    const timing::Run r = run(std::vector<Op>(8, ffma({2, 4, 6})), Streams().warp(straight(8)).stream);
    EXPECT_EQ(r.issues[7].why, Wait::register_port);
}

TEST(Multiprocessor, TheReuseCacheIsOfOneWarp) {
    // Two warps in turn: each finds what the other one left.
    std::vector<Op> ops(64, ffma({-2, -4, 6}));
    for (Op& o : ops) o.stall = 4;
    Streams s;
    s.warp(straight(64)).no_warp().no_warp().no_warp().warp(straight(64));
    const timing::Run r = run(ops, s.stream);
    EXPECT_NEAR(static_cast<double>(r.cycles) / 128, 3, 0.1);
}

TEST(Multiprocessor, ABarrierWaitsForAllWarpsOfTheBlock) {
    // The second warp comes 50 cycles later.
    std::vector<Op> ops(13, op(4));
    ops.push_back(barrier());
    ops.push_back(op(1));
    std::vector<uint32_t> late = straight(15);
    const Stream s = Streams().warp({13, 14}).warp(late).stream;
    const timing::Run r = run(ops, s);
    const uint64_t arrived = r.issues[2 + 13].cycle, first = r.issues[1].cycle, last = r.issues.back().cycle;
    EXPECT_EQ(arrived, 52u);
    EXPECT_EQ(first, last);
    EXPECT_NEAR(static_cast<double>(first - arrived), recorded::value("bar_last_arrival_2_warps_first"), 1);
    EXPECT_EQ(r.issues[1].why, Wait::barrier);
    EXPECT_EQ(r.issues[1].producer, 2u + 13); // who came last
    EXPECT_EQ(all_of(r)[Wait::barrier], (first - 1) + (last - arrived - 1));
}

TEST(Multiprocessor, BarriersOneBehindAnother) {
    for (const size_t warps : {4, 8, 16, 32}) {
        constexpr size_t turns = 50;
        Streams s;
        for (size_t w = 0; w < warps; ++w) s.warp(looped(1, turns));
        const double expected = recorded::value(fmt::format("bar_together_{}_warps", warps));
        EXPECT_NEAR(static_cast<double>(run({barrier()}, s.stream).cycles) / turns, expected, 0.15 * expected) << warps;
    }
}

TEST(Multiprocessor, FormsOfBarriers) {
    // Warps that have ended are not waited for.
    const Stream ended = Streams().warp({0, 2}).warp({1}).warp({0, 2}).stream;
    EXPECT_LT(run({barrier(), op(1), op(1)}, ended).cycles, 30u);
    // Of four warps two meet at barrier 1; the others never come there.
    const Stream two = Streams().warp({0, 1}).warp({0, 1}).warp({1}).warp(std::vector<uint32_t>(99, 1)).stream;
    EXPECT_LT(run({barrier(1, 2), op(1)}, two).issues[1].cycle, 30u);
    // A producer arrives and goes on; the consumer waits for it.
    const Stream arrives = Streams().warp({0, 2, 2}).warp({2, 2, 2, 2, 2, 1, 2}).stream;
    const timing::Run r = run({barrier(2, 2), barrier(2, 2, true), op(9)}, arrives);
    const uint64_t arrived = r.issues[8].cycle;
    EXPECT_EQ(r.issues[9].cycle, arrived + 1);
    EXPECT_GT(r.issues[1].cycle, arrived);
    // Two pairs meet at barriers whose numbers a register holds, which the stream tells; the fifth warp never comes.
    Streams pairs;
    pairs.warp({0, 1}).warp({0, 1}).warp({0, 1}).warp({1, 1, 1, 1, 1, 1, 0, 1}).warp({1});
    for (uint8_t w = 0; w < 4; ++w) {
        timing::Access a;
        a.effects = 1, a.first_effect = w;
        timing::Effect meets;
        meets.what = timing::Effect::meets;
        meets.barrier = static_cast<uint8_t>(1 + w / 2), meets.warps = 2;
        pairs.stream.effects.push_back(meets);
        pairs.stream.accesses.push_back(a);
        for (Step& step : pairs.stream.warps[w])
            if (step.pc == 0) step.access = w;
    }
    const timing::Run apart = run({barrier(), op(9)}, pairs.stream);
    EXPECT_FALSE(apart.stuck);
    EXPECT_LT(apart.issues[1].cycle, 30u);
    EXPECT_EQ(apart.issues[5].cycle, apart.issues[13].cycle) << "the third warp waits for the fourth";
    EXPECT_GT(apart.issues[5].cycle, 54u);
    // One that is used again and again.
    const Stream turns = Streams().warp(looped(2, 9)).warp(looped(2, 9)).stream;
    const timing::Run again = run({barrier(), op(1)}, turns);
    EXPECT_EQ(again.issues[8 * 2 + 1].cycle, again.issues[9 * 2 + 8 * 2 + 1].cycle);
}

TEST(Multiprocessor, BlocksDoNotWaitForEachOther) {
    const Code code{{barrier(), op(9), op(1)}};
    const Stream early = Streams().warp({0, 2}).warp({0, 2}).stream;
    std::vector<uint32_t> steps(50, 1);
    steps.push_back(0);
    const Stream late = Streams().warp(steps).warp(steps).stream;
    const Stream* const blocks[] = {&early, &late};
    const timing::Run r = timing::simulate({machine, code, {}, {}, true}, blocks);
    EXPECT_EQ(r.issues.size(), 4u); // of the first block
    EXPECT_LT(r.block_cycles[0], 40u);
    EXPECT_GT(r.block_cycles[1], 400u);
    EXPECT_EQ(r.cycles, r.block_cycles[1]);
}

TEST(Multiprocessor, ABarrierThatNobodyElseReachesEndsTheRun) {
    const Code code{{barrier(0, 9), op(1)}};
    const Stream s = Streams().warp({0, 1}).warp({0, 1}).stream;
    const Stream* const blocks[] = {&s};
    EXPECT_EQ(timing::simulate({machine, code, {}, {}, true}, blocks).instructions, 2u);
}

// Of a warp that loads once or twice, 16 bytes a lane, and goes on: when it issues the last instruction.
uint64_t last_issue(size_t loads, uint16_t wavefronts) {
    constexpr size_t count = 100;
    std::vector<Op> ops(count, op(1, Pipe::fma));
    Streams s;
    s.warp(straight(count)).access(0, in_shared(wavefronts, wavefronts));
    for (size_t n = 0; n < loads; ++n) {
        ops[2 * n] = op(1, Pipe::memory, Does::shared);
        ops[2 * n].registers = 4;
        s.stream.warps[0][2 * n].access = 0;
    }
    return run(ops, s.stream).issues[count - 1].cycle;
}

TEST(Multiprocessor, WhatWasLoadedTakesIssuesWhenItComes) {
    const uint64_t none = last_issue(0, 1);
    EXPECT_EQ(last_issue(2, 2), none + cycles(2 * machine.fast_arrival)); // two registers a cycle
    EXPECT_EQ(last_issue(2, 4), none + cycles(2 * machine.slow_arrival)); // one
}

TEST(Multiprocessor, ProductsOfAWarpgroupQueue) {
    Op product = op(1, Pipe::none, Does::group_product);
    product.interval = 64, product.latency = 100;
    const timing::Run r =
        run({product, product, op(1, Pipe::none, Does::group_wait)}, Streams().warp(straight(3)).stream);
    EXPECT_EQ(r.issues[1].cycle, 1u);
    EXPECT_EQ(r.issues[2].cycle, 164u);
    EXPECT_EQ(r.issues[2].why, Wait::products);
}

TEST(Multiprocessor, WarpsOfAWarpgroupBeginAProductTogether) {
    const Op meet = op(2, Pipe::none, Does::group_arrive), slow = op(90);
    Streams s;
    for (int warp = 0; warp < 3; ++warp) s.warp({1, 2});
    s.warp({0, 1, 2}).warp({1, 2}); // the fourth comes later; the fifth is of another group
    const timing::Run r = run({slow, meet, op(1)}, s.stream);
    EXPECT_EQ(r.issues[1].cycle, 90u);
    EXPECT_EQ(r.issues[1].why, Wait::products);
    EXPECT_EQ(r.issues[8].cycle, 92u); // behind its own stall count
    EXPECT_LT(r.issues[10].cycle, 10u);
}

// The cycle of what reads a load of eight wavefronts, which itself waits for nothing.
uint64_t loaded_behind(const Op& first) {
    Op load = op(1, Pipe::memory, Does::shared), reader = op(1);
    load.write_barrier = 0, reader.wait_mask = 1;
    Streams s;
    s.warp(straight(3)).access(0, in_shared(8, 8));
    s.stream.warps[0][1].access = 0;
    return run({first, load, reader}, s.stream).issues[2].cycle;
}

TEST(Multiprocessor, WhileAProductReadsSharedMemoryAWavefrontTakesLonger) {
    const uint64_t alone = loaded_behind(op(1)), more = cycles(machine.beside_product_interval) - 1;
    Op product = op(1, Pipe::none, Does::group_product);
    product.interval = product.latency = 1000;
    EXPECT_EQ(loaded_behind(product), alone + 7 * more); // the first is served as it comes
    product.interval = 1;                                // and the product reads on for four wavefronts
    EXPECT_EQ(loaded_behind(product), alone + cycles(machine.product_reads_beyond / 4) * more);
}

TEST(Multiprocessor, ATakenBranchFetches) {
    const Op branch = op(5, Pipe::none, Does::branch);
    const timing::Run taken = run({branch, op(1), op(1)}, Streams().warp({0, 2}).stream);
    EXPECT_EQ(taken.issues[1].cycle, cycles(machine.branch_cycles));
    EXPECT_EQ(all_of(taken)[Wait::fixed_latency], 4u); // the stall count, then the rest
    EXPECT_EQ(all_of(taken)[Wait::branch], cycles(machine.branch_cycles) - 5);
    const timing::Run not_taken = run({branch, op(1), op(1)}, Streams().warp({0, 1}).stream);
    EXPECT_EQ(not_taken.issues[1].cycle, 5u);
    EXPECT_EQ(not_taken.issues[1].why, Wait::fixed_latency);
    // Behind it an FFMA that reads the one before.
    EXPECT_NEAR(machine.branch_cycles + recorded::value("ffma_latency"), recorded::value("branch_forward_taken"), 1.5);
}

TEST(Multiprocessor, AWarpThatYieldsWaitsAsForABranch) {
    const timing::Run r = run({op(1, Pipe::none, Does::yield), op(1)}, Streams().warp(straight(2)).stream);
    EXPECT_EQ(r.issues[1].cycle, cycles(machine.yield_cycles));
    EXPECT_EQ(all_of(r)[Wait::branch], cycles(machine.yield_cycles) - 1);
}

// Behind accesses to shared memory, whose queue it shares.
TEST(Multiprocessor, APollOfAPhaseThatIsOverTakesItsTime) {
    const Op poll = writes(op(1, Pipe::none, Does::poll), 0);
    const timing::Run r = run({poll, waits(op(1), {0})}, Streams().warp(straight(2)).stream);
    EXPECT_EQ(r.issues[1].cycle, cycles(machine.poll_latency));
    EXPECT_EQ(r.issues[1].why, Wait::mbarrier);
    const Stream behind = Streams().warp(straight(3)).access(0, in_shared(32, 32)).stream;
    const timing::Run late = run({op(1, Pipe::memory, Does::shared), poll, waits(op(1), {0})}, behind);
    EXPECT_EQ(late.issues[2].cycle, 32 + cycles(machine.poll_latency));
}

TEST(Multiprocessor, WarpsBeginTogetherAndTheFirstIssueIsAccountedFor) {
    Streams s;
    for (int scheduler = 0; scheduler < 4 * 8; ++scheduler) s.warp({0});
    const timing::Run r = run({op(1)}, s.stream);
    EXPECT_EQ(r.cycles, 8u);
    EXPECT_EQ(all_of(r)[Wait::not_selected], 4u * (1 + 2 + 3 + 4 + 5 + 6 + 7));
}

// A warp whose pipe or queue is taken is not one that the scheduler passes over, whatever others issue meanwhile.
TEST(Multiprocessor, AThrottledWarpIsNotOneThatWasNotSelected) {
    constexpr size_t loads = 24;
    Streams s;
    s.warp(straight(loads)).no_warp().no_warp().no_warp().warp(std::vector<uint32_t>(600, loads));
    std::vector<Op> ops(loads, op(1, Pipe::memory, Does::shared));
    ops.push_back(op(2, Pipe::fma)); // leaves every second cycle
    for (size_t n = 0; n < loads; ++n) s.access(static_cast<uint32_t>(n), in_shared(32));
    const timing::Run r = run(ops, s.stream);
    timing::Lost memory;
    for (size_t n = 0; n < loads; ++n)
        for (size_t why = 0; why < memory.cycles.size(); ++why) memory.cycles[why] += r.lost[n].cycles[why];
    const size_t beyond = loads - cycles(machine.queue_entries) - 1; // loads that find it full
    EXPECT_GT(memory[Wait::memory_queue], beyond * 28);
    EXPECT_LT(memory[Wait::not_selected], 30u);
    EXPECT_LE(r.lost[loads][Wait::not_selected], loads);
}

// Four warps whose accesses take 32 cycles each: the first fills the queue, then none runs ahead.
TEST(Multiprocessor, TheQueueTakesTheWarpThatHasWaitedLongest) {
    constexpr size_t loads = 16;
    Streams s;
    for (int w = 0; w < 13; ++w) w % 4 == 0 ? s.warp(straight(loads)) : s.no_warp();
    for (size_t n = 0; n < loads; ++n) s.access(static_cast<uint32_t>(n), in_shared(32));
    const timing::Run r = run(std::vector<Op>(loads, op(1, Pipe::memory, Does::shared)), s.stream);
    uint64_t first = ~uint64_t{0}, last = 0;
    for (const size_t w : {0, 4, 8, 12}) {
        const uint64_t end = r.issues[s.stream.events[w].back()].cycle;
        first = std::min(first, end), last = std::max(last, end);
    }
    EXPECT_LE(last - first, 3 * 32u * static_cast<uint64_t>(machine.queue_entries + 1));
}

TEST(Multiprocessor, TakesWhateverComes) {
    const Code code{{writes(op(1, Pipe::memory, Does::shared), 0), writes(op(1, Pipe::memory, Does::global), 1),
                     op(1, Pipe::memory, Does::store), op(1, Pipe::memory, Does::copy_async),
                     op(1, Pipe::none, Does::commit), wait_count(0, 0), op(1, Pipe::none, Does::exit)}};
    const auto run_of = [&](const Stream& s, const Code& of) {
        const Stream* const blocks[] = {&s};
        return timing::simulate({machine, of, {}, {}, true}, blocks);
    };
    EXPECT_EQ(run_of({}, code).cycles, 0u);
    EXPECT_EQ(run_of({}, {}).cycles, 0u);
    EXPECT_EQ(timing::simulate({machine, code, {}, {}, true}, {}).cycles, 0u);
    EXPECT_EQ(run_of(Streams().no_warp().no_warp().stream, code).cycles, 0u);
    EXPECT_EQ(run_of(Streams().warp(straight(7)).no_warp().stream, code).instructions, 7u); // without accesses
    // Where the code does not hold the next step, the warp ends.
    EXPECT_EQ(run_of(Streams().warp({0, 1, 99, 2}).warp({7}).warp({~0u}).stream, code).instructions, 2u);
    EXPECT_EQ(run_of(Streams().warp({0, 1}).stream, {}).instructions, 0u);
    // Accesses and lines that there are not.
    Stream wrong = Streams().warp(straight(7)).stream;
    for (Step& step : wrong.warps[0]) step.access = step.pc;
    wrong.accesses = {{}, {{.sectors = 4, .lines = 9, .first_line = ~0u}}, {{.sectors = 1, .lines = 1}}};
    EXPECT_EQ(run_of(wrong, code).instructions, 7u);
}

TEST(Multiprocessor, TimeGrowsWithTheSteps) {
    std::vector<Op> ops(64, ffma({2, 3, 4}));
    ops[5] = writes(op(1, Pipe::memory, Does::shared), 0); // nobody waits for it
    ops[9] = waits(ops[9], {1});
    const auto seconds = [&](size_t turns) {
        Streams s;
        for (int w = 0; w < 8; ++w) s.warp(looped(ops.size(), turns));
        const Code code{ops};
        const Stream* const blocks[] = {&s.stream};
        const double before = base::thread_cpu_s();
        EXPECT_EQ(timing::simulate({machine, code, {}, {}, false}, blocks).instructions, 8 * turns * ops.size());
        return base::thread_cpu_s() - before;
    };
    const double some = seconds(500);    // a quarter of a million
    EXPECT_LT(seconds(4000), 30 * some); // two million, with room for a noisy machine
}

} // namespace
