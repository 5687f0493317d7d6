#include "changed_view.h"
#include "session/history.h"

#include <gtest/gtest.h>

namespace {

using session::History;
using session::View;

View with_lane(int lane) {
    View view;
    view.selection.lane = lane;
    return view;
}

TEST(History, GoesBackAndForth) {
    History history;
    View a = with_lane(0), b = with_lane(1), c = with_lane(2);
    c.subject.kernel = "naive";
    history.record(a, b, 0);
    history.record(b, c, 10);
    EXPECT_EQ(history.undo(c), b);
    EXPECT_EQ(history.undo(b), a);
    EXPECT_EQ(history.undo(a), std::nullopt);
    EXPECT_EQ(history.redo(a), b);
    EXPECT_EQ(history.redo(b), c);
    EXPECT_EQ(history.redo(c), std::nullopt);
}

TEST(History, EachFieldIsUndoneByItself) {
    for (const auto& [field, changed] : changed::one_field()) {
        History history;
        history.record(View{}, changed, 0);
        if (field == "playing") EXPECT_EQ(history.undo(changed), std::nullopt);
        else EXPECT_EQ(history.undo(changed), View{}) << field;
    }
}

// The slider that was moved is named with the first value it takes.
TEST(History, ADragThatNamesItsParameterIsOneEntry) {
    History history;
    View before, moved, moved_on;
    moved.parameter = moved_on.parameter = "BM";
    moved.subject.parameters["BM"] = 64;
    moved_on.subject.parameters["BM"] = 128;
    history.record(before, moved, 0);
    history.record(moved, moved_on, 0.1);
    EXPECT_EQ(history.undo(moved_on), before);
    EXPECT_EQ(history.undo(before), std::nullopt);
}

TEST(History, ADragIsOneEntry) {
    History history;
    for (int i = 0; i < 20; ++i) history.record(with_lane(i), with_lane(i + 1), 0.1 * i);
    EXPECT_EQ(history.undo(with_lane(20)), with_lane(0));
    EXPECT_EQ(history.undo(with_lane(0)), std::nullopt);
}

TEST(History, APauseOrAnotherSliderEndsADrag) {
    History history;
    history.record(with_lane(0), with_lane(1), 0);
    history.record(with_lane(1), with_lane(2), 5);
    View other = with_lane(2);
    other.subject.parameters["BM"] = 64;
    history.record(with_lane(2), other, 5.1);
    View another = other;
    another.subject.parameters["BN"] = 32;
    history.record(other, another, 5.2);
    View reordered = another;
    reordered.subject.schedule = {trace::Schedule::Kind::shuffled, 1};
    history.record(another, reordered, 5.3);
    EXPECT_EQ(history.undo(reordered), another);
    EXPECT_EQ(history.undo(another), other);
    EXPECT_EQ(history.undo(other), with_lane(2));
    EXPECT_EQ(history.undo(with_lane(2)), with_lane(1));
    EXPECT_EQ(history.undo(with_lane(1)), with_lane(0));
}

// A pasted view that changes what a key has just changed.
TEST(History, WhatIsSeparateIsNoDrag) {
    History history;
    View first, second = first, third = first;
    second.subject.kernel = "naive";
    third.subject.kernel = "tile";
    history.record(first, second, 1.0);
    history.separate();
    history.record(second, third, 1.1);
    EXPECT_EQ(history.undo(third), second);
}

TEST(History, HoveringIsNoChangeAndStaysWhereItIs) {
    History history;
    View hovering = with_lane(0);
    hovering.hover.lane = 9;
    history.record(with_lane(0), hovering, 0);
    EXPECT_EQ(history.undo(hovering), std::nullopt);
    history.record(with_lane(0), with_lane(4), 1);
    View now = with_lane(4);
    now.hover.bank = 3;
    auto back = history.undo(now);
    ASSERT_TRUE(back);
    EXPECT_EQ(back->hover, now.hover);
}

TEST(History, ANewChangeForgetsTheFuture) {
    History history;
    history.record(with_lane(0), with_lane(1), 0);
    ASSERT_TRUE(history.undo(with_lane(1)));
    View dark = with_lane(0), light = with_lane(0);
    light.theme = session::Theme::light;
    history.record(dark, light, 3);
    EXPECT_EQ(history.redo(light), std::nullopt);
    EXPECT_EQ(history.undo(light), dark);
}

TEST(History, IsBounded) {
    History history;
    for (int i = 0; i < 1000; ++i) history.record(with_lane(i), with_lane(i + 1), 10.0 * i);
    int steps = 0;
    while (history.undo(with_lane(0))) ++steps;
    EXPECT_GE(steps, 100);
    EXPECT_LE(steps, 300);
}

} // namespace
