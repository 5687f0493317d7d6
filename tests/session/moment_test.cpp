#include "fixture.h"
#include "session/moment.h"
#include "session/session.h"

namespace {

using session::Moment;
using session::Session;
using session::View;
using trace::Kind;
using trace::Space;

session::Traced traced(const Session& session) {
    return {session.kernel(), session.products().prepared.value, session.products().block.value};
}

Moment shown(const Session& session) {
    return session::moment_of(traced(session), session.view().selection.event).value();
}

// As the panels change the subject: the event is asked for anew.
void choose(Session& session, const std::string& kernel, catalog::Values parameters = {}) {
    View view = session.view();
    view.subject.kernel = kernel;
    view.subject.parameters = std::move(parameters);
    view.selection.event = 0;
    session.apply(view, {});
    session.wait();
}

View opened(const std::string& kernel) {
    View view = fixture::small(kernel);
    view.subject.problem = {64, 64, 128};
    return view;
}

class MomentOf : public testing::Test {
protected:
    void open(const std::string& kernel) {
        session.apply(opened(kernel), {});
        session.wait();
    }
    // Goes to the first event of the selected warp that does what `is_it` says, from `first` on.
    template <class IsIt>
    void go(IsIt is_it, uint32_t first = 0) {
        const auto& events = session.products().block.value->trace.events;
        for (uint32_t event = first; event < events.size(); ++event) {
            if (events[event].warp != session.view().selection.warp) continue;
            if (!is_it(*session::moment_of(traced(session), event))) continue;
            View view = session.view();
            view.selection.event = event;
            return session.apply(view, {});
        }
        FAIL() << "no such event";
    }
    Session session{fixture::options()};
};

void expect_read(const Moment& moment, const char* array) {
    EXPECT_EQ(moment.kind, Kind::load);
    EXPECT_EQ(moment.space, Space::shared);
    EXPECT_EQ(moment.array, array);
    EXPECT_NE(moment.text.find("fmaf(As[x][k], Bs[k][y], sum)"), std::string::npos) << moment.text;
}

// The rung is about the reads of A: they are what it shows first, with the conflict and without it.
TEST_F(MomentOf, ThePaddedRungOpensWithAReadOfA) {
    open("shared_tile_padded");
    expect_read(shown(session), "As");
    EXPECT_EQ(shown(session).turn, 2u);
}

TEST_F(MomentOf, PaddingSwitchedOffAndOnStaysWithTheArray) {
    open("shared_tile_padded");
    const Moment first = shown(session);
    for (int pad : {0, 1, 4, 0, 1}) {
        choose(session, "shared_tile_padded", {{"TILE", 32}, {"PAD", pad}});
        EXPECT_EQ(shown(session).array, "As") << pad;
        EXPECT_EQ(shown(session).line, first.line) << pad;
        EXPECT_EQ(shown(session).turn, first.turn) << pad;
    }
    go([&](const Moment& m) { return m.array == "Bs" && m.kind == Kind::load && m.turn == 3; });
    for (int pad : {0, 1}) {
        choose(session, "shared_tile_padded", {{"TILE", 32}, {"PAD", pad}});
        expect_read(shown(session), "Bs"); // though reads of A conflict without padding
        EXPECT_EQ(shown(session).turn, 3u) << pad;
    }
}

TEST_F(MomentOf, AnotherTileStaysWithArrayLineAndTurn) {
    open("shared_tile");
    go([](const Moment& m) { return m.array == "Bs" && m.kind == Kind::load && m.turn == 2 && m.repetition == 5; });
    const Moment first = shown(session);
    for (int tile : {16, 8, 32}) {
        choose(session, "shared_tile", {{"TILE", tile}});
        expect_read(shown(session), "Bs");
        EXPECT_EQ(shown(session), first) << tile;
    }
    go([](const Moment& m) { return m.array == "B" && m.kind == Kind::load && m.turn == 2; }); // of global memory
    const int line = shown(session).line;
    choose(session, "shared_tile", {{"TILE", 16}});
    EXPECT_EQ(shown(session).array, "B");
    EXPECT_EQ(shown(session).space, Space::global);
    EXPECT_EQ(shown(session).line, line);
}

TEST_F(MomentOf, AnotherRungAndBackStaysWithTheArray) {
    open("shared_tile");
    for (const char* array : {"As", "Bs"}) {
        go([&](const Moment& m) { return m.array == array && m.kind == Kind::load && m.turn == 2; });
        const Moment first = shown(session);
        choose(session, "shared_tile_padded");
        expect_read(shown(session), array);
        EXPECT_EQ(shown(session).turn, 2u);
        choose(session, "shared_tile");
        EXPECT_EQ(shown(session), first);
    }
    go([](const Moment& m) { return m.array == "As" && m.kind == Kind::store; });
    choose(session, "shared_tile_padded");
    EXPECT_EQ(shown(session).array, "As");
    EXPECT_EQ(shown(session).kind, Kind::store);
}

TEST_F(MomentOf, WhatTheOtherRungDoesNotHaveGivesWayToItsInterestingMoment) {
    open("shared_tile");
    choose(session, "naive"); // no shared memory
    EXPECT_EQ(shown(session).space, Space::global);
    choose(session, "shared_tile");
    expect_read(shown(session), "As"); // not the read of A from global memory, which naive was shown with
}

TEST_F(MomentOf, IsFoundAgainWhereItWas) {
    for (const char* kernel : {"naive", "shared_tile", "double_buffer", "persistent", "tensor_tf32_multicast"}) {
        open(kernel);
        const session::Traced block = traced(session);
        const auto& events = block.block->trace.events;
        size_t looked_for = 0;
        for (uint32_t event = 0; event < events.size(); event += 7) {
            const auto moment = session::moment_of(block, event);
            ASSERT_TRUE(moment);
            if (moment->line <= 0) continue;
            ++looked_for;
            ASSERT_EQ(session::event_like(*moment, block, events[event].warp), event) << kernel;
        }
        EXPECT_GT(looked_for, 20u) << kernel;
    }
}

TEST_F(MomentOf, BeyondTheLastTurnOrRepetitionIsTheNearest) {
    open("shared_tile");
    const session::Traced block = traced(session);
    Moment moment = shown(session);
    const auto found = [&] { return session::moment_of(block, session::event_like(moment, block, 0).value()).value(); };
    moment.turn = 1000000;
    EXPECT_EQ(found().turn, 4u); // K is 128, and a tile 32
    EXPECT_EQ(found().repetition, moment.repetition);
    moment.turn = 0; // before the first tile nothing is read
    EXPECT_EQ(found().turn, 1u);
    moment.turn = 2, moment.repetition = 1000000;
    EXPECT_EQ(found().turn, 2u);
    const uint32_t last = found().repetition;
    moment.repetition = last + 1;
    EXPECT_EQ(found().repetition, last);
    EXPECT_GT(last, 0u);
}

TEST_F(MomentOf, OutsideTheTraceIsNothing) {
    open("naive");
    EXPECT_EQ(session::moment_of(traced(session), ~0u), std::nullopt);
    auto empty = std::make_shared<session::BlockRun>();
    const session::Traced nothing{session.kernel(), session.products().prepared.value, empty};
    EXPECT_EQ(session::moment_of(nothing, 0), std::nullopt);
    EXPECT_EQ(session::event_like(shown(session), nothing, 0), std::nullopt);
}

} // namespace
