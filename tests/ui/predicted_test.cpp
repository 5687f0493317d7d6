// Predicted speeds beside measured ones: in the sliders' panel, over the size, along a parameter; and never among them.
#include "ui/speed/predicted.h"

#include "base/file.h"
#include "catalog/code_hash.h"
#include "measure/accuracy.h"
#include "measure/sweep_record.h"
#include "stage.h"
#include "ui/plot/plot_views.h"

#include <unistd.h>

namespace {

constexpr catalog::Problem size{1024, 1024, 1024};

// Of `naive` two settings were measured, with BX 32 and 16, and predictions of it were judged at 512 and 1024 cubed.
class Predicted : public testing::Test {
protected:
    Predicted() : assets_(std::filesystem::path(testing::TempDir()) / ("predicted." + std::to_string(::getpid()))) {
        const auto kernel = catalog_.find("naive");
        std::filesystem::create_directories(assets_ / "recorded/sweeps/some");
        EXPECT_TRUE(base::write_file(
            assets_ / "recorded/sweeps/some/naive.txt",
            measure::header_of(*kernel, "Some GPU") +
                measure::line_of(measure::SweepSource{"lab", 0, "1", "13.0", "", 1000, "2026-01-03", "sweep"}, 1) +
                "32 8 1024 1 0.5 7 0.004 1\n16 8 1024 2 0.5 7 0.004 1\n"));
        measure::BenchPoint p;
        p.kernel = "naive", p.parameters = {{"BX", 32}, {"BY", 8}};
        p.m = p.n = p.k = 1024;
        p.samples = 10, p.gflops = 2000, p.median_ms = p.min_ms = 1;
        p.cublas = {"pedantic_fp32", 0.5, 4000, "", {}}, p.ratio = 0.5;
        p.device = "Some GPU", p.driver = "1", p.cuda = "13.0", p.date = "2026-01-02";
        EXPECT_TRUE(base::write_file(assets_ / "recorded/some.json", measure::to_json(p) + "\n"));
        const std::string code = catalog::code_hash(*kernel);
        const measure::Accuracy accuracy{20, 0.05, 0.1, 0.2, 0, -0.1, 0.2, {}, 0};
        measure::AccuracyRecord record;
        record.arch = "sm_90";
        for (const int edge : {512, 1024})
            record.rows.push_back({"naive", code, catalog::Problem{edge, edge, edge}, accuracy});
        record.rows.push_back({"naive", code, {}, accuracy});
        EXPECT_TRUE(base::write_file(assets_ / "recorded/accuracy/some.json", measure::text_of(record)));
        session::View view = view_of("naive", {64, 64, 32});
        view.subject.parameters = {{"BX", 64}, {"BY", 8}}; // not measured
        view.speed_problem = size;
        stage_ = std::make_unique<Stage>(view, std::vector{kernel_folder()}, assets_);
        stage_->settle();
    }
    ~Predicted() override { std::filesystem::remove_all(assets_); }

    void show(Stage::Draw draw) {
        stage_->show(std::move(draw));
        for (int i = 0; i < 4; ++i) stage_->frames(2), stage_->settle(); // what is drawn asks, and draws what came
    }
    // What a panel would say in the next frame.
    void with_context(const std::function<void(ui::Context&)>& look) {
        stage_->show(look);
        stage_->frame();
    }

    const catalog::Catalog catalog_ = catalog::load({kernel_folder()});
    const std::filesystem::path assets_;
    std::unique_ptr<Stage> stage_;
};

TEST_F(Predicted, StandsWhereNothingWasMeasured) {
    show(ui::draw_tiles);
    with_context([](ui::Context& context) {
        const auto now = ui::speed_now(context);
        ASSERT_TRUE(now);
        EXPECT_FALSE(now->speed) << "a prediction is no measurement";
        const session::PredictedSpeed* speed = ui::speed_of(now->predicted);
        ASSERT_TRUE(speed);
        EXPECT_TRUE(speed->error.accuracy);
        const std::string words = ui::predicted_text(context, now->predicted);
        EXPECT_NE(words.find("predicted "), std::string::npos) << words;
        EXPECT_NE(words.find("median error 5.0 %, 90 % within 10.0 %"), std::string::npos) << words;
        context.view.subject.parameters = {{"BX", 32}, {"BY", 8}};
        EXPECT_TRUE(ui::speed_now(context)->speed);
        EXPECT_FALSE(ui::speed_now(context)->predicted) << "it was measured";
    });
}

TEST_F(Predicted, ThePresentSettingIsAskedForFirst) {
    with_context([](ui::Context& context) {
        context.commands.predictions.clear();
        ui::predicted(context, {{"BX", 8}, {"BY", 8}}, size);
        ui::predicted(context, {{"BX", 64}, {"BY", 8}}, size);
        ui::predicted(context, {{"BX", 64}, {"BY", 8}}, {512, 512, 512});
        ui::predicted(context, {{"BX", 8}, {"BY", 8}}, size);
        const auto& wishes = context.commands.predictions;
        ASSERT_EQ(wishes.size(), 3u) << "each once";
        EXPECT_EQ(wishes[0].key.subject.parameters.at("BX"), 64);
        EXPECT_EQ(wishes[0].key.subject.problem, size);
        EXPECT_EQ(wishes[1].key.subject.parameters.at("BX"), 64);
        EXPECT_EQ(wishes[2].key.subject.parameters.at("BX"), 8);
    });
}

TEST_F(Predicted, WhatTakesLongIsPredictedAlone) {
    with_context([](ui::Context& context) {
        context.commands.predictions.clear();
        session::PredictedSpeed speed;
        const auto answer = [&] { return std::make_shared<const base::Result<session::PredictedSpeed>>(speed); };
        speed.put_in_time = ui::affordable_instructions + 1;
        EXPECT_FALSE(ui::predicted_beside(context, nullptr, {{"BX", 8}, {"BY", 8}}, size));
        EXPECT_FALSE(ui::predicted_beside(context, answer(), {{"BX", 8}, {"BY", 8}}, size));
        EXPECT_TRUE(context.commands.predictions.empty());
        speed.put_in_time = ui::affordable_instructions;
        EXPECT_FALSE(ui::predicted_beside(context, answer(), {{"BX", 8}, {"BY", 8}}, size));
        EXPECT_EQ(context.commands.predictions.size(), 1u) << "it is asked for";
    });
}

TEST_F(Predicted, SwitchesThatNoGpuHasMoveIt) {
    stage_->edit([](session::View& view) { view.what_if.memory_latency = 2; });
    show(ui::draw_tiles);
    with_context([](ui::Context& context) {
        const session::PredictedSpeed* speed = ui::speed_of(ui::speed_now(context)->predicted);
        ASSERT_TRUE(speed);
        EXPECT_FALSE(speed->error.accuracy) << "that no GPU was measured with";
    });
}

TEST_F(Predicted, WhereNoTimeIsKnownTheReasonIsTold) {
    stage_->edit([](session::View& view) { view.subject.arch = "sm_80"; });
    show(ui::draw_tiles);
    with_context([](ui::Context& context) {
        const auto now = ui::speed_now(context);
        EXPECT_EQ(ui::speed_of(now->predicted), nullptr);
        EXPECT_NE(ui::predicted_text(context, now->predicted).find("no times are known of sm_80"), std::string::npos);
        context.view.language = session::Language::zh;
    });
    with_context([](ui::Context& context) {
        const std::string words = ui::predicted_text(context, ui::speed_now(context)->predicted);
        EXPECT_NE(words.find("没有 sm_80 的时间数据"), std::string::npos) << words;
    });
}

TEST_F(Predicted, AKernelWithAPlantedMistakeHasNone) {
    const auto shared_tile = catalog_.find("shared_tile");
    ASSERT_FALSE(shared_tile->breaks.empty());
    stage_->edit([&](session::View& view) {
        view.subject.kernel = "shared_tile";
        view.subject.breaks = {shared_tile->breaks.front().name};
        view.subject.parameters.clear();
    });
    show(ui::draw_tiles);
    with_context([](ui::Context& context) {
        ASSERT_FALSE(context.view.subject.breaks.empty());
        EXPECT_FALSE(ui::speed_now(context)->predicted);
        EXPECT_TRUE(context.commands.predictions.empty());
    });
}

// Two of the settings were measured; a rule forbids some; all others are predicted, and nothing else is.
TEST_F(Predicted, TheMapHasWhatWasNotMeasured) {
    stage_->edit([](session::View& view) {
        view.plot_tab = session::PlotTab::parameter;
        view.parameter = "BX", view.second_parameter = "BY";
    });
    stage_->resize(1280, 720);
    show(ui::draw_plot);
    with_context([](ui::Context& context) {
        const auto now = ui::speed_now(context);
        const auto axes = ui::map_axes(context);
        ASSERT_TRUE(now && axes);
        const ui::Table table = ui::speed_map_table(context, *now, *axes);
        int measured = 0, predicted = 0;
        for (const auto& row : table.rows) {
            const bool is_measured = row[2] != "-", is_predicted = !row[4].empty();
            EXPECT_FALSE(is_measured && is_predicted) << row[0] << " x " << row[1];
            measured += is_measured, predicted += is_predicted;
            EXPECT_EQ(row[5], is_predicted ? "median error 5.0 %, 90 % within 10.0 %" : "");
        }
        EXPECT_EQ(measured, 2);
        EXPECT_GT(predicted, 10);
    });
    stage_->expect_no_missing_text();
}

TEST_F(Predicted, StandsAmongTheNumbersAndIsSaidToBePredicted) {
    stage_->edit([](session::View& view) { view.table = false; });
    show(ui::draw_numbers);
    std::vector<session::PredictionWish> asked;
    stage_->show([&](ui::Context& context) {
        ui::draw_numbers(context);
        asked = context.commands.predictions;
    });
    stage_->frame();
    EXPECT_TRUE(asked.empty()) << "it is there";
    EXPECT_TRUE(stage_->has_mark("numbers.time"));
    const auto shared_tile = catalog_.find("shared_tile");
    stage_->edit([&](session::View& view) {
        view.subject.kernel = "shared_tile";
        view.subject.breaks = {shared_tile->breaks.front().name};
        view.subject.parameters.clear();
    });
    show(ui::draw_numbers);
    EXPECT_FALSE(stage_->has_mark("numbers.time")) << "nobody asks how fast a broken kernel is";
    stage_->expect_no_missing_text();
}

TEST_F(Predicted, TheLegendOverTheSizeSwitchesItOff) {
    stage_->edit([](session::View& view) { view.plot_tab = session::PlotTab::sizes; });
    stage_->resize(1400, 500);
    show(ui::draw_plot);
    ASSERT_TRUE(stage_->has_mark("plot.predicted"));
    stage_->click_mark("plot.predicted");
    std::vector<session::PredictionWish> asked;
    stage_->edit([](session::View& view) { view.subject.parameters = {{"BX", 128}, {"BY", 4}}; });
    stage_->show([&](ui::Context& context) {
        ui::draw_plot(context);
        asked = context.commands.predictions;
    });
    stage_->frame();
    for (const session::PredictionWish& wish : asked) EXPECT_EQ(wish.key.subject.problem, size) << "of the speed alone";
}

TEST_F(Predicted, DrawsInEverySizeLanguageAndForm) {
    for (const auto tab : {session::PlotTab::sizes, session::PlotTab::parameter})
        for (const auto draw : {ui::draw_plot, ui::draw_tiles})
            for (const auto language : {session::Language::en, session::Language::zh})
                for (const bool table : {false, true})
                    for (const auto& [width, height] : {std::pair{864.0f, 230.0f}, {300, 150}, {40, 30}, {1600, 900}}) {
                        stage_->edit([&](session::View& view) {
                            view.language = language, view.plot_tab = tab, view.table = table;
                            view.parameter = "BX", view.second_parameter = "-";
                        });
                        stage_->resize(width, height);
                        show(draw);
                    }
    stage_->expect_no_missing_text();
}

} // namespace
