// Every panel in every face for a few frames, without a window or a GPU: ImGui with nothing behind it.
#include "stage.h"

#include "base/file.h"
#include "session/playback.h"
#include "session/view_fields.h"
#include "ui/window/frame.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

namespace ui {
namespace {

namespace fs = std::filesystem;

enum class Scene { empty, computing, ready, failed };
const char* scene_name(Scene scene) {
    constexpr const char* names[] = {"empty", "computing", "ready", "failed"};
    return names[static_cast<int>(scene)];
}

// A kernel whose front matter is fine and whose CUDA is not.
fs::path broken_kernel() {
    const fs::path folder = fs::path(testing::TempDir()) / "gemmscope_broken_kernel";
    const char* text = R"(/* gemmscope
family = "ladder"
rung = 1
provenance = "test"
title = { en = "Broken", zh = "坏的" }
idea = { en = "It does not compile.", zh = "无法编译。" }
story = { en = "None.", zh = "无。" }
[launch]
block = ["32", "1"]
grid = ["1", "1"]
dynamic_shared = "0"
*/
__global__ void broken(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C) { nonsense }
)";
    EXPECT_TRUE(base::write_file(folder / "broken.cu", text));
    return folder;
}

std::unique_ptr<Stage> set(Scene scene, session::View view) {
    std::vector<fs::path> kernels;
    if (scene == Scene::failed) kernels = {broken_kernel()}, view.subject.kernel = "broken";
    else if (scene != Scene::empty) kernels = {kernel_folder()};
    auto stage = std::make_unique<Stage>(view, std::move(kernels));
    if (scene == Scene::computing) stage->freeze();
    else stage->settle();
    return stage;
}

// The mouse wanders, so that hover and tooltips are drawn too.
void draw(Stage& stage, ImVec2 size, int frames = 3) {
    stage.resize(size.x, size.y);
    for (int frame = 0; frame < frames; ++frame) {
        const float share = (static_cast<float>(frame) + 0.5f) / static_cast<float>(frames);
        ImGui::GetIO().MousePos = {size.x * share, size.y * share};
        stage.frame();
    }
}

class Faces : public testing::TestWithParam<Scene> {};

TEST_P(Faces, EveryPanelDrawsSomething) {
    const auto stage = set(GetParam(), {});
    for (const PanelRow& row : panels()) {
        SCOPED_TRACE(row.id);
        stage->show([&row](Context& context) {
            row.prepare(context.view);
            row.draw(context);
        });
        draw(*stage, {640, 400});
        EXPECT_GT(ImGui::GetDrawData()->TotalVtxCount, 4) << "nothing but the ground, which is one rectangle";
    }
    stage->expect_no_missing_text();
}

TEST(Panels, EachTabOfTheMiddleHasARowOfItsName) {
    for (const char* name : session::names_of(session::MiddleTab{})) {
        const PanelRow* row = find_panel(name);
        ASSERT_NE(row, nullptr) << name;
        session::View view;
        row->prepare(view);
        EXPECT_STREQ(session::names_of(view.middle_tab)[static_cast<size_t>(view.middle_tab)], name);
    }
}

TEST_P(Faces, TheWholeWindowDrawsAtEverySizeInBothLanguages) {
    for (const auto language : {session::Language::en, session::Language::zh}) {
        session::View view;
        view.language = language;
        view.theme = language == session::Language::zh ? session::Theme::light : session::Theme::dark;
        const auto stage = set(GetParam(), view);
        stage->show_as_it_is(draw_window);
        for (const ImVec2 size :
             {ImVec2{1600, 900}, ImVec2{1280, 720}, ImVec2{3840, 2160}, ImVec2{320, 200}, ImVec2{64, 64}}) {
            SCOPED_TRACE(size.x);
            draw(*stage, size);
            EXPECT_GT(ImGui::GetDrawData()->TotalVtxCount, 4);
        }
        stage->expect_no_missing_text();
    }
}

TEST_P(Faces, EveryKeyCanBePressed) {
    const auto stage = set(GetParam(), {});
    stage->show_as_it_is(draw_window);
    stage->resize(1280, 720);
    for (const KeyRow& row : key_table())
        for (const KeyPress& key : row.presses) {
            SCOPED_TRACE(row.help);
            stage->frame(std::span(&key, 1));
        }
    stage->expect_no_missing_text();
}

INSTANTIATE_TEST_SUITE_P(, Faces, testing::Values(Scene::empty, Scene::computing, Scene::ready, Scene::failed),
                         [](const auto& scene) { return scene_name(scene.param); });

TEST(Fonts, OfADenseScreenHaveTheSameSizeAndMorePixels) {
    const auto stage = set(Scene::empty, {});
    stage->show_as_it_is(draw_window);
    stage->frame();
    Gui& gui = stage->gui();
    ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
    const float size = gui.style().text->FontSize;
    const int pixels = atlas.TexWidth * atlas.TexHeight;
    EXPECT_FALSE(gui.prepare(stage->view(), 1, 1));
    ASSERT_TRUE(gui.prepare(stage->view(), 1, 2)) << "the atlas is another";
    EXPECT_EQ(gui.style().text->FontSize, size);
    EXPECT_GT(atlas.TexWidth * atlas.TexHeight, 2 * pixels);
}

// The window is moved to another monitor, or the system's setting is changed, while it runs.
TEST(Fonts, AMonitorOfAnotherScaleIsFollowed) {
    const auto stage = set(Scene::ready, {});
    Gui& gui = stage->gui();
    ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
    const auto button_at = [&](float scale) {
        if (gui.prepare(stage->view(), scale)) {
            unsigned char* pixels = nullptr;
            int width = 0, height = 0;
            atlas.GetTexDataAsRGBA32(&pixels, &width, &height);
        }
        ImGui::GetIO().DisplaySize = {1600 * scale, 900 * scale};
        ImGui::GetIO().DeltaTime = 1.0f / 60;
        for (int i = 0; i < 3; ++i) gui.frame(stage->session(), {}, [](Context& context) { draw_window(context); });
        return stage->mark("transport.play");
    };
    const Mark first = button_at(1);
    EXPECT_GT(first.width, 0);
    for (const float scale : {2.0f, 1.25f, 3.0f, 1.0f}) {
        const Mark now = button_at(scale);
        EXPECT_NEAR(now.width, scale * first.width, 2 + scale) << scale;
        EXPECT_NEAR(now.x, scale * first.x, 0.03f * scale * 1600) << scale;
        EXPECT_LE(now.x + now.width, 1600 * scale) << scale;
        EXPECT_LE(now.y + now.height, 900 * scale) << scale;
    }
    stage->expect_no_missing_text();
}

TEST(Keys, MoveTheSelection) {
    const auto stage = set(Scene::ready, {});
    stage->show_as_it_is(draw_window);
    stage->resize(1280, 720);
    const session::View& view = stage->view();
    stage->type({{'L'}, {'1'}, {'3'}});
    EXPECT_EQ(view.selection.lane, 13);
    EXPECT_EQ(stage->gui().chrome().entry.field, Entry::Field::lane);
    stage->type({{'D'}});
    EXPECT_EQ(stage->gui().chrome().entry.field, Entry::Field::none) << "another key ends the field";
    EXPECT_TRUE(view.baseline.has_value()) << "and means what it means";
    stage->type({{'W'}, {'9'}, {'9'}});
    EXPECT_EQ(view.selection.warp, 7) << "8 warps: the last";
    EXPECT_EQ(stage->trace().events[view.selection.event].warp, 7);
}

TEST(Keys, SlashOpensTheSearchWhereverTheFocusWas) {
    const auto stage = set(Scene::ready, {});
    stage->show_as_it_is(draw_window);
    stage->resize(1600, 900);
    stage->frames(3);
    for (const char* panel : {"", "panel.code", "panel.tiles", "panel.numbers"}) {
        if (*panel) stage->click_mark(panel);
        ImGui::GetIO().AddInputCharacter('/');
        stage->type({{'/'}});
        stage->frames(3);
        ImGui::GetIO().AddInputCharacter('x');
        stage->type({{'X'}});
        stage->frames(2);
        EXPECT_EQ(stage->view().search, "x") << "after " << panel;
        stage->type({{GLFW_KEY_ESCAPE}});
        stage->frames(2);
        EXPECT_EQ(stage->view().search, "");
    }
}

TEST(Keys, GoThroughEveryTab) {
    const auto stage = set(Scene::ready, {});
    stage->show_as_it_is(draw_window);
    stage->resize(1280, 720);
    std::vector<session::PlotTab> plots;
    std::vector<session::CodeTab> codes;
    for (int i = 0; i < 6; ++i) {
        stage->type({{'P'}, {'S'}});
        plots.push_back(stage->view().plot_tab);
        codes.push_back(stage->view().code_tab);
    }
    using session::CodeTab, session::PlotTab;
    EXPECT_EQ(plots, (std::vector{PlotTab::ladder, PlotTab::parameter, PlotTab::roofline, PlotTab::errors,
                                  PlotTab::device, PlotTab::sizes}));
    EXPECT_EQ(codes, (std::vector{CodeTab::ptx, CodeTab::machine, CodeTab::source, CodeTab::ptx, CodeTab::machine,
                                  CodeTab::source}));
}

TEST(Keys, StepByTurnOfTheKLoop) {
    const auto stage = set(Scene::ready, view_of("double_buffer"));
    stage->show_as_it_is(draw_window);
    stage->resize(1280, 720);
    stage->frame();
    const auto& events = stage->trace().events;
    const auto event = [&] { return stage->view().selection.event; };
    stage->type({{'.'}});
    const uint32_t first = event();
    stage->type({{'.'}});
    const uint32_t second = event();
    EXPECT_EQ(events[first].pc, events[second].pc) << "every turn begins with the same instruction";
    EXPECT_EQ(events[first].warp, events[second].warp);
    ASSERT_LT(first, second);
    stage->type({{','}});
    EXPECT_EQ(event(), first);
    stage->type({{','}, {','}, {','}, {','}});
    EXPECT_EQ(event(), 0u) << "before the first turn is the start";
}

TEST(Keys, MarkAMomentAndTakeTheMarkAway) {
    const auto stage = set(Scene::ready, view_of("double_buffer"));
    stage->show_as_it_is(draw_window);
    stage->resize(1280, 720);
    stage->frame();
    const uint32_t at = stage->view().selection.event;
    stage->type({{'M'}});
    EXPECT_EQ(stage->view().marked, at);
    stage->type({{GLFW_KEY_RIGHT}, {'M'}});
    EXPECT_EQ(stage->view().marked, stage->view().selection.event) << "another moment takes the mark over";
    stage->type({{'M'}});
    EXPECT_FALSE(stage->view().marked);
    stage->type({{'M'}, {GLFW_KEY_UP}});
    stage->settle();
    EXPECT_FALSE(stage->view().marked) << "another kernel has other moments";
}

// In order, the selected warp first, shuffled, and again: each time another trace, at the same step of the same warp.
TEST(Keys, ChangeTheOrderOfTheWarps) {
    using Kind = trace::Schedule::Kind;
    const auto stage = set(Scene::ready, view_of("double_buffer"));
    stage->show_as_it_is(draw_window);
    stage->resize(1280, 720);
    stage->frame();
    const auto schedule = [&] { return stage->view().subject.schedule; };
    const auto step = [&] {
        return session::step_of(stage->block(), stage->view().selection.event, stage->view().selection.warp);
    };
    const auto changes = [&] {
        size_t count = 0;
        const auto& events = stage->trace().events;
        for (size_t i = 1; i < events.size(); ++i) count += events[i].warp != events[i - 1].warp;
        return static_cast<double>(count) / static_cast<double>(events.size());
    };
    stage->type({{'W'}, {'3'}, {'.'}});
    const uint32_t at = step(), pc = stage->current_pc();
    EXPECT_LT(changes(), 0.01);
    stage->click_mark("transport.order");
    stage->settle();
    EXPECT_EQ(schedule(), (trace::Schedule{Kind::warp_first, 3}));
    EXPECT_EQ(stage->trace().events.front().warp, 3);
    EXPECT_EQ(step(), at);
    EXPECT_EQ(stage->current_pc(), pc);
    stage->type({{'W'}, {'5'}, {'O'}});
    EXPECT_EQ(schedule(), (trace::Schedule{Kind::warp_first, 5})) << "another warp than the selected one was first";
    stage->settle();
    EXPECT_EQ(step(), at) << "the same turn, although warp 5 is far behind in one order and far ahead in the other";
    stage->type({{'O'}});
    stage->settle();
    EXPECT_EQ(schedule(), (trace::Schedule{Kind::shuffled, 1}));
    EXPECT_GT(changes(), 0.5);
    EXPECT_EQ(step(), at);
    EXPECT_EQ(stage->view().selection.warp, 5);

    // Stepping and marks in a trace of turns.
    const uint32_t before = stage->view().selection.event;
    stage->type({{'M'}, {GLFW_KEY_RIGHT}});
    EXPECT_EQ(step(), at + 1);
    EXPECT_EQ(stage->view().marked, before);
    stage->type({{GLFW_KEY_LEFT}});
    EXPECT_EQ(stage->view().selection.event, before);
    stage->type({{'.'}});
    EXPECT_EQ(stage->current_pc(), pc) << "every turn of the k loop begins with the same instruction";
    EXPECT_GT(step(), at);
    stage->type({{','}});
    EXPECT_EQ(stage->view().selection.event, before);
    stage->edit([](session::View& view) { view.middle_tab = session::MiddleTab::timeline; });
    stage->frames(3);

    stage->click_mark("transport.seed");
    EXPECT_EQ(schedule(), (trace::Schedule{Kind::shuffled, 2}));
    EXPECT_FALSE(stage->view().marked) << "another trace has other moments";
    stage->type({{'O', with_shift}});
    EXPECT_EQ(schedule(), (trace::Schedule{Kind::shuffled, 3}));
    stage->settle();
    stage->click_mark("transport.order");
    EXPECT_EQ(schedule(), trace::Schedule{});
    stage->settle();
    EXPECT_EQ(step(), at);
    EXPECT_FALSE(stage->has_mark("transport.seed"));
    stage->expect_no_missing_text();
}

// C is larger than what is kept to find races between blocks.
TEST(Numbers, SayThatNotAllMemoryWasWatched) {
    const auto stage = set(Scene::ready, view_of("double_buffer", {7168, 7168, 8}));
    stage->show_as_it_is(draw_window);
    draw(*stage, {1280, 720});
    if (!stage->session().products().grid.value) { // too long to be counted unasked on a slow machine
        stage->click_mark("numbers.count");
        stage->settle();
    }
    ASSERT_TRUE(stage->session().products().grid.value);
    EXPECT_TRUE(stage->session().products().grid.value->unwatched);
    draw(*stage, {1280, 720});
    EXPECT_TRUE(stage->has_mark("numbers.unwatched"));
    stage->edit([](session::View& view) { view.subject.problem = {256, 256, 8}; });
    draw(*stage, {1280, 720});
    EXPECT_FALSE(stage->has_mark("numbers.unwatched"));
}

TEST(Arrangement, FillsTheWindowWithoutOverlap) {
    const session::View view;
    for (const ImVec2 size :
         {ImVec2{1600, 900}, ImVec2{1280, 720}, ImVec2{3840, 2160}, ImVec2{320, 200}, ImVec2{700, 500}}) {
        SCOPED_TRACE(size.x);
        const Areas areas = arrange(view, size.x, size.y, 1, 240);
        double covered = 0;
        for (const Rect* area : {&areas.ladder, &areas.tiles, &areas.map, &areas.middle, &areas.plot, &areas.code,
                                 &areas.numbers, &areas.transport}) {
            covered += static_cast<double>(area->width) * area->height;
            EXPECT_GE(area->x, 0);
            EXPECT_LE(area->right(), size.x + 0.5f);
            EXPECT_LE(area->bottom(), size.y + 0.5f);
        }
        EXPECT_NEAR(covered / (static_cast<double>(size.x) * size.y), 1, 0.01);
    }
    EXPECT_TRUE(arrange(view, 1280, 720, 1, 240).no_room.empty());
    EXPECT_FALSE(arrange(view, 320, 200, 1, 240).no_room.empty()) << "what is missing is said";
}

} // namespace
} // namespace ui
