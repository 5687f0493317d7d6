// Every panel in every face for a few frames, without a window or a GPU: ImGui with nothing behind it.
#include "ui/frame.h"
#include "ui/gui.h"

#include "base/file.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace ui {
namespace {

namespace fs = std::filesystem;
using session::Session;

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

struct Stage {
    std::unique_ptr<Session> session;
    std::unique_ptr<Gui> gui;
};

Stage set(Scene scene, session::View view) {
    session::Options options;
    options.assets = fs::path(SOURCE_DIR) / "assets";
    if (scene == Scene::failed) {
        options.kernel_folders = {broken_kernel()};
        view.subject.kernel = "broken";
    } else if (scene != Scene::empty) {
        options.kernel_folders = {fs::path(SOURCE_DIR) / "kernels"};
    }
    Stage stage{std::make_unique<Session>(std::move(options)), nullptr};
    stage.session->apply(view, {});
    if (scene != Scene::computing) stage.session->wait();
    auto strings = Strings::load(fs::path(SOURCE_DIR) / "assets" / "i18n");
    EXPECT_TRUE(strings);
    stage.gui = std::make_unique<Gui>(*std::move(strings), characters_of(stage.session->catalog()));
    stage.gui->prepare(view, 1);
    stage.gui->probe().on = true;
    ImGuiIO& io = ImGui::GetIO();
    io.DeltaTime = 1.0f / 60;
    unsigned char* pixels = nullptr;
    int width = 0, height = 0;
    io.Fonts->GetTexDataAsAlpha8(&pixels, &width, &height);
    return stage;
}

// The mouse wanders, so that hover and tooltips are drawn too.
void draw(Stage& stage, ImVec2 size, const std::function<void(Context&)>& content, int frames = 3) {
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = size;
    for (int frame = 0; frame < frames; ++frame) {
        const float share = (static_cast<float>(frame) + 0.5f) / static_cast<float>(frames);
        io.MousePos = {size.x * share, size.y * share};
        stage.gui->frame(*stage.session, {}, content);
    }
}

class Faces : public testing::TestWithParam<Scene> {};

TEST_P(Faces, EveryPanelDrawsSomething) {
    Stage stage = set(GetParam(), {});
    for (int i = 0; i < panel_count; ++i) {
        SCOPED_TRACE(panels[i].id);
        draw(stage, {640, 400}, [i](Context& context) {
            panels[i].prepare(context.view);
            ImGui::SetNextWindowPos({0, 0});
            ImGui::SetNextWindowSize({640, 400});
            ImGui::Begin("test", nullptr, ImGuiWindowFlags_NoDecoration);
            ImGui::PushFont(context.style.text);
            panels[i].draw(context);
            ImGui::PopFont();
            ImGui::End();
        });
        EXPECT_GT(ImGui::GetDrawData()->TotalVtxCount, 4) << "nothing but the ground, which is one rectangle";
    }
    EXPECT_EQ(stage.gui->strings().missing(), std::set<std::string>());
}

TEST_P(Faces, TheWholeWindowDrawsAtEverySizeInBothLanguages) {
    for (const auto language : {session::Language::en, session::Language::zh}) {
        session::View view;
        view.language = language;
        view.theme = language == session::Language::zh ? session::Theme::light : session::Theme::dark;
        Stage stage = set(GetParam(), view);
        for (const ImVec2 size : {ImVec2{1600, 900}, ImVec2{1280, 720}, ImVec2{3840, 2160}, ImVec2{320, 200}, ImVec2{64, 64}}) {
            SCOPED_TRACE(size.x);
            draw(stage, size, draw_window);
            EXPECT_GT(ImGui::GetDrawData()->TotalVtxCount, 4);
        }
        EXPECT_EQ(stage.gui->strings().missing(), std::set<std::string>());
    }
}

TEST_P(Faces, EveryKeyCanBePressed) {
    Stage stage = set(GetParam(), {});
    ImGui::GetIO().DisplaySize = {1280, 720};
    for (const KeyRow& row : key_table())
        for (const KeyPress& key : row.presses) {
            SCOPED_TRACE(row.help);
            if (stage.gui->prepare(stage.session->view(), 1)) { // as a window would, when the type changes
                unsigned char* pixels = nullptr;
                int width = 0, height = 0;
                ImGui::GetIO().Fonts->GetTexDataAsAlpha8(&pixels, &width, &height);
            }
            stage.gui->frame(*stage.session, std::span(&key, 1), draw_window);
        }
    EXPECT_EQ(stage.gui->strings().missing(), std::set<std::string>());
}

INSTANTIATE_TEST_SUITE_P(, Faces, testing::Values(Scene::empty, Scene::computing, Scene::ready, Scene::failed),
                         [](const auto& scene) { return scene_name(scene.param); });

TEST(Keys, MoveTheSelection) {
    Stage stage = set(Scene::ready, {});
    ImGui::GetIO().DisplaySize = {1280, 720};
    const auto type = [&](std::vector<KeyPress> keys) { stage.gui->frame(*stage.session, keys, draw_window); };
    const session::View& view = stage.session->view();
    type({{'L'}, {'1'}, {'3'}});
    EXPECT_EQ(view.selection.lane, 13);
    EXPECT_EQ(stage.gui->chrome().entry.field, Entry::Field::lane);
    type({{'D'}});
    EXPECT_EQ(stage.gui->chrome().entry.field, Entry::Field::none) << "another key ends the field";
    EXPECT_TRUE(view.baseline.has_value()) << "and means what it means";
    type({{'W'}, {'9'}, {'9'}});
    EXPECT_EQ(view.selection.warp, 7) << "8 warps: the last";
    const auto& trace = stage.session->products().block.value->trace;
    EXPECT_EQ(trace.events[view.selection.event].warp, 7);
}

TEST(Arrangement, FillsTheWindowWithoutOverlap) {
    const session::View view;
    for (const ImVec2 size : {ImVec2{1600, 900}, ImVec2{1280, 720}, ImVec2{3840, 2160}, ImVec2{320, 200}, ImVec2{700, 500}}) {
        SCOPED_TRACE(size.x);
        const Areas areas = arrange(view, size.x, size.y, 1, 240);
        double covered = 0;
        for (const Rect* area : {&areas.ladder, &areas.tiles, &areas.map, &areas.middle, &areas.plot, &areas.code, &areas.numbers, &areas.transport}) {
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
