#include "analysis/loops.h"

#include <gtest/gtest.h>

namespace {

using analysis::Step;

constexpr Step plain{};
Step branch(int64_t target) { return {true, true, false, target}; }
Step jump(int64_t target) { return {false, true, false, target}; }
constexpr Step leave{false, true, false, -1};

TEST(NaturalLoops, BlocksBeginWhereBranchesLeadAndBehindThem) {
    const auto loops = analysis::loops(std::vector<Step>{plain, branch(3), plain, plain, leave}); // 0 1 | 2 | 3 4
    ASSERT_TRUE(loops.known);
    EXPECT_EQ(loops.block, (std::vector<uint32_t>{0, 0, 1, 2, 2}));
    for (size_t i = 0; i < 5; ++i) EXPECT_TRUE(loops.of(i).empty());
}

TEST(NaturalLoops, ALoopHoldsWhatIsExecutedOnlyNowAndThenAndNotWhatFollows) {
    const auto loops = analysis::loops(
        std::vector<Step>{plain, plain, branch(4), plain, plain, branch(1), plain, leave}); // 1..5, 3 only now and then
    EXPECT_TRUE(loops.of(0).empty());
    EXPECT_EQ(loops.of(3), std::vector<uint32_t>{loops.block[1]});
    EXPECT_EQ(loops.of(5), std::vector<uint32_t>{loops.block[1]});
    EXPECT_TRUE(loops.of(6).empty());
}

TEST(NaturalLoops, NestedOnesStandAroundEachOther) {
    const auto loops = analysis::loops(std::vector<Step>{plain, plain, plain, branch(2), branch(1), leave});
    EXPECT_EQ(loops.of(2), (std::vector<uint32_t>{loops.block[1], loops.block[2]}));
    EXPECT_EQ(loops.of(1), std::vector<uint32_t>{loops.block[1]});
}

TEST(NaturalLoops, WhatCannotBeReachedOrNeverEndsIsALoopToo) {
    const auto loops = analysis::loops(std::vector<Step>{branch(3), leave, jump(2), jump(3)});
    ASSERT_TRUE(loops.known);
    EXPECT_EQ(loops.of(3).size(), 1u);
}

TEST(NaturalLoops, WithAnIndirectBranchNothingIsKnown) {
    EXPECT_FALSE(analysis::loops(std::vector<Step>{plain, {false, true, true, -1}}).known);
    EXPECT_TRUE(analysis::loops(std::vector<Step>{}).known);
}

TEST(NaturalLoops, TargetsOutsideTheProgramLeaveIt) {
    EXPECT_TRUE(analysis::loops(std::vector<Step>{branch(99), jump(-5), leave}).known);
}

} // namespace
