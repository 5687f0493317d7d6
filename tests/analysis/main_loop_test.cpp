#include "analysis/main_loop.h"

#include <gtest/gtest.h>

namespace {

using trace::Kind;
using trace::MachineInstruction;
using trace::Space;

MachineInstruction plain(Kind kind = Kind::arithmetic, Space space = Space::none) {
    MachineInstruction i;
    i.kind = kind;
    i.space = space;
    return i;
}
MachineInstruction branch(int64_t target) { // conditional
    MachineInstruction i = plain(Kind::branch);
    i.ends = true;
    i.target = target;
    i.guard = 0;
    return i;
}
MachineInstruction leave() {
    MachineInstruction i = plain(Kind::exit);
    i.ends = true;
    return i;
}

TEST(MainLoop, IsTheInnermostThatHoldsTheFmas) {
    trace::MachineListing code;
    code.instructions = {
        plain(),                          // 0
        plain(Kind::load, Space::global), // 1: the outer loop
        plain(Kind::load, Space::shared),
        plain(Kind::fma), // 2: the inner one
        plain(Kind::fma),
        plain(Kind::fma),
        plain(),
        branch(2), // 4
        plain(Kind::barrier),
        branch(1),
        plain(Kind::fma),
        leave(), // 8
    };
    const auto loop = analysis::main_loop(code);
    EXPECT_EQ(loop.instructions, 6);
    EXPECT_EQ(loop.products, 3);
    EXPECT_EQ(loop.shared_loads, 1);
    EXPECT_DOUBLE_EQ(loop.product_share(), 0.5);
}

TEST(MainLoop, IsTheInnerOneWhereTheOuterHasFewMore) {
    trace::MachineListing code;
    code.instructions = {plain(Kind::fma), plain(Kind::fma), plain(Kind::fma), plain(),
                         branch(1),        plain(),          branch(0),        leave()};
    EXPECT_EQ(analysis::main_loop(code).products, 2);
    EXPECT_EQ(analysis::main_loop(code).body, (std::vector<uint32_t>{1, 2, 3, 4}));
}

TEST(MainLoop, ItsInstructionsAreCountedByWhatTheyDo) {
    trace::MachineListing code;
    code.instructions = {plain(Kind::load, Space::shared),
                         plain(Kind::load, Space::shared),
                         plain(Kind::fma),
                         plain(Kind::store, Space::shared),
                         plain(Kind::barrier),
                         plain(),
                         branch(0),
                         leave()};
    code.instructions[0].bytes = 16;
    code.instructions[1].bytes = 4;
    code.instructions[2].control = {.stall = 4, .wait_mask = 1, .reuse = 5};
    const auto mix = analysis::loop_mix(code, analysis::main_loop(code));
    EXPECT_EQ(mix.shared_loads, (std::map<int, int>{{4, 1}, {16, 1}}));
    EXPECT_EQ(mix.shared_stores, 1);
    EXPECT_EQ(mix.barriers, 1);
    EXPECT_EQ(mix.branches, 1);
    EXPECT_EQ(mix.others, 1);
    EXPECT_EQ(mix.stall_cycles, 4);
    EXPECT_EQ(mix.waits, 1);
    EXPECT_EQ(mix.reused, 2);
}

TEST(MainLoop, ALoopWithMoreFmasIsTheMainOne) {
    trace::MachineListing code;
    code.instructions = {plain(Kind::fma), branch(0), plain(Kind::fma), plain(Kind::fma), plain(), branch(2), leave()};
    EXPECT_EQ(analysis::main_loop(code).products, 2);
    EXPECT_EQ(analysis::main_loop(code).instructions, 4);
}

TEST(MainLoop, TensorCoresMultiplyToo) {
    trace::MachineListing code;
    code.instructions = {plain(Kind::load, Space::shared), plain(Kind::matrix), plain(Kind::matrix), branch(0),
                         leave()};
    EXPECT_EQ(analysis::main_loop(code).products, 2);
    EXPECT_DOUBLE_EQ(analysis::main_loop(code).product_share(), 0.5);
}

TEST(MainLoop, ThereMayBeNone) {
    trace::MachineListing code;
    code.instructions = {plain(Kind::fma), plain(), leave()};
    EXPECT_EQ(analysis::main_loop(code).product_share(), 0);
    code.instructions.insert(code.instructions.begin(), branch(-1));
    code.instructions.front().indirect = true;
    EXPECT_EQ(analysis::main_loop(code).product_share(), 0);
}

} // namespace
