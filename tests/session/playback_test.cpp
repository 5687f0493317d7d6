#include "session/playback.h"

#include <gtest/gtest.h>

namespace {

using session::Selection;

// Two warps of a block of 40 threads in turn, two events each; instructions 0, 1, 2, ...
session::BlockRun two_warps(uint32_t pairs) {
    session::BlockRun run;
    trace::Trace& trace = run.trace;
    trace.block = {40, 1, 1};
    trace.grid = {4, 4, 1};
    trace.block_index = {2, 1, 0};
    for (uint32_t i = 0; i < pairs; ++i) {
        for (uint16_t warp : {uint16_t{0}, uint16_t{1}}) {
            trace.events.push_back({2 * i, ~0u, trace::no_access, warp});
            trace.events.push_back({2 * i + 1, ~0u, trace::no_access, warp});
        }
    }
    run.timeline = analysis::timeline(trace);
    return run; // warps: 0 0 1 1 0 0 1 1 ...
}

TEST(Playback, FindsEventsOfAWarp) {
    const auto run = two_warps(3);
    EXPECT_EQ(session::event_at_or_after(run, 0, 1), 2u);
    EXPECT_EQ(session::event_at_or_after(run, 3, 1), 3u);
    EXPECT_EQ(session::event_at_or_after(run, 11, 0), 9u); // none after: the last before
    EXPECT_EQ(session::event_at_or_before(run, 4, 1), 3u);
    EXPECT_EQ(session::event_at_or_before(run, 1, 1), 2u); // none before: the first after
    EXPECT_EQ(session::event_at_or_after(run, 0, 5), std::nullopt);
    EXPECT_EQ(session::event_at_or_before({}, 7, 0), std::nullopt);
}

// One warp after the other, three turns of a loop of one instruction: the other warp is shown in the same turn, not in the one that is
// nearest in the order of execution.
TEST(Playback, AnotherWarpIsShownInTheSameTurn) {
    session::BlockRun run;
    run.trace.block = {64, 1, 1};
    run.trace.grid = {1, 1, 1};
    for (uint16_t warp : {uint16_t{0}, uint16_t{1}})
        for (uint32_t pc : {0u, 1u, 1u, 1u}) run.trace.events.push_back({pc, ~0u, trace::no_access, warp});
    run.timeline = analysis::timeline(run.trace);
    const Selection before{{0, 0, 0}, 1, 0, 5};
    Selection next = before;
    next.warp = 0;
    session::follow(before, next, run);
    EXPECT_EQ(next.event, 1u);
    EXPECT_EQ(next.warp, 0);
}

TEST(Playback, CountsTheStepsOfAWarp) {
    const auto run = two_warps(3);
    EXPECT_EQ(session::step_of(run, 0, 0), 0u);
    EXPECT_EQ(session::step_of(run, 5, 0), 3u);
    EXPECT_EQ(session::step_of(run, 5, 1), 2u);
    EXPECT_EQ(session::step_of(run, 4000, 1), 6u);
    EXPECT_EQ(session::event_of(run, 3, 0), 5u);
    EXPECT_EQ(session::event_of(run, 3, 1), 7u);
    EXPECT_EQ(session::event_of(run, 4000, 1), 11u);
    EXPECT_EQ(session::event_of(run, 0, 5), std::nullopt);
}

TEST(Playback, ClampsToTheBlock) {
    const auto run = two_warps(3);
    Selection selection{{9, 9, 9}, 31, 31, 4000};
    session::clamp(selection, run.trace);
    EXPECT_EQ(selection, (Selection{{2, 1, 0}, 1, 7, 11})); // the second warp has 8 lanes
    session::clamp(selection, trace::Trace{});
    EXPECT_EQ(selection.event, 0u);
    EXPECT_EQ(selection.lane, 0); // a block of one thread
}

TEST(Playback, ANewWarpTakesTheEventAlong) {
    const auto run = two_warps(3);
    Selection before, next;
    before.event = next.event = 5; // instruction 3 of warp 0
    next.warp = 1;
    session::follow(before, next, run);
    EXPECT_EQ(next.event, 7u); // instruction 3 of warp 1
    EXPECT_EQ(next.warp, 1);
}

TEST(Playback, ANewEventSlidesOnToTheSelectedWarp) {
    const auto run = two_warps(3);
    Selection before, next;
    before.event = 1, next.event = 2;
    session::follow(before, next, run);
    EXPECT_EQ(next.event, 4u);
    before.event = 4, next.event = 3;
    session::follow(before, next, run);
    EXPECT_EQ(next.event, 1u);
    EXPECT_EQ(next.warp, 0);
}

TEST(Playback, WhereBothAreNewTheEventDecides) {
    const auto run = two_warps(3);
    Selection before, next;
    next.event = 8, next.warp = 1;
    session::follow(before, next, run);
    EXPECT_EQ(next.event, 8u);
    EXPECT_EQ(next.warp, 0);
    next.event = 4000000000u, next.warp = 1;
    session::follow(before, next, run);
    EXPECT_EQ(next.event, 11u);
}

TEST(Playback, AdvancesWithinAWarpToTheEnd) {
    const auto run = two_warps(3);
    Selection selection;
    EXPECT_TRUE(session::advance(selection, run, 3));
    EXPECT_EQ(selection.event, 5u);
    EXPECT_FALSE(session::advance(selection, run, 100));
    EXPECT_EQ(selection.event, 9u);
}

} // namespace
