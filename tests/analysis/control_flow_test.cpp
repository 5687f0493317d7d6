#include "analysis/control_flow.h"

#include <gtest/gtest.h>

namespace {

using analysis::Decision;
using analysis::Step;

constexpr Step plain{};
Step branch(int64_t target) { return {true, true, false, target}; }
Step jump(int64_t target) { return {false, true, false, target}; }
constexpr Step leave{false, true, false, -1};

const auto every = [](uint32_t) { return true; };

TEST(ControlFlow, BothSidesOfABranchAreOneRegion) {
    const std::vector<Step> steps{plain, branch(3), plain, plain, leave}; // 0 1 | 2 | 3 4
    const auto flow = analysis::control_flow(steps);
    ASSERT_TRUE(flow.known);
    EXPECT_EQ(flow.block, (std::vector<uint32_t>{0, 0, 1, 2, 2}));
    EXPECT_EQ(flow.region_of(0), flow.region_of(4));
    EXPECT_NE(flow.region_of(0), flow.region_of(2));
    const Decision inside = decision(flow, flow.block[2], every);
    EXPECT_EQ(inside.kind, Decision::branch);
    EXPECT_EQ(inside.instruction, 1u);
    EXPECT_EQ(decision(flow, flow.block[4], every).kind, Decision::nothing);
}

TEST(ControlFlow, AnEarlyExitSplitsTheRegion) {
    const std::vector<Step> steps{plain, {true, true, false, -1}, plain, leave};
    const auto flow = analysis::control_flow(steps);
    EXPECT_NE(flow.region_of(0), flow.region_of(2));
    EXPECT_EQ(decision(flow, flow.block[2], every).instruction, 1u);
}

TEST(ControlFlow, ALoopIsItsOwnRegionAndWhatFollowsItIsNot) {
    const std::vector<Step> steps{plain, plain,     branch(4), plain,
                                  plain, branch(1), plain,     leave}; // loop 1..5, 3 only now and then
    const auto flow = analysis::control_flow(steps);
    EXPECT_EQ(flow.region_of(0), flow.region_of(6));
    EXPECT_EQ(flow.region_of(1), flow.region_of(4));
    EXPECT_NE(flow.region_of(0), flow.region_of(1));
    EXPECT_NE(flow.region_of(3), flow.region_of(1));
    EXPECT_EQ(flow.loops_of(3).size(), 1u);
    EXPECT_TRUE(flow.loops_of(6).empty());
    EXPECT_EQ(decision(flow, flow.block[4], every).kind, Decision::loop);
    EXPECT_EQ(decision(flow, flow.block[6], every).kind, Decision::nothing);
    EXPECT_EQ(decision(flow, flow.block[3], every).kind, Decision::branch);
    // Without that branch the decision is the loop's.
    const Decision beyond = decision(flow, flow.block[3], [](uint32_t i) { return i != 2; });
    EXPECT_EQ(beyond.kind, Decision::loop);
    EXPECT_EQ(flow.block[1], beyond.block);
}

TEST(ControlFlow, NestedLoops) {
    const std::vector<Step> steps{plain, plain, plain, branch(2), branch(1), leave};
    const auto flow = analysis::control_flow(steps);
    EXPECT_EQ(flow.loops_of(2).size(), 2u);
    EXPECT_EQ(flow.loops_of(1).size(), 1u);
    EXPECT_EQ(flow.region_of(1), flow.region_of(4));
}

TEST(ControlFlow, WhatCannotBeReachedOrNeverEndsIsARegionOfItsOwn) {
    const std::vector<Step> steps{branch(3), leave, jump(2), jump(3)};
    const auto flow = analysis::control_flow(steps);
    ASSERT_TRUE(flow.known);
    EXPECT_NE(flow.region_of(0), flow.region_of(3));
    EXPECT_NE(flow.region_of(2), flow.region_of(3));
    EXPECT_FALSE(analysis::control_flow(std::vector<Step>{plain, {false, true, true, -1}}).known);
    EXPECT_TRUE(analysis::control_flow(std::vector<Step>{}).known);
}

TEST(ControlFlow, TargetsOutsideTheProgramLeaveIt) {
    const std::vector<Step> steps{branch(99), jump(-5), leave};
    EXPECT_TRUE(analysis::control_flow(steps).known);
}

} // namespace
