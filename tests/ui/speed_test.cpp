// Speed where parameters are chosen: the large number, the map of two parameters, the way uphill.
#include "ui/plot/plot_views.h"
#include "ui/speed/speed.h"

#include "base/file.h"
#include "measure/sweep_record.h"
#include "stage.h"
#include "views/parameter_effect.h"
#include "views/standing.h"

#include <fmt/format.h>

#include <unistd.h>

namespace {

// BX and BY of `naive`: BX 16 is a local best, BX 4 the best.
class Speed : public testing::Test {
protected:
    Speed() : assets_(std::filesystem::path(testing::TempDir()) / ("speed." + std::to_string(::getpid()))) {
        const auto kernel = catalog_.find("naive");
        std::string lines =
            measure::header_of(*kernel, "Some GPU") +
            measure::line_of(measure::SweepSource{"lab", 0, "1", "13.0", "", 1000, "2026-01-03", "sweep"}, 1);
        for (const auto& [bx, by, ms] :
             {std::tuple{32, 8, 10.0}, {16, 8, 8.0}, {8, 8, 9.0}, {32, 16, 9.5}, {64, 8, 20.0}})
            lines += fmt::format("{} {} 1024 {} 2 7 0.004 1\n", bx, by, ms);
        lines += "4 8 1024 4 2 7 0.004 1\n16 16 1024 - - 0 - 1 it does not fit\n32 8 4096 640 128 7 0.004 1\n";
        std::filesystem::create_directories(assets_ / "recorded" / "sweeps" / "some");
        EXPECT_TRUE(base::write_file(assets_ / "recorded/sweeps/some/naive.txt", lines));
        measure::BenchPoint p;
        p.kernel = "naive", p.parameters = {{"BX", 64}, {"BY", 8}};
        p.m = p.n = p.k = 1024;
        p.samples = 10, p.gflops = 100, p.median_ms = p.min_ms = 21.4;
        p.cublas = {"pedantic_fp32", 2, 1000, "", {}}, p.ratio = 0.1;
        p.device = "Some GPU", p.driver = "1", p.cuda = "13.0", p.date = "2026-01-02";
        EXPECT_TRUE(base::write_file(assets_ / "recorded/some.json", measure::to_json(p) + "\n"));
        session::View view = view_of("naive", {64, 64, 32});
        view.subject.parameters = {{"BX", 32}, {"BY", 8}};
        view.speed_problem = {1024, 1024, 1024};
        view.plot_tab = session::PlotTab::parameter;
        stage_ = std::make_unique<Stage>(view, std::vector{kernel_folder()}, assets_);
        stage_->show(ui::draw_plot);
        stage_->settle();
        stage_->frames(3);
    }
    ~Speed() override { std::filesystem::remove_all(assets_); }

    const catalog::Values& now() { return stage_->view().subject.parameters; }
    // What a panel would say in the next frame.
    void with_context(const std::function<void(ui::Context&)>& look) {
        stage_->show(look);
        stage_->frame();
        stage_->show(ui::draw_plot);
    }

    const catalog::Catalog catalog_ = catalog::load({kernel_folder()});
    const std::filesystem::path assets_;
    std::unique_ptr<Stage> stage_;
};

TEST_F(Speed, FollowsParametersAndSizeInTheSameFrame) {
    with_context([](ui::Context& context) {
        EXPECT_NEAR(ui::speed_now(context)->speed->gflops, 2e-6 * 1024 * 1024 * 1024 / 10, 1e-6);
        context.view.subject.parameters = {{"BX", 16}, {"BY", 8}}; // as a slider does
        EXPECT_NEAR(ui::speed_now(context)->speed->gflops, 2e-6 * 1024 * 1024 * 1024 / 8, 1e-6);
        context.view.subject.parameters = {{"BX", 128}, {"BY", 1}};
        EXPECT_FALSE(ui::speed_now(context)->speed) << "nothing is interpolated";
    });
}

// The number's place is as high as its lines: one for what was never measured, one for the size.
TEST_F(Speed, WhatWasNotMeasuredHasNoShareOfCublas) {
    stage_->show(ui::draw_tiles);
    stage_->frames(3);
    const float measured = stage_->mark("speed").height;
    stage_->edit([](session::View& view) { view.subject.parameters = {{"BX", 128}, {"BY", 1}}; });
    stage_->frames(3);
    EXPECT_LT(stage_->mark("speed").height, 0.75f * measured);
    stage_->show(ui::draw_plot);
}

TEST_F(Speed, TheMapAndTheWordsAboveItAreOfOneSize) {
    stage_->edit([](session::View& view) { view.speed_problem = {300, 300, 300}; });
    with_context([](ui::Context& context) {
        ASSERT_TRUE(ui::map_axes(context));
        EXPECT_EQ(ui::parameter_size(context, {}), ui::speed_now(context)->size);
    });
}

TEST_F(Speed, AClickOnTheMapGoesThere) {
    stage_->click_mark("speed.8.16"); // BY across, BX down
    EXPECT_EQ(now(), (catalog::Values{{"BX", 16}, {"BY", 8}}));
    stage_->click_mark("speed.4.4");
    EXPECT_EQ(now(), (catalog::Values{{"BX", 16}, {"BY", 8}})) << "that is not possible";
}

TEST_F(Speed, TheFastestOfAllIsOffered) {
    stage_->click_mark("speed.best");
    EXPECT_EQ(now(), (catalog::Values{{"BX", 4}, {"BY", 8}}));
}

TEST_F(Speed, TheAxesChangePlacesAndOneMayStandAlone) {
    EXPECT_FALSE(stage_->has_mark("plot.value.16"));
    stage_->click_mark("plot.parameter.BX");
    EXPECT_TRUE(stage_->has_mark("speed.8.16"));
    EXPECT_EQ(stage_->mark("speed.8.16").x, stage_->mark("speed.8.8").x) << "BX across";
    stage_->click_mark("plot.parameter.BY");
    EXPECT_EQ(stage_->mark("speed.16.8").x, stage_->mark("speed.16.4").x) << "BY across";
    stage_->click_mark("plot.second_parameter.none");
    stage_->frames(2);
    EXPECT_TRUE(stage_->has_mark("plot.value.16"));
    stage_->click_mark("plot.map");
    EXPECT_TRUE(stage_->has_mark("speed.16.8"));
}

TEST_F(Speed, TheKeyClimbsToALocalBestAndSaysSo) {
    stage_->type({{'H'}});
    EXPECT_EQ(now(), (catalog::Values{{"BX", 16}, {"BY", 8}}));
    stage_->type({{'H'}});
    EXPECT_EQ(now(), (catalog::Values{{"BX", 16}, {"BY", 8}})) << "8 and 32 are slower, 4 is two steps away";
    ASSERT_EQ(stage_->gui().chrome().notices.size(), 1u);
    EXPECT_NE(stage_->gui().chrome().notices[0].text.find("BX 4"), std::string::npos);
}

TEST_F(Speed, KeysStepThroughTheSizes) {
    stage_->type({{'>'}});
    EXPECT_EQ(stage_->view().speed_problem, (catalog::Problem{1024, 1024, 1024}))
        << "cuBLAS was measured at no other size";
}

TEST_F(Speed, TheValuesOfOneAloneAreThoseOfTheMap) {
    stage_->click_mark("plot.parameter.BX");
    stage_->click_mark("plot.second_parameter.none");
    with_context([](ui::Context& context) {
        const auto kernel = context.session.kernel();
        const auto known = ui::measured({kernel, context.session.sweeps(), context.session.series(), "Some GPU"}, {});
        for (const ui::ValueEffect& one : ui::effect(known, {{"BX", 32}, {"BY", 8}}, "BX", {1024, 1024, 1024}))
            EXPECT_EQ(one.measured(), one.value != 128 && one.value != 256 && !one.broken) << one.value;
    });
}

// Bits have no cuBLAS to be a share of, and TFLOPS of their own.
TEST(SpeedOnTheLadder, OfTheCurrentKernelIsThereWithoutCublas) {
    auto view = view_of("binary_tiled", {64, 64, 64});
    Stage stage(view);
    stage.show(ui::draw_ladder);
    stage.settle();
    stage.show([](ui::Context& context) {
        const auto current = ui::speed_now(context);
        ASSERT_TRUE(current && current->speed);
        const auto shown = ui::with_current(ui::standing_now(context), *current);
        EXPECT_EQ(shown.gflops.at("binary_tiled"), current->speed->gflops);
        EXPECT_TRUE(shown.share.contains("binary_tiled"));
    });
    stage.frame();
}

TEST_F(Speed, DrawsInEverySizeLanguageAndForm) {
    for (const auto draw : {ui::draw_plot, ui::draw_tiles, ui::draw_ladder})
        for (const auto language : {session::Language::en, session::Language::zh})
            for (const auto& [width, height] : {std::pair{864.0f, 230.0f}, {300, 150}, {40, 30}, {1600, 900}}) {
                stage_->show(draw);
                stage_->edit([&](session::View& view) { view.language = language; });
                stage_->resize(width, height);
                stage_->frames(3);
            }
    stage_->expect_no_missing_text();
}

} // namespace
