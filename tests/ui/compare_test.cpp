// Both sides of a comparison are counted at the size of speeds.
#include "session/sample.h"
#include "stage.h"
#include "ui/panel.h"
#include "views/warp_track.h"

namespace {

struct Sides {
    session::Subject baseline, current;
};

Sides at_size_of_speeds(const session::View& view) {
    const auto catalog = catalog::load({kernel_folder()});
    const auto launch = [&](session::Subject subject) {
        subject.parameters = *catalog::with(*catalog.find(subject.kernel), subject.parameters);
        subject.problem = view.speed_problem;
        return subject;
    };
    return {launch(*view.baseline), launch(view.subject)};
}

session::View comparison(const std::string& baseline, const std::string& current) {
    session::View view = view_of(current, {64, 64, 32});
    view.baseline = view.subject;
    view.baseline->kernel = baseline;
    view.baseline->parameters.clear();
    view.speed_problem = {4096, 4096, 4096};
    return view;
}

TEST(Compare, CountsBothSidesAtTheSizeOfSpeeds) {
    const session::View view = comparison("shared_tile", "double_buffer");
    Stage stage(view);
    stage.show(ui::draw_compare);
    stage.settle();
    stage.frames(2);
    stage.settle();
    const Sides sides = at_size_of_speeds(view);
    for (const session::Subject& side : {sides.baseline, sides.current}) {
        const auto counts = stage.session().counts(side);
        ASSERT_TRUE(counts && *counts) << side.kernel;
        EXPECT_EQ((*counts)->subject.problem, view.speed_problem);
        EXPECT_LT((*counts)->executed, (*counts)->blocks);
        EXPECT_EQ((*counts)->run->totals.ffma_thread_instructions, 4096ull * 4096 * 4096);
    }
}

TEST(Compare, OfSomethingThatCannotBeCountedThereShowsWhatWasTraced) {
    session::View view = comparison("binary_naive", "binary_tiled");
    view.baseline->parameters = {{"TABLE", 1}};
    Stage stage(view);
    stage.show(ui::draw_compare);
    stage.settle();
    stage.frames(2);
    stage.settle();
    const auto counts = stage.session().counts(at_size_of_speeds(view).baseline);
    ASSERT_TRUE(counts && *counts);
    EXPECT_NE((*counts)->subject.problem, view.speed_problem);
    stage.frames(2); // and draws them
}

// Double buffering changes no access, but when it happens; an uncoalesced kernel differs from a coalesced one in its loads.
TEST(Compare, OpensAtTheViewThatDiffers) {
    Stage orders(comparison("conflict_free", "double_buffer"));
    orders.show(ui::draw_compare);
    orders.resize(1280, 720);
    orders.settle();
    orders.frames(3);
    EXPECT_TRUE(orders.has_mark("compare.track.current"));
    EXPECT_TRUE(orders.has_mark("compare.track.baseline"));

    Stage loads(comparison("naive_uncoalesced", "naive"));
    loads.show(ui::draw_compare);
    loads.resize(1280, 720);
    loads.settle();
    loads.frames(3);
    EXPECT_FALSE(loads.has_mark("compare.track.current"));
    loads.click_mark("tab.compare.kind.3");
    EXPECT_TRUE(loads.has_mark("compare.track.current")) << "chosen by hand";
    loads.expect_no_missing_text();
}

// In cycles what they are, of how many on which scale, and what the patterns mean stands above both; in order there are no cycles.
TEST(Compare, SaysWhatItsCyclesAre) {
    session::View view = comparison("conflict_free", "double_buffer");
    for (const auto language : {session::Language::en, session::Language::zh}) {
        view.language = language;
        Stage stage(view);
        stage.show(ui::draw_compare);
        for (const auto& [width, height] : {std::pair{680.0f, 430.0f}, {1280, 720}, {1600, 900}, {200, 100}}) {
            stage.resize(width, height);
            stage.settle();
            stage.frames(3);
            if (width < 600) continue; // one below the other
            const ui::Mark words = stage.mark("compare.cycles"), kind = stage.mark("time.kind");
            EXPECT_LT(words.y, stage.mark("compare.strip.current").y);
            EXPECT_EQ(words.y, kind.y);
        }
        stage.expect_no_missing_text();
        stage.resize(1280, 720);
        stage.edit([](session::View& v) { v.time_axis = session::TimeAxis::order; });
        stage.frames(3);
        EXPECT_FALSE(stage.has_mark("compare.cycles"));
    }
}

// A click on the pinned kernel's track moves the current one to the same share of K.
TEST(Compare, TracksAreLockedByKTile) {
    session::View view = comparison("conflict_free", "double_buffer");
    view.subject.problem = view.baseline->problem = {128, 128, 64};
    Stage stage(view);
    stage.show(ui::draw_compare);
    stage.resize(1280, 720);
    stage.settle();
    stage.frames(3);
    const auto turn = [&] {
        const auto picture = ui::Pictures().block(stage.session().products().block.value);
        const auto& order = picture->warps[0];
        return ui::turn_place(order, order.at_or_after(stage.view().selection.event));
    };
    const ui::Mark track = stage.mark("compare.track.baseline");
    stage.click({track.x + 0.9f * track.width, track.y + track.height / 2});
    const double later = turn();
    stage.frames(3);
    const ui::Mark again = stage.mark("compare.track.baseline");
    stage.click({again.x + 0.1f * again.width, again.y + again.height / 2});
    EXPECT_LT(turn(), later);
    EXPECT_GT(later, 1);
}

// Banks and sectors of both sides are of one k-tile; the step and a click on either strip move both.
TEST(Compare, AccessesAreLockedByKTile) {
    session::View view = comparison("conflict_free", "double_buffer");
    view.subject.problem = view.baseline->problem = {128, 128, 64};
    view.subject.parameters = view.baseline->parameters = {{"BK", 8}};
    Stage stage(view);
    stage.show(ui::draw_compare);
    stage.resize(1280, 900);
    stage.settle();
    stage.frames(3);
    const auto turn = [&](const std::string& side) {
        for (int k = -1; k < 8; ++k)
            if (stage.has_mark("compare." + side + ".turn." + std::to_string(k))) return k;
        return -2;
    };
    for (const char* kind : {"tab.compare.kind.0", "tab.compare.kind.1", "tab.compare.kind.2"}) {
        SCOPED_TRACE(kind);
        stage.click_mark(kind);
        stage.edit(
            [&](session::View& v) { v.selection.event = static_cast<uint32_t>(stage.trace().events.size() / 4); });
        stage.frames(3);
        const int early = turn("current");
        EXPECT_EQ(early, turn("baseline"));
        stage.type({{'.'}}), stage.type({{'.'}});
        stage.frames(3);
        EXPECT_EQ(turn("current"), early + 2);
        EXPECT_EQ(turn("baseline"), early + 2);
        const ui::Mark strip = stage.mark("compare.strip.baseline");
        stage.click({strip.x + 0.75f * strip.width, strip.y + strip.height / 2});
        stage.frames(3);
        EXPECT_GT(turn("current"), early + 2);
        EXPECT_EQ(turn("current"), turn("baseline"));
    }
}

} // namespace
