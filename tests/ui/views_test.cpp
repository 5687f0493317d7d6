// The views of a traced block as a user meets them: real kernels, a mouse, no screen.
#include "stage.h"

#include "analysis/mapping.h"
#include "analysis/sectors.h"
#include "session/timed_block.h"
#include "sim/shared_arrays.h"
#include "ui/time/access.h"
#include "ui/window/frame.h"

#include <fmt/format.h>
#include <imgui_internal.h>

namespace {

using session::MiddleTab;

struct Row {
    const char* name;
    void (*draw)(ui::Context&);
    MiddleTab tab;
};
const Row rows[] = {
    {"map", ui::draw_map, MiddleTab::banks},           {"banks", ui::draw_banks, MiddleTab::banks},
    {"sectors", ui::draw_sectors, MiddleTab::sectors}, {"timeline", ui::draw_timeline, MiddleTab::timeline},
    {"shared", ui::draw_shared, MiddleTab::shared},    {"registers", ui::draw_registers, MiddleTab::registers}};

// One view of a traced block, as large as in a window.
class ViewPanel : public Stage {
public:
    ViewPanel(void (*draw)(ui::Context&), const std::string& kernel, catalog::Problem problem = {256, 256, 64})
        : Stage(view_of(kernel, problem)) {
        show(draw);
        resize(860, 380);
        settle();
    }
};

ImVec2 in(const ui::Mark& mark, float across, float down) {
    return {mark.x + mark.width * across, mark.y + mark.height * down};
}

TEST(Views, DrawInEveryFaceSizeLanguageAndTheme) {
    for (const char* kernel : {"double_buffer", "naive", "binary_tiled", "no_such_kernel"}) {
        Stage stage(view_of(kernel));
        stage.settle();
        for (const Row& row : rows) {
            stage.show(row.draw);
            for (const int variant : {0, 1, 2, 3}) {
                stage.edit([&](session::View& next) {
                    next.middle_tab = row.tab;
                    next.language = variant & 1 ? session::Language::zh : session::Language::en;
                    next.theme = variant & 2 ? session::Theme::light : session::Theme::dark;
                    next.table = variant == 3;
                });
                for (const auto& [width, height] : {std::pair{300.0f, 150.0f}, {860, 230}, {3840, 2160}, {40, 30}}) {
                    stage.resize(width, height);
                    stage.frames(2);
                }
                EXPECT_GT(ImGui::GetDrawData()->TotalVtxCount, 0) << row.name;
            }
        }
        stage.expect_no_missing_text();
    }
}

TEST(Views, ClickOnAnElementOfCSelectsTheThreadThatStoresIt) {
    ViewPanel map(ui::draw_map, "double_buffer");
    map.frames(3);
    map.click(in(map.mark("map.C"), 0.3f, 0.6f));
    const session::View& view = map.view();
    ASSERT_EQ(view.hover.array, "C");
    int thread = -1;
    for (const analysis::ArrayMap& array : map.session().products().block.value->mapping)
        for (const analysis::Touch& touch : array.stores)
            if (array.name == "C" && touch.row == view.hover.row && touch.column == view.hover.column)
                thread = touch.thread;
    ASSERT_GE(thread, 0);
    EXPECT_EQ(view.selection.warp * 32 + view.selection.lane, thread);
    EXPECT_NE(thread, 0); // not what it was before
}

// Rows of 528 bytes begin in the middle of a sector every other time, and cp.async.cg fetches that one twice.
TEST(Views, SectorsSayWhyMoreAreCountedThanDrawn) {
    ViewPanel sectors(ui::draw_sectors, "async_copy");
    sectors.edit([](session::View& view) { view.subject.problem = {128, 132, 32}; });
    const trace::Trace& trace = sectors.trace();
    int with = 0, without = 0;
    for (uint32_t number = 0; number < trace.events.size() && (with == 0 || without == 0); ++number) {
        const trace::Event& event = trace.events[number];
        const trace::Instruction& instruction = trace.listing->instructions[event.pc];
        if (instruction.kind != trace::Kind::async_copy || event.access == trace::no_access) continue;
        sectors.edit([&](session::View& view) { view.selection.event = number, view.selection.warp = event.warp; });
        sectors.frames(2);
        const uint32_t lanes = analysis::reading_lanes(trace, event);
        const trace::Addresses& source = trace.accesses[event.access + 1];
        const bool repeated =
            analysis::sectors_of(instruction, lanes, source).sectors != analysis::sectors(16, lanes, source).sectors;
        EXPECT_EQ(sectors.has_mark("sectors.past_l1"), repeated) << number;
        ++(repeated ? with : without);
    }
    EXPECT_GT(with, 0);
    EXPECT_GT(without, 0);
}

// What a load brings is a word: 32 elements along k.
TEST(Views, AWordOfBitsIsNamedByItsElementsAndHeldByEachOfThem) {
    ViewPanel map(ui::draw_map, "binary_tiled", {64, 64, 70});
    map.frames(2);
    map.point(in(map.mark("map.B"), 0.1f, 0.1f)); // row and column of the first word
    const session::Hover hover = map.view().hover;
    ASSERT_EQ(hover.array, "B");
    ASSERT_LT(hover.row, 32);
    map.expect_no_missing_text();

    const trace::Trace& trace = map.trace();
    const std::vector<analysis::Origin> origin =
        analysis::shared_origin(trace, static_cast<uint32_t>(trace.events.size()) - 1);
    std::vector<std::string> holding;
    for (uint64_t word = 0; word < origin.size(); ++word)
        if (ui::is_hovered_word(trace, origin[word], hover)) holding.push_back(ui::origin_name(trace, origin, word));
    EXPECT_EQ(holding, std::vector<std::string>{fmt::format("B[0..31][{}]", hover.column)});
}

TEST(Views, ClickOnAnotherTileSelectsItsBlock) {
    ViewPanel map(ui::draw_map, "double_buffer");
    map.edit([](session::View& view) { view.map_zoom = 1e-6f; });
    map.frames(3);
    map.click(in(map.mark("map.C"), 0.75f, 0.25f));
    EXPECT_EQ(map.view().selection.block, (base::Dim3{1, 0, 0}));
}

TEST(Views, WheelZoomsAboutTheMouse) {
    ViewPanel map(ui::draw_map, "double_buffer", {1024, 1024, 64});
    map.edit([](session::View& view) { view.selection.block = {3, 3, 0}; });
    map.frames(3);
    const ImVec2 at = in(map.mark("map.C"), 0.4f, 0.5f);
    map.point(at);
    const session::Hover before = map.view().hover;
    const float zoom = map.view().map_zoom;
    ASSERT_GE(before.row, 0);
    map.turn_wheel(at, 3);
    EXPECT_GT(map.view().map_zoom, zoom * 1.5f);
    EXPECT_NEAR(static_cast<double>(map.view().hover.row), static_cast<double>(before.row), 1);
    EXPECT_NEAR(static_cast<double>(map.view().hover.column), static_cast<double>(before.column), 1);
}

TEST(Views, DraggingPansAndSelectsNothing) {
    ViewPanel map(ui::draw_map, "double_buffer", {1024, 1024, 64});
    map.edit([](session::View& view) { view.selection.block = {3, 3, 0}; });
    map.frames(3);
    const ImVec2 at = in(map.mark("map.C"), 0.5f, 0.5f);
    map.point(at);
    const session::Selection before = map.view().selection;
    const int64_t column = map.view().hover.column;
    map.drag(at, {-64, 0});
    EXPECT_EQ(map.view().selection, before);
    EXPECT_GT(map.view().map_x, 0);
    EXPECT_NEAR(static_cast<double>(map.view().hover.column), static_cast<double>(column),
                8); // it moved with the mouse
}

TEST(Views, LaneInTheWavefrontStrip) {
    ViewPanel banks(ui::draw_banks, "register_tile");
    banks.frames(3);
    const ui::Mark lane = banks.mark("banks.lane.13");
    banks.point(in(lane, 0.5f, 0.5f));
    EXPECT_EQ(banks.view().hover.lane, 13);
    banks.click(in(lane, 0.5f, 0.5f));
    EXPECT_EQ(banks.view().selection.lane, 13);
}

TEST(Views, SharedMemoryHasTheSourcesNames) {
    ViewPanel shared(ui::draw_shared, "double_buffer");
    const auto arrays = sim::shared_arrays(*shared.session().products().prepared.value->program);
    ASSERT_EQ(arrays.size(), 2u);
    EXPECT_EQ(arrays[0].name, "As");
    EXPECT_EQ(arrays[0].offset, 0u);
    EXPECT_EQ(arrays[1].name, "Bs");
    EXPECT_EQ(arrays[1].offset, arrays[0].bytes);
    EXPECT_EQ(arrays[0].bytes + arrays[1].bytes, shared.trace().shared_bytes);
}

// What the marked moment held is computed beside what the step holds, and compared with it.
TEST(Views, ContentsAreComparedWithTheMarkedMoment) {
    ViewPanel shared(ui::draw_shared, "double_buffer");
    shared.edit([](session::View& view) { view.middle_tab = MiddleTab::shared; });
    const auto& products = shared.session().products();
    EXPECT_EQ(products.marked.value, nullptr);
    shared.edit([&](session::View& view) { view.marked = view.selection.event; });
    ASSERT_TRUE(products.marked.value);
    EXPECT_EQ(products.marked.value->shared, products.state.value->shared);
    shared.type({{'.'}, {'.'}}); // two turns of the k loop later both buffers have been filled again
    shared.settle();
    EXPECT_NE(products.marked.value->shared, products.state.value->shared);
    shared.show(ui::draw_registers);
    shared.edit([](session::View& view) { view.middle_tab = MiddleTab::registers; });
    shared.frames(2);
    shared.edit([](session::View& view) { view.middle_tab = MiddleTab::banks; });
    EXPECT_EQ(products.marked.value, nullptr) << "computed only while it is shown";
    shared.expect_no_missing_text();
}

TEST(Views, TheDevicePageScrollsWhereItDoesNotFit) {
    session::View view = view_of("double_buffer");
    view.plot_tab = session::PlotTab::device;
    Stage stage(view);
    stage.show(ui::draw_plot);
    const auto hidden = [&](float height) { // pixels of the page
        stage.resize(680, height);
        stage.frames(3);
        for (const ImGuiWindow* window : ImGui::GetCurrentContext()->Windows)
            if (std::string_view(window->Name).find("/device_") != std::string_view::npos) return window->ScrollMax.y;
        ADD_FAILURE() << "the page is in no window of its own";
        return -1.0f;
    };
    EXPECT_GT(hidden(160), 200) << "the bars of the rungs are below";
    EXPECT_EQ(hidden(700), 0);
}

TEST(Views, TheButtonThatMeasuresStandsBelowTheDevicePage) {
    session::View view = view_of("naive");
    view.plot_tab = session::PlotTab::device;
    Stage stage(view, {kernel_folder()}, std::filesystem::path(SOURCE_DIR) / "assets",
                "python3 '" SOURCE_DIR "/tests/gpu/fake_worker.py' good");
    stage.show(ui::draw_plot);
    stage.type({{'R'}}); // a run asks what GPU there is
    stage.settle();
    for (const float height : {160.0f, 230.0f, 700.0f}) {
        stage.resize(680, height);
        stage.frames(3);
        const ui::Mark page = stage.mark("device.page"), button = stage.mark("device.measure");
        EXPECT_GE(button.y, page.y + page.height) << height;
        EXPECT_LE(button.y + button.height, height) << height;
    }
}

TEST(Views, ClickOnTheTimelineGoesToThatWarpAndStep) {
    ViewPanel timeline(ui::draw_timeline, "double_buffer");
    timeline.frames(3);
    timeline.click(in(timeline.mark("timeline.warp.5"), 0.9f, 0.5f));
    const session::Selection& selection = timeline.view().selection;
    EXPECT_EQ(selection.warp, 5);
    EXPECT_EQ(timeline.trace().events[selection.event].warp, 5);
}

TEST(Views, TheTimelineInCyclesHasSwitchesThatNoGpuHas) {
    ViewPanel timeline(ui::draw_timeline, "double_buffer");
    timeline.resize(1100, 700);
    timeline.frames(3);
    EXPECT_FALSE(timeline.has_mark("what_if.banner"));
    timeline.click_mark("what_if.no_reuse_cache");
    timeline.settle();
    timeline.frames(2);
    EXPECT_FALSE(timeline.view().what_if.reuse_cache);
    EXPECT_TRUE(timeline.has_mark("what_if.banner"));
    const auto& time = timeline.session().products().time;
    ASSERT_TRUE(time.value && time.value->asked());
    EXPECT_GT(time.value->shown->run.cycles, time.value->real->run.cycles);
    timeline.click_mark("what_if.no_reuse_cache");
    timeline.settle();
    timeline.frames(2);
    EXPECT_EQ(timeline.view().what_if, timing::WhatIf{});
    EXPECT_FALSE(timeline.has_mark("what_if.banner"));
    timeline.click_mark("timeline.order");
    timeline.frames(2);
    EXPECT_EQ(timeline.view().time_axis, session::TimeAxis::order);
    EXPECT_FALSE(timeline.has_mark("what_if.no_reuse_cache"));
    timeline.expect_no_missing_text();
}

// In a low panel they stand behind a button, so that the warps have the room.
TEST(Views, TheTimelineInCyclesHasRoomForItsWarps) {
    ViewPanel timeline(ui::draw_timeline, "double_buffer");
    timeline.resize(860, 200);
    timeline.frames(3);
    EXPECT_FALSE(timeline.has_mark("what_if.no_reuse_cache"));
    timeline.click_mark("what_if");
    timeline.frames(2);
    EXPECT_TRUE(timeline.has_mark("what_if.no_reuse_cache"));
    for (int warp = 0; warp < 8; ++warp)
        EXPECT_GE(timeline.mark("timeline.warp." + std::to_string(warp)).height, 2) << warp;
}

// On a small projector: what patterns mean, what kind of number cycles are, what is lost beside each line; and the rows are all there.
TEST(Views, OfASmallWindowSayWhatTheirCyclesAre) {
    session::View view = view_of("double_buffer");
    view.middle_tab = MiddleTab::timeline;
    for (const auto language : {session::Language::en, session::Language::zh}) {
        view.language = language;
        Stage window(view);
        window.show_as_it_is(ui::draw_window);
        window.resize(1280, 720);
        window.settle();
        window.frames(3);
        for (const char* mark : {"timeline.legend", "time.kind", "source.column.0"})
            EXPECT_TRUE(window.has_mark(mark)) << mark;
        const ui::Mark panel = window.mark("panel.middle");
        for (int warp = 0; warp < 8; ++warp) {
            const ui::Mark row = window.mark("timeline.warp." + std::to_string(warp));
            EXPECT_GE(row.height, 2) << warp;
            EXPECT_LT(row.y + row.height + 16, panel.y + panel.height) << "the axis is below";
        }
        window.resize(1600, 900);
        window.frames(3);
        EXPECT_TRUE(window.has_mark("timeline.whole")) << "where there is room";
        window.expect_no_missing_text();
    }
}

// Every place of every row says what happens there, and for whom it waits.
TEST(Views, TheTimelineInCyclesSaysWhatIsPointedAt) {
    ViewPanel timeline(ui::draw_timeline, "conflict_free");
    timeline.resize(1100, 700);
    timeline.frames(3);
    for (const float zoom : {1.0f, 40.0f, 0.01f}) {
        timeline.edit([&](session::View& view) { view.time_zoom = zoom; });
        timeline.frames(2);
        for (float across = 0.02f; across < 1; across += 0.07f) {
            timeline.point(in(timeline.mark("timeline.warp.2"), across, 0.5f));
            timeline.frames(2);
            EXPECT_EQ(timeline.view().hover.warp, 2);
            EXPECT_GE(timeline.view().hover.pc, 0);
        }
    }
    const float before = timeline.view().time_zoom;
    timeline.turn_wheel(in(timeline.mark("timeline.warp.2"), 0.5f, 0.5f), 2);
    EXPECT_GT(timeline.view().time_zoom, before);
    timeline.expect_no_missing_text();
}

} // namespace
