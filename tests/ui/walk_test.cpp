// The keyboard reaches everything that the probe lists, shows where it is, and does there what the mouse does.
#include "stage.h"

#include "ui/window/frame.h"
#include "ui/window/walk.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <imgui_internal.h>

#include <algorithm>
#include <set>

namespace ui {
namespace {

class Walker : public Stage {
public:
    explicit Walker(const session::View& view, ImVec2 size = {1600, 900}) : Stage(view) {
        show_as_it_is(draw_window);
        resize(size.x, size.y);
        settle();
        frames(3);
    }
    const std::string& focus() { return gui().chrome().walk.name; }
    void begin() {
        type({{GLFW_KEY_F8}});
        frames(3);
    }
    void press(int key, int modifiers = no_modifier) {
        type({{key, modifiers}});
        frames(2);
    }
    // Tab until that has the focus.
    void go_to(const std::string& name) {
        for (int i = 0; i < 2000 && focus() != name; ++i) press(GLFW_KEY_TAB);
        EXPECT_EQ(focus(), name);
    }
    // The frame of the focus, in front of everything; nothing: there is none.
    ImRect frame_drawn() {
        const ImDrawList* list = ImGui::GetForegroundDrawList();
        ImRect box{FLT_MAX, FLT_MAX, -FLT_MAX, -FLT_MAX};
        for (const ImDrawVert& vertex : list->VtxBuffer) box.Add(vertex.pos);
        return box;
    }
};

std::set<std::string> names(const std::vector<Mark>& marks) {
    std::set<std::string> all;
    for (const Mark& mark : marks)
        if (!mark.name.starts_with("panel.")) all.insert(mark.name); // areas, that hold the others
    return all;
}

void expect_all_reached(Walker& walker) {
    walker.begin();
    std::set<std::string> wanted = names(walker.gui().probe().marks());
    // These rows are the instructions of the line that the pointer is over: others with every step of the walk.
    const bool peeks = std::erase_if(wanted, [](const std::string& name) { return name.starts_with("peek."); }) > 0;
    ASSERT_GT(wanted.size(), 2u);
    std::set<std::string> reached;
    const auto all_reached = [&] {
        return std::includes(reached.begin(), reached.end(), wanted.begin(), wanted.end());
    };
    for (size_t i = 0; i < 3 * wanted.size() + 10 && !all_reached(); ++i) {
        walker.press(GLFW_KEY_TAB);
        if (reached.contains(walker.focus())) continue;
        reached.insert(walker.focus());
        const ImRect frame = walker.frame_drawn();
        EXPECT_GT(frame.GetWidth(), 3) << walker.focus() << " has no frame";
        EXPECT_TRUE(frame.Contains(ImGui::GetIO().MousePos)) << walker.focus() << ": the pointer is elsewhere";
    }
    for (const std::string& name : wanted) EXPECT_TRUE(reached.contains(name)) << name << " is out of reach";
    for (int i = 0; peeks && i < 400 && !walker.focus().starts_with("peek."); ++i)
        walker.press(GLFW_KEY_TAB, with_shift);
    EXPECT_EQ(peeks, walker.focus().starts_with("peek."));
}

TEST(Walk, ReachesEverythingInTheWindowInEveryTab) {
    for (const auto tab : {session::MiddleTab::banks, session::MiddleTab::timeline, session::MiddleTab::registers,
                           session::MiddleTab::result}) {
        session::View view = view_of("double_buffer");
        view.middle_tab = tab;
        view.layout.plot = true;
        Walker walker(view);
        SCOPED_TRACE(panel_of(tab).id);
        expect_all_reached(walker);
    }
}

TEST(Walk, ReachesEverythingInThePlotsAndTheTwins) {
    for (const auto plot : {session::PlotTab::ladder, session::PlotTab::parameter, session::PlotTab::device}) {
        session::View view = view_of("double_buffer");
        view.plot_tab = plot;
        view.table = plot == session::PlotTab::device;
        Walker walker(view);
        SCOPED_TRACE(panel_of(plot).id);
        expect_all_reached(walker);
    }
}

TEST(Walk, ReachesEverythingOnThePagesAndOnTheStage) {
    Walker start(view_of("naive"));
    start.open_lessons();
    start.press(GLFW_KEY_F2);
    expect_all_reached(start);
    start.go_to("start.course");
    start.press(GLFW_KEY_ENTER);
    EXPECT_EQ(start.gui().chrome().page, Page::lessons);

    Walker stage(view_of("shared_tile"), {1280, 720});
    stage.press(GLFW_KEY_F5);
    expect_all_reached(stage);
}

TEST(Walk, EnterClicksAndLettersKeepTheirMeaning) {
    Walker walker(view_of("double_buffer"));
    walker.begin();
    walker.go_to("tab.plot.3");
    walker.press(GLFW_KEY_ENTER);
    EXPECT_EQ(walker.view().plot_tab, session::PlotTab::roofline);
    walker.press('T');
    EXPECT_TRUE(walker.view().table);
    walker.press('T');
    walker.go_to("banks.lane.13");
    EXPECT_EQ(walker.view().hover.lane, 13) << "what the mouse hovers over, the focus hovers over";
    walker.press(GLFW_KEY_ENTER);
    EXPECT_EQ(walker.view().selection.lane, 13);
    walker.press(GLFW_KEY_RIGHT);
    EXPECT_EQ(walker.focus(), "banks.lane.14") << "the nearest in that direction";
    walker.press(GLFW_KEY_ESCAPE);
    EXPECT_FALSE(walker.gui().chrome().walk.on);
    EXPECT_LE(walker.frame_drawn().GetWidth(), 0) << "no frame without a focus";
}

TEST(Walk, PlusAndMinusMoveTheSliderThatHasTheFocus) {
    Walker walker(view_of("shared_tile"));
    walker.begin();
    walker.go_to("slider.TILE");
    walker.press('-');
    EXPECT_EQ(walker.view().subject.parameters.at("TILE"), 16);
    walker.press(GLFW_KEY_ENTER);
    EXPECT_EQ(walker.view().subject.parameters.at("TILE"), 16) << "its middle is not meant";
}

TEST(Walk, HoldsAndDrags) {
    Walker walker(view_of("double_buffer"));
    const float before = walker.view().layout.left;
    walker.begin();
    walker.go_to("splitter.left");
    walker.press(GLFW_KEY_ENTER, with_shift);
    for (int i = 0; i < 10; ++i) walker.press(GLFW_KEY_RIGHT);
    walker.press(GLFW_KEY_ENTER, with_shift);
    const float after = walker.view().layout.left;
    EXPECT_GT(after, before + 0.02f);
    for (int i = 0; i < 5; ++i) walker.press(GLFW_KEY_RIGHT);
    EXPECT_EQ(walker.view().layout.left, after) << "it was let go";
}

TEST(Walk, GoesFromPanelToPanel) {
    Walker walker(view_of("double_buffer"));
    walker.begin();
    std::vector<std::string> first;
    for (int i = 0; i < 12; ++i) {
        walker.press(GLFW_KEY_TAB, with_control);
        first.push_back(walker.focus());
    }
    std::set<std::string> all(first.begin(), first.end());
    for (const std::string& name : first) all.insert(name.substr(0, name.find('.')));
    EXPECT_TRUE(all.contains("search")) << "the ladder, and not only " << testing::PrintToString(first);
    EXPECT_TRUE(all.contains("tab.code.0"));
    EXPECT_TRUE(all.contains("tab.plot.0"));
    EXPECT_TRUE(all.contains("transport.start"));
}

TEST(Walk, TheMouseTakesOver) {
    Walker walker(view_of("double_buffer"));
    walker.begin();
    ASSERT_TRUE(walker.gui().chrome().walk.on);
    walker.point({700, 400});
    EXPECT_FALSE(walker.gui().chrome().walk.on);
    EXPECT_EQ(ImGui::GetIO().MousePos.x, 700);
}

TEST(Walk, ScrollsToWhatIsOutOfSight) {
    Walker walker(view_of("double_buffer"), {1280, 720});
    walker.begin();
    std::string last;
    for (const Mark& mark : walker.gui().probe().marks())
        if (mark.name.starts_with("rung.")) last = mark.name;
    walker.go_to(last);
    EXPECT_GT(walker.frame_drawn().GetHeight(), 10) << last;
}

} // namespace
} // namespace ui
