// Loops of code of some size, against the microbenchmarks of an H200.
#include "hand_made.h"
#include "recorded.h"

#include <fmt/format.h>

namespace {

using namespace hand_made;

// Cycles of an instruction of a sub-core, of turns after the second.
double each(size_t bytes, size_t warps, bool all_schedulers) {
    const size_t instructions = bytes / 16;
    std::vector<Op> ops(instructions, op(1, Pipe::fma));
    ops.back() = op(5, Pipe::none, Does::branch);
    const Code code{ops};
    const Machine m;
    const auto cycles = [&](size_t turns) {
        Streams s;
        for (size_t w = 0; w < warps; ++w)
            for (int scheduler = 0; scheduler < 4; ++scheduler)
                s.warp(scheduler == 0 || all_schedulers ? looped(instructions, turns) : std::vector<uint32_t>());
        const Stream* const blocks[] = {&s.stream};
        return static_cast<double>(timing::simulate({m, code, {}, {}, false}, blocks).cycles);
    };
    return (cycles(5) - cycles(2)) / static_cast<double>(3 * instructions * warps);
}

TEST(InstructionCache, LoopsCostWhatTheyDoOnTheGpu) {
    for (const int kb : {8, 16, 24, 48, 64, 96, 256})
        for (const bool all : {false, true}) {
            const std::string name = fmt::format("code_{}_kb_1_warp_{}", kb, all ? "all_subcores" : "one_subcore");
            const double expected = recorded::value(name);
            EXPECT_NEAR(each(static_cast<size_t>(kb) * 1024, 1, all), expected, 0.15 * expected) << name;
        }
}

TEST(InstructionCache, ABranchToWhatTheSubCoreDoesNotHoldWaits) {
    const Machine m;
    EXPECT_NEAR(64 * each(64 * 16, 1, false), 63 + m.branch_cycles, 0.5);
    EXPECT_NEAR(512 * each(512 * 16, 1, false), 511 + m.branch_cycles + m.code_branch_cycles, 0.5);
}

TEST(InstructionCache, StraightCodeCostsTheRateOfItsSource) {
    const size_t instructions = 8 * 64;
    const Code code{std::vector<Op>(instructions, op(1, Pipe::fma))};
    const Machine m;
    const Stream s = Streams().warp(straight(instructions)).stream;
    const Stream* const blocks[] = {&s};
    const timing::Run r = timing::simulate({m, code, {}, {}, true}, blocks);
    EXPECT_NEAR(static_cast<double>(r.cycles) / (instructions / 8), m.code_far_interval, 0.1 * m.code_far_interval);
    EXPECT_EQ(r.issues[8 * 9].why, Wait::instruction);
    expect_accounted(r, s);
}

} // namespace
