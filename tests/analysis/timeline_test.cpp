#include "analysis/timeline.h"

#include "access_patterns.h"
#include "made_trace.h"

#include <gtest/gtest.h>

namespace {

using test::MadeTrace;
using test::strided;
using trace::Kind;
using trace::Space;
using Events = std::vector<uint32_t>;

TEST(Timeline, OfNothing) {
    const auto line = analysis::timeline({});
    EXPECT_EQ(line.warps.size(), 1u); // a block of one thread
    EXPECT_TRUE(line.barriers.empty());
    EXPECT_TRUE(line.k_tiles.empty());
    EXPECT_EQ(analysis::interesting_event({}, line), 0u);
}

TEST(Timeline, HoldsTheStepsOfEachWarp) {
    MadeTrace t(64);
    const uint32_t load = t.code(Kind::load, Space::shared, 4), fma = t.code(Kind::fma);
    for (uint32_t pc : {load, load, fma}) {
        t.run(0, pc);
        t.run(1, pc); // interleaved with warp 0
    }
    t.run(1, fma);
    const auto line = analysis::timeline(t.get());
    ASSERT_EQ(line.warps.size(), 2u);
    EXPECT_EQ(line.warps[0].events, (Events{0, 2, 4}));
    EXPECT_EQ(line.warps[1].events, (Events{1, 3, 5, 6}));
    EXPECT_TRUE(line.warps[1].k_tiles.empty()) << "no loop";
    EXPECT_EQ(line.warps[1].before(0), 0u);
    EXPECT_EQ(line.warps[1].before(3), 1u);
    EXPECT_EQ(line.warps[1].before(4), 2u);
    EXPECT_EQ(line.warps[1].before(1000), 4u);
}

TEST(Timeline, ABarrierIsCompleteWhenTheLastWarpArrives) {
    MadeTrace t(96);
    const uint32_t barrier = t.code(Kind::barrier), fma = t.code(Kind::fma);
    t.run(0, barrier);
    t.run(1, fma);
    t.run(1, barrier);
    const uint32_t first = t.run(2, barrier);
    t.run(2, barrier); // ahead already
    t.run(0, barrier);
    const uint32_t second = t.run(1, barrier);
    EXPECT_EQ(analysis::timeline(t.get()).barriers, (Events{first, second}));
}

TEST(Timeline, AWarpThatHasExitedIsNotWaitedFor) {
    MadeTrace t(40); // the second warp has 8 threads
    const uint32_t barrier = t.code(Kind::barrier), exit = t.code(Kind::exit);
    t.run(0, barrier);
    t.run(1, exit, 0x0f);
    const uint32_t gone = t.run(1, exit, 0xf0); // now all of its threads have: the barrier completes
    const uint32_t next = t.run(0, barrier);
    t.run(0, exit);
    EXPECT_EQ(analysis::timeline(t.get()).barriers, (Events{gone, next}));
}

// pc 0 prologue; 1..4 outer loop with an inner loop 2..3; 5..6 a shorter second loop.
class Loops : public testing::Test {
protected:
    MadeTrace t{64};
    uint32_t prologue = t.code(Kind::arithmetic);
    uint32_t head = t.code(Kind::load, Space::shared, 4);
    uint32_t inner = t.code(Kind::fma);
    uint32_t inner_back = t.code(Kind::branch, Space::none, 0, "@%p1 bra $L2;", 2);
    uint32_t back = t.code(Kind::branch, Space::none, 0, "@%p2 bra $L1;", 1);
    uint32_t tail = t.code(Kind::arithmetic);
    uint32_t tail_back = t.code(Kind::branch, Space::none, 0, "@%p3 bra $L5;", 5);
    uint32_t forward = t.code(Kind::branch, Space::none, 0, "bra $L8;", 8);
    uint32_t exit = t.code(Kind::exit);
};

TEST_F(Loops, KTilesAreTheIterationsOfTheOutermostLoop) {
    Events want;
    t.run(0, prologue);
    t.run(1, prologue);
    for (int tile = 0; tile < 3; ++tile) {
        want.push_back(t.run(0, head, strided(0, 4)));
        for (int k = 0; k < 4; ++k) t.run(0, inner), t.run(0, inner_back);
        t.run(0, back);
        t.run(1, head, strided(0, 4)); // warp 1 follows
        t.run(1, back);
    }
    for (int i = 0; i < 3; ++i) t.run(0, tail), t.run(0, tail_back);
    t.run(0, forward);
    t.run(0, exit);
    const auto line = analysis::timeline(t.get());
    EXPECT_EQ(line.k_tiles, want);
    EXPECT_EQ(analysis::interesting_event(t.get(), line), want[1]); // the first shared load of the second tile
}

TEST(Timeline, TheOpeningStepIsTheWorstConflictOfTheSecondTile) {
    MadeTrace t(32);
    const uint32_t head = t.code(Kind::fma), load = t.code(Kind::load, Space::shared, 4);
    const uint32_t back = t.code(Kind::branch, Space::none, 0, "@%p1 bra $L0;", 0);
    Events loads;
    for (int tile = 0; tile < 3; ++tile) {
        t.run(0, head);
        for (int stride : {4, 8, 64, 64}) loads.push_back(t.run(0, load, strided(0, tile == 1 ? stride : 128)));
        t.run(0, back);
    }
    EXPECT_EQ(analysis::interesting_event(t.get(), analysis::timeline(t.get())), loads[4 + 2]); // the first of two
}

TEST(Timeline, WithoutSharedMemoryTheOpeningStepIsTheMostWastefulLoad) {
    MadeTrace t(32);
    const uint32_t load = t.code(Kind::load, Space::global, 4);
    const uint32_t back = t.code(Kind::branch, Space::none, 0, "@%p1 bra $L0;", 0);
    Events loads;
    for (int tile = 0; tile < 3; ++tile) {
        loads.push_back(t.run(0, load, strided(0, 1024)));
        t.run(0, back);
    }
    EXPECT_EQ(analysis::interesting_event(t.get(), analysis::timeline(t.get())), loads[1]);

    MadeTrace two(32); // in one tile: coalesced, then not
    two.code(Kind::load, Space::global, 4);
    two.run(0, 0, strided(0, 4));
    const uint32_t wasteful = two.run(0, 0, strided(0, 128));
    EXPECT_EQ(analysis::interesting_event(two.get(), analysis::timeline(two.get())), wasteful);
}

TEST_F(Loops, TheLoopWithMostEventsCounts) {
    t.run(0, head);
    t.run(0, back);
    Events want;
    for (int i = 0; i < 9; ++i) want.push_back(t.run(0, tail)), t.run(0, tail_back);
    EXPECT_EQ(analysis::timeline(t.get()).k_tiles, want);
}

// Loops of a tile that are written as one: four turns read, and the warp waits for the next tile only in the last of them.
TEST(KTiles, OfAMergedLoopBeginWhereTheWarpHasWaited) {
    for (const int waits_in : {1, 4}) {
        MadeTrace t(32);
        const uint32_t head = t.code(Kind::load, Space::shared, 4);
        const uint32_t wait = t.code(Kind::wait);
        const uint32_t back = t.code(Kind::branch, Space::none, 0, "@%p1 bra $L0;", 0);
        Events want;
        for (int turn = 0; turn < 16; ++turn) {
            const uint32_t first = t.run(0, head, strided(0, 4));
            if (turn % waits_in == 0) want.push_back(first);
            if (turn % waits_in == waits_in - 1 && turn != 15) t.run(0, wait); // nothing comes behind the last tile
            t.run(0, back);
        }
        EXPECT_EQ(analysis::timeline(t.get()).k_tiles, want) << "waits in one of " << waits_in;
    }
}

// A rare path at the end of the code that jumps back into it is no loop, though the jump is backward.
TEST(KTiles, ABackwardJumpFromARarePathIsNoLoop) {
    MadeTrace t(32);
    const uint32_t rare = t.code(Kind::branch, Space::none, 0, "@%p1 bra $L4;", 4);
    const uint32_t head = t.code(Kind::fma);
    const uint32_t back = t.code(Kind::branch, Space::none, 0, "@%p2 bra $L1;", 1);
    const uint32_t exit = t.code(Kind::exit, Space::none, 0, "ret;");
    const uint32_t path = t.code(Kind::arithmetic);
    const uint32_t jump = t.code(Kind::branch, Space::none, 0, "bra $L1;", 1);
    for (uint32_t pc : {rare, path, jump}) t.run(0, pc);
    Events want;
    for (int i = 0; i < 4; ++i) want.push_back(t.run(0, head)), t.run(0, back);
    t.run(0, exit);
    EXPECT_EQ(analysis::timeline(t.get()).k_tiles, want);

    MadeTrace once(32); // the same jump to code that does not come back to it
    once.code(Kind::branch, Space::none, 0, "bra $L3;", 3);
    once.code(Kind::arithmetic);
    once.code(Kind::exit, Space::none, 0, "ret;");
    once.code(Kind::branch, Space::none, 0, "bra $L1;", 1);
    for (uint32_t pc : {0u, 3u, 1u, 2u}) once.run(0, pc);
    EXPECT_TRUE(analysis::timeline(once.get()).k_tiles.empty());
}

// A block goes from tile of C to tile of C, and within each along k: what it waits for there is the next k-tile. A loop within a k-tile
// waits for nothing.
TEST(KTiles, OfABlockThatSharesTheTilesOfCAreTurnsOfTheLoopWithin) {
    for (const bool waits : {true, false}) {
        MadeTrace t(32);
        const uint32_t start = t.code(Kind::arithmetic);
        const uint32_t wait = t.code(waits ? Kind::wait : Kind::arithmetic);
        const uint32_t load = t.code(Kind::load, Space::shared, 4);
        const uint32_t again = t.code(Kind::branch, Space::none, 0, "@%p1 bra $L1;", 1);
        const uint32_t store = t.code(Kind::store, Space::global, 4);
        const uint32_t back = t.code(Kind::branch, Space::none, 0, "@%p2 bra $L0;", 0);
        Events outer, inner;
        for (int tile = 0; tile < 3; ++tile) {
            outer.push_back(t.run(0, start));
            for (int k = 0; k < 5; ++k) {
                inner.push_back(t.run(0, wait));
                t.run(0, load, strided(0, 4));
                t.run(0, again);
            }
            t.run(0, store, strided(0, 4));
            t.run(0, back);
        }
        EXPECT_EQ(analysis::timeline(t.get()).k_tiles, waits ? inner : outer);
    }
}

// A producer warp beside consumers: each has a loop of its own.
TEST_F(Loops, AWarpsTurnsAreThoseOfItsOwnLoop) {
    for (int tile = 0; tile < 3; ++tile) t.run(0, head, strided(0, 4)), t.run(0, back);
    for (int i = 0; i < 2; ++i) t.run(1, tail), t.run(1, tail_back);
    t.run(0, forward);
    const auto line = analysis::timeline(t.get());
    EXPECT_EQ(line.warps.at(0).k_tiles, (Events{0, 2, 4}));
    EXPECT_EQ(line.warps.at(1).k_tiles, (Events{0, 2}));
    EXPECT_EQ(line.k_tiles.size(), 3u);
}

TEST(KTiles, TargetsOutsideTheListingAreHarmless) {
    MadeTrace t(32);
    t.code(Kind::branch, Space::none, 0, "bra $L9;", 9);
    t.code(Kind::branch, Space::none, 0, "bra $L1;", 1); // to itself
    t.run(0, 0);
    const uint32_t first = t.run(0, 1), second = t.run(0, 1);
    EXPECT_EQ(analysis::timeline(t.get()).k_tiles, (Events{first, second}));
}

TEST_F(Loops, CodeWithoutALoopHasNoTiles) {
    t.run(0, prologue);
    t.run(0, forward);
    t.run(0, exit);
    EXPECT_TRUE(analysis::timeline(t.get()).k_tiles.empty());
}

TEST(InterestingEvent, FallsBackToTheFirstAccess) {
    MadeTrace t(32);
    const uint32_t mov = t.code(Kind::arithmetic), parameter = t.code(Kind::load, Space::parameter, 4);
    const uint32_t global = t.code(Kind::load, Space::global, 4), shared = t.code(Kind::load, Space::shared, 4);
    t.run(0, mov);
    t.run(0, parameter, strided(0, 0));
    const uint32_t first = t.run(0, global, strided(0, 4));
    EXPECT_EQ(analysis::interesting_event(t.get(), analysis::timeline(t.get())), first);
    const uint32_t load = t.run(0, shared, strided(0, 4));
    EXPECT_EQ(analysis::interesting_event(t.get(), analysis::timeline(t.get())), load);
}

TEST(Timeline, EventsOfUnknownInstructionsAreStepsAndNoMore) {
    MadeTrace t(32);
    t.code(Kind::fma);
    t.run(0, 5);
    t.run(900, 0); // a warp beyond the block
    const auto line = analysis::timeline(t.get());
    EXPECT_EQ(line.warps.size(), 901u);
    EXPECT_EQ(line.warps[0].events, Events{0});
    EXPECT_EQ(line.warps[900].events, Events{1});
    EXPECT_TRUE(line.barriers.empty() && line.k_tiles.empty());
    for (const auto& warp : line.warps) EXPECT_TRUE(warp.k_tiles.empty());
}

} // namespace
