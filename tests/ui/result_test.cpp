// The Result view without OpenGL: whose values it shows, hover, clicks, the table, and when a kernel may run on the GPU.
#include "result_stage.h"

#include "base/file.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <unistd.h>

#include <algorithm>
#include <atomic>

namespace {

using GpuFace = ui::LiveResult::Gpu::Face;
using Source = ui::ResultShown::Source;

TEST(Result, ShowsTheEnginesCWithItsRange) {
    ResultStage stage({100, 37, 65});
    EXPECT_EQ(stage.result().look(stage.session()).source, Source::none);
    stage.settle();
    const ui::ResultShown& shown = stage.result().look(stage.session());
    const std::vector<float> c = stage.engine_c();
    ASSERT_EQ(shown.source, Source::cpu);
    ASSERT_EQ(floats_of(shown.values), c);
    EXPECT_EQ(shown.m, 100);
    EXPECT_EQ(shown.n, 37);
    EXPECT_EQ(shown.least, *std::min_element(c.begin(), c.end()));
    EXPECT_EQ(shown.most, *std::max_element(c.begin(), c.end()));
    EXPECT_EQ(shown.largest, std::max(-shown.least, shown.most));
    EXPECT_TRUE(shown.finite);
    ASSERT_TRUE(shown.verification);
    EXPECT_TRUE(shown.verification->passed);
}

TEST(Result, ALargeCIsTakenBesideTheFrames) {
    ResultStage stage({1024, 512, 8}, "naive");
    stage.settle();
    std::atomic<bool> woken = false;
    ui::LiveResult result([&] { woken = true, woken.notify_all(); });
    EXPECT_EQ(result.look(stage.session()).source, Source::none);
    EXPECT_TRUE(result.takes());
    EXPECT_TRUE(result.busy()) << "the window looks for it";
    result.run(stage.session());
    EXPECT_EQ(result.gpu().face, GpuFace::waiting) << "the check of a GPU's C needs it";
    result.cancel();
    woken.wait(false);
    EXPECT_TRUE(result.update(stage.session()));
    EXPECT_FALSE(result.takes());
    const ui::ResultShown& shown = result.look(stage.session());
    ASSERT_EQ(shown.source, Source::cpu);
    EXPECT_EQ(floats_of(shown.values), stage.engine_c());
    ASSERT_TRUE(shown.largest_error);
    EXPECT_EQ(*shown.largest_error, *std::max_element(shown.errors.begin(), shown.errors.end()));
}

TEST(Result, ShowsDoublesAsTheyAre) {
    ResultStage stage({20, 12, 65}, "double_naive", TEST_DATA "/kernels");
    stage.settle();
    const ui::ResultShown& shown = stage.result().look(stage.session());
    ASSERT_EQ(shown.source, Source::cpu);
    ASSERT_EQ(shown.values.element(), base::NumberType::f64);
    EXPECT_EQ(shown.values.size(), 20u * 12);
    ASSERT_TRUE(shown.largest_error);
    EXPECT_GT(*shown.largest_error, 0) << "of sums that were rounded to doubles";
    EXPECT_LE(*shown.largest_error, 1);
    stage.frames(2);
    EXPECT_NE(stage.mark("result.picture").width, 0);
}

TEST(Result, ShowsElementsAndNotThePaddingBetweenRows) {
    ResultStage pitched({20, 12, 65}, "row_per_block_pitched"), plain({20, 12, 65}, "row_per_block");
    pitched.settle();
    plain.settle();
    const ui::ResultShown &shown = pitched.result().look(pitched.session()),
                          &other = plain.result().look(plain.session());
    ASSERT_EQ(shown.source, Source::cpu);
    EXPECT_EQ(floats_of(shown.values), floats_of(other.values));
    EXPECT_TRUE(shown.finite);
    EXPECT_EQ(shown.errors.size(), 20u * 12);
}

TEST(Result, FollowsTheProblem) {
    ResultStage stage({32, 32, 8});
    stage.settle();
    EXPECT_EQ(stage.result().look(stage.session()).m, 32);
    stage.edit([](session::View& view) { view.subject.problem = {48, 16, 8}; });
    stage.settle();
    EXPECT_EQ(stage.result().look(stage.session()).m, 48);
    EXPECT_EQ(stage.result().look(stage.session()).n, 16);
}

TEST(Result, DrawsAtEverySizeShapeLanguageAndTheme) {
    for (const catalog::Problem problem : {catalog::Problem{64, 64, 16}, {1, 700, 4}, {700, 1, 4}, {1, 1, 1}}) {
        ResultStage stage(problem);
        stage.frame();
        for (const int variant : {0, 1, 2, 3}) {
            stage.settle();
            stage.edit([&](session::View& view) {
                view.language = variant & 1 ? session::Language::zh : session::Language::en;
                view.theme = variant & 2 ? session::Theme::light : session::Theme::dark;
                view.table = variant == 3;
            });
            for (const auto& [across, down] :
                 {std::pair{300.0f, 150.0f}, {860.0f, 230.0f}, {3840.0f, 2160.0f}, {40.0f, 30.0f}}) {
                ImGui::GetIO().MousePos = {across / 3, down / 2};
                stage.resize(across, down);
                stage.frames(2);
                EXPECT_GT(ImGui::GetDrawData()->TotalVtxCount, 4);
            }
        }
        stage.expect_no_missing_text();
    }
}

TEST(Result, ElementsAreSquareAndALineIsWideEnoughToSee) {
    ResultStage stage({200, 100, 8});
    stage.settle();
    stage.frame();
    ui::Mark picture = stage.mark("result.picture");
    EXPECT_NEAR(picture.height / picture.width, 2, 0.03);
    stage.edit([](session::View& view) { view.subject.problem = {1, 900, 4}; });
    stage.settle();
    stage.frame();
    picture = stage.mark("result.picture");
    EXPECT_GE(picture.height, 16);
    EXPECT_GT(picture.width, 300);
}

TEST(Result, HoverNamesTheElementAndAClickSelectsItsThread) {
    ResultStage stage({128, 128, 16});
    stage.settle();
    stage.frame();
    stage.click(stage.place(77, 41));
    const session::View& view = stage.view();
    EXPECT_EQ(view.hover.array, "C");
    EXPECT_EQ(view.hover.row, 77);
    EXPECT_EQ(view.hover.column, 41);
    int thread = -1;
    for (const analysis::ArrayMap& array : stage.session().products().block.value->mapping)
        for (const analysis::Touch& touch : array.stores)
            if (array.name == "C" && touch.row == 77 && touch.column == 41) thread = touch.thread;
    ASSERT_GT(thread, 0);
    EXPECT_EQ(view.selection.warp * 32 + view.selection.lane, thread);
}

TEST(Result, TheWheelZoomsAboutTheMouseAndAButtonGoesBack) {
    ResultStage stage({256, 256, 16});
    stage.settle();
    stage.edit([](session::View& view) { view.result_zoom = 3; }); // from where the picture fills its room
    stage.frame();
    const ui::Mark picture = stage.mark("result.picture");
    const ImVec2 at{picture.x + picture.width * 0.7f, picture.y + picture.height * 0.3f};
    stage.point(at);
    const session::Hover before = stage.view().hover;
    stage.turn_wheel(at, 4);
    EXPECT_NEAR(stage.view().result_zoom, 3 * 2.44, 0.1);
    EXPECT_NEAR(static_cast<double>(stage.view().hover.row), static_cast<double>(before.row), 1);
    EXPECT_NEAR(static_cast<double>(stage.view().hover.column), static_cast<double>(before.column), 1);
    stage.click_mark("result.whole");
    EXPECT_EQ(stage.view().result_zoom, 1);
    EXPECT_EQ(stage.view().result_x, 0);
}

TEST(Result, DraggingPansAndSelectsNothing) {
    ResultStage stage({256, 256, 16});
    stage.settle();
    stage.edit([](session::View& view) { view.result_zoom = 6; });
    stage.frame();
    const ui::Mark picture = stage.mark("result.picture");
    const ImVec2 at{picture.x + picture.width / 2, picture.y + picture.height / 2};
    stage.point(at);
    const session::Selection before = stage.view().selection;
    const int64_t column = stage.view().hover.column;
    stage.drag(at, {-80, 0});
    EXPECT_EQ(stage.view().selection, before);
    EXPECT_GT(stage.view().result_x, 1);
    EXPECT_NEAR(static_cast<double>(stage.view().hover.column), static_cast<double>(column), 2)
        << "it moved with the mouse";
}

TEST(Result, KeysZoomPanAndGoBackWithinBounds) {
    ResultStage stage({256, 256, 16});
    stage.settle();
    stage.frame();
    for (int i = 0; i < 8; ++i) stage.type({{'+'}});
    EXPECT_NEAR(stage.view().result_zoom, 5.96, 0.01); // 1.25 to the eighth
    for (int i = 0; i < 100; ++i) stage.type({{GLFW_KEY_RIGHT, ui::with_shift}});
    stage.frames(2);
    EXPECT_LT(stage.view().result_x, 128) << "no further than C's edge";
    EXPECT_GT(stage.view().result_x, 10);
    stage.type({{'G'}});
    EXPECT_EQ(stage.view().result_zoom, 1);
    EXPECT_EQ(stage.view().result_x, 0);
}

TEST(Result, AClickOnAnotherTileSelectsItsBlockAndTheOutlineFollows) {
    ResultStage stage({256, 256, 16});
    stage.settle();
    stage.frame();
    const ui::Mark before = stage.mark("result.block");
    stage.click(stage.place(40, 200));
    stage.settle();
    stage.frame();
    EXPECT_EQ(stage.view().selection.block, (base::Dim3{1, 0, 0}));
    EXPECT_NEAR(stage.mark("result.block").x, before.x + before.width, 1.5f);
    EXPECT_EQ(stage.mark("result.block").y, before.y);
}

TEST(Result, ARunWaitsForTheVerdictAndThenSaysWhatIsMissing) {
    ResultStage stage({64, 64, 16});
    stage.result().run(stage.session());
    EXPECT_EQ(stage.result().gpu().face, GpuFace::waiting) << "nothing is verified yet";
    stage.settle();
    EXPECT_TRUE(stage.result().update(stage.session()));
    EXPECT_EQ(stage.result().gpu().face, GpuFace::failed) << "there is no OpenGL in this test";
    EXPECT_FALSE(stage.result().busy());
    stage.edit([](session::View& view) { view.subject.problem.k = 24; });
    EXPECT_TRUE(stage.result().update(stage.session()));
    EXPECT_EQ(stage.result().gpu().face, GpuFace::none) << "it was about another problem";
}

// Where the whole grid takes long, another check decides, and while it runs the view says which and can stop it.
TEST(Result, ALargeRunWaitsOnlyForACheckAtASmallerSize) {
    ResultStage stage({2048, 2048, 2048}, "naive");
    stage.settle();
    stage.frame();
    ASSERT_TRUE(stage.session().products().grid_estimate_s);
    stage.freeze();
    stage.type({{'R'}});
    EXPECT_EQ(stage.result().gpu().face, GpuFace::waiting);
    stage.click_mark("result.stop");
    EXPECT_EQ(stage.result().gpu().face, GpuFace::none);
    stage.type({{'R'}});
    stage.type({{GLFW_KEY_ESCAPE}});
    EXPECT_EQ(stage.result().gpu().face, GpuFace::none) << "Esc, too";
    stage.type({{'R'}});
    stage.settle();
    EXPECT_TRUE(stage.result().update(stage.session()));
    EXPECT_EQ(stage.result().gpu().face, GpuFace::failed)
        << "it was let through; there is no OpenGL in this test: " << stage.result().gpu().reason.english();
    EXPECT_TRUE(stage.session().products().grid.value->sample) << "not counted for that";
}

TEST(Result, TheErrorSaysWhereAKernelIsWrong) {
    const std::filesystem::path kernels =
        std::filesystem::path(testing::TempDir()) / ("partly_wrong_" + std::to_string(getpid()));
    auto source = base::read_file(std::filesystem::path(SOURCE_DIR) / "kernels/naive.cu");
    ASSERT_TRUE(source);
    const std::string right = "beta == 0 ? alpha * sum";
    const size_t at = source->find(right);
    ASSERT_NE(at, std::string::npos);
    source->replace(at, right.size(), "beta == 0 ? (column == 5 ? 1.5f : 1.0f) * alpha * sum");
    ASSERT_TRUE(base::write_file(kernels / "naive.cu", *source));
    ResultStage stage({32, 32, 8}, "naive", kernels);
    stage.settle();
    stage.frame();
    const ui::ResultShown& shown = stage.result().look(stage.session());
    ASSERT_EQ(shown.errors.size(), 32u * 32u);
    for (size_t i = 0; i < shown.errors.size(); ++i)
        EXPECT_EQ(shown.errors[i] > 1, i % 32 == 5) << "C[" << i / 32 << "][" << i % 32 << "]: " << shown.errors[i];
    EXPECT_GT(shown.largest_error.value_or(0), 1);
    std::filesystem::remove_all(kernels);
}

TEST(Result, AKernelThatIsWrongOnTheCpuDoesNotRunInThisProcess) {
    const std::filesystem::path kernels =
        std::filesystem::path(testing::TempDir()) / ("wrong_kernels_" + std::to_string(getpid()));
    auto source = base::read_file(std::filesystem::path(SOURCE_DIR) / "kernels/naive.cu");
    ASSERT_TRUE(source);
    const std::string right = "beta == 0 ? alpha * sum";
    const size_t at = source->find(right);
    ASSERT_NE(at, std::string::npos);
    source->replace(at, right.size(), "beta == 0 ? 1.5f * alpha * sum");
    ASSERT_TRUE(base::write_file(kernels / "naive.cu", *source));
    ResultStage stage({32, 32, 8}, "naive", kernels);
    stage.settle();
    ASSERT_TRUE(stage.session().products().grid.value);
    ASSERT_FALSE(stage.session().products().grid.value->verification->passed);
    stage.result().run(stage.session());
    EXPECT_EQ(stage.result().gpu().face, GpuFace::wrong);
    stage.frame();
    EXPECT_EQ(stage.result().look(stage.session()).source, Source::cpu)
        << "what the CPU computed is shown all the same";
    EXPECT_EQ(stage.view().result_field, session::ResultField::error) << "opens by itself: it shows where";
    stage.edit([](session::View& view) { view.result_field = session::ResultField::c; });
    stage.frames(2);
    EXPECT_EQ(stage.view().result_field, session::ResultField::c) << "and only once";
    std::filesystem::remove_all(kernels);
}

} // namespace
