// The switches of planted mistakes in the panel of the tile, and what says that one is on.
#include "stage.h"

#include "ui/code/findings.h"
#include "ui/speed/speed.h"
#include "ui/time/stepping.h"

namespace {

class BreakIt : public testing::Test {
protected:
    BreakIt() {
        stage.show(ui::draw_tiles);
        stage.resize(220, 420);
        stage.settle();
        stage.frames(3);
    }
    std::set<std::string> breaks() const { return stage.view().subject.breaks; }
    Stage stage{view_of("tile", {64, 64, 64})};
};

TEST_F(BreakIt, IsOffAtFirstAndAClickSwitches) {
    EXPECT_EQ(breaks(), std::set<std::string>{});
    EXPECT_FALSE(stage.has_mark("broken"));
    stage.click_mark("break.no_second_barrier");
    stage.frames(2);
    stage.settle();
    stage.frames(2);
    EXPECT_EQ(breaks(), std::set<std::string>{"no_second_barrier"});
    EXPECT_TRUE(stage.has_mark("broken"));
    const auto* found = ui::findings_of(stage.session().products());
    ASSERT_TRUE(found);
    EXPECT_FALSE(found->empty());
    stage.click_mark("break.no_second_barrier");
    stage.frames(2);
    stage.settle();
    stage.frames(2);
    EXPECT_EQ(breaks(), std::set<std::string>{});
    EXPECT_FALSE(stage.has_mark("broken"));
    EXPECT_TRUE(stage.session().products().grid.value->findings.empty());
    stage.expect_no_missing_text();
}

TEST_F(BreakIt, IsUndone) {
    stage.click_mark("break.no_guard");
    stage.frames(2);
    ASSERT_EQ(breaks(), std::set<std::string>{"no_guard"});
    stage.type({{'Z', ui::with_control}});
    stage.frames(2);
    EXPECT_EQ(breaks(), std::set<std::string>{});
}

// What was recorded is the speed of the right kernel.
TEST_F(BreakIt, HasNoSpeed) {
    stage.edit([](session::View& view) { view.subject.kernel = "naive"; });
    stage.frames(2);
    std::optional<ui::SpeedNow> now;
    const auto look = [&](ui::Context& context) { now = ui::speed_now(context); };
    stage.show(look);
    stage.frames(2);
    ASSERT_TRUE(now && now->speed) << "recorded at 4096";
    stage.edit([](session::View& view) { view.subject.breaks = {"no_guard"}; });
    stage.frames(2);
    EXPECT_FALSE(now->speed);
    EXPECT_FALSE(now->speeds.best(now->size));
}

// A panel that is too low for the switches says that there are some, and scrolls to them.
TEST_F(BreakIt, SwitchesBelowTheFoldAreAnnounced) {
    const auto in_sight = [&](const std::string& name) {
        const ui::Mark line = stage.mark("breaks.below"), found = stage.mark(name);
        return found.y >= 0 && found.y + found.height <= line.y + 1;
    };
    stage.resize(260, 2000);
    stage.frames(3);
    EXPECT_FALSE(stage.has_mark("breaks.below"));
    stage.resize(260, 300);
    stage.frames(3);
    ASSERT_TRUE(stage.has_mark("breaks.below"));
    EXPECT_FALSE(in_sight("break.no_guard"));
    stage.click_mark("breaks.below");
    stage.frames(3);
    EXPECT_TRUE(in_sight("break.no_guard"));
    stage.click_mark("break.no_guard");
    EXPECT_EQ(breaks(), std::set<std::string>{"no_guard"});
}

TEST_F(BreakIt, IsLeftBehindWithTheKernel) {
    stage.click_mark("break.no_guard");
    stage.frames(2);
    stage.show([](ui::Context& context) { ui::select_kernel(context, *context.session.catalog().find("naive")); });
    stage.frames(2);
    EXPECT_EQ(stage.view().subject.kernel, "naive");
    EXPECT_EQ(breaks(), std::set<std::string>{});
}

// Above the changed line of the source stands what was broken, and the line is the one that is executed.
TEST_F(BreakIt, IsMarkedInTheSource) {
    stage.show(ui::draw_code);
    stage.resize(700, 2400); // all lines are in sight
    stage.edit([](session::View& view) { view.subject.breaks = {"no_guard"}; });
    stage.frames(3);
    EXPECT_TRUE(stage.has_mark("source.remark"));
    stage.edit([](session::View& view) { view.subject.breaks.clear(); });
    stage.frames(3);
    EXPECT_FALSE(stage.has_mark("source.remark"));
}

// Of every kernel of the program, what to look at is a view that there is, and every slider has words.
TEST(Looks, AreAtViewsThatThereAre) {
    const catalog::Catalog catalog = catalog::load({kernel_folder(), kernel_folder() / "races"});
    for (const auto& kernel : catalog.kernels) {
        EXPECT_TRUE(ui::find_panel(kernel->look.view)) << kernel->id << ": " << kernel->look.view;
        EXPECT_FALSE(kernel->look.say.en.empty()) << kernel->id;
        EXPECT_NE(kernel->look.say.en, kernel->look.say.zh) << kernel->id;
        for (const catalog::Parameter& parameter : kernel->parameters)
            EXPECT_FALSE(parameter.label.en.empty()) << kernel->id << " " << parameter.name;
    }
}

} // namespace
