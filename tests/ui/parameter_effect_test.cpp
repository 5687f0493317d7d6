// The Parameter view: what is known of each value of one parameter.
#include "views/parameter_effect.h"

#include "base/file.h"
#include "stage.h"

#include <unistd.h>

namespace {

constexpr catalog::Problem here{256, 256, 64}, larger{512, 512, 64};

measure::BenchPoint point(catalog::Values parameters, const catalog::Problem& size, double gflops) {
    measure::BenchPoint p;
    p.kernel = "naive";
    p.parameters = std::move(parameters);
    p.m = size.m, p.n = size.n, p.k = size.k;
    p.samples = 10;
    p.gflops = gflops;
    p.median_ms = p.min_ms = 2e-6 * size.m * size.n * size.k / gflops;
    p.device = "Some GPU", p.driver = "1", p.cuda = "13.0", p.date = "2026-01-02";
    return p;
}

measure::Profile profile(catalog::Values parameters, const catalog::Problem& size, const std::string& device) {
    measure::Profile p;
    p.kernel = "naive", p.parameters = std::move(parameters), p.problem = size, p.device = device;
    return p;
}

class ParameterEffect : public testing::Test {
protected:
    ParameterEffect() {
        recorded_ =
            measure::series_of({point({{"BX", 32}, {"BY", 8}}, here, 100), point({{"BX", 16}, {"BY", 8}}, here, 50),
                                point({{"BX", 16}, {"BY", 16}}, here, 70), point({{"BX", 8}, {"BY", 8}}, larger, 9),
                                point({{"BX", 16}, {"BY", 8}}, here, 60)},
                               measure::Origin::recorded, "");
    }
    ui::Measured measured(const std::vector<measure::Profile>& profiles = {}, const char* kernel = "naive") {
        return ui::measured({catalog_.find(kernel), {}, recorded_, "Some GPU"}, profiles);
    }
    const catalog::Kernel& naive() { return *catalog_.find("naive"); }
    std::vector<ui::ValueEffect> effect(const ui::Measured& measured) { return ui::effect(measured, now_, "BX", here); }
    static const ui::ValueEffect& of(const std::vector<ui::ValueEffect>& all, int value) {
        const auto found = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.value == value; });
        EXPECT_NE(found, all.end()) << value;
        return *found;
    }

    const catalog::Catalog catalog_ = catalog::load({kernel_folder()});
    const catalog::Values now_{{"BX", 32}, {"BY", 8}};
    std::vector<measure::Series> recorded_;
};

TEST_F(ParameterEffect, EveryValueHasTheLatestPointThatDiffersInItAlone) {
    const auto all = effect(measured());
    EXPECT_EQ(all.size(), naive().parameters.front().values.size());
    ASSERT_TRUE(of(all, 32).speed);
    EXPECT_EQ(of(all, 32).speed->gflops, 100);
    EXPECT_NEAR(ui::milliseconds(naive(), here, *of(all, 32).speed), 2e-6 * 256 * 256 * 64 / 100, 1e-12);
    ASSERT_TRUE(of(all, 16).speed);
    EXPECT_EQ(of(all, 16).speed->gflops, 60) << "not the 70 of another BY, nor the 50 of before";
    EXPECT_FALSE(of(all, 8).known()) << "of another size";
}

TEST_F(ParameterEffect, WhatWasMeasuredHereGoesFirst) {
    const auto live = measure::series_of({point({{"BX", 32}, {"BY", 8}}, here, 30)}, measure::Origin::live, "");
    recorded_.insert(recorded_.begin(), live.front());
    const auto all = effect(measured());
    EXPECT_EQ(of(all, 32).speed->gflops, 30) << "though slower than what was recorded";
    EXPECT_EQ(of(all, 16).speed->gflops, 60);
}

TEST_F(ParameterEffect, AValueThatARuleForbidsSaysSo) {
    const catalog::Values tall{{"BX", 8}, {"BY", 128}};
    const auto all = ui::effect(measured(), tall, "BX", here);
    const auto choices = catalog::choices(naive(), tall, "BX");
    ASSERT_EQ(all.size(), choices.size());
    for (size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i].broken, choices[i].broken) << all[i].value;
    EXPECT_TRUE(std::any_of(all.begin(), all.end(), [](const auto& one) { return one.broken; }));
}

TEST_F(ParameterEffect, AValueBetweenThoseOfferedHasItsPlaceWhileItIsTheCurrentOne) {
    const auto all = ui::effect(measured(), {{"BX", 24}, {"BY", 8}}, "BX", here);
    const auto at = std::find_if(all.begin(), all.end(), [](const auto& one) { return one.value == 24; });
    ASSERT_NE(at, all.end());
    EXPECT_EQ((at - 1)->value, 16);
    EXPECT_EQ((at + 1)->value, 32);
}

TEST_F(ParameterEffect, ProfilesAreOfOneDeviceTheGroupsOwnIfThereIsOne) {
    std::vector<measure::Profile> profiles{profile({{"BX", 16}, {"BY", 8}}, here, "Other GPU"),
                                           profile({{"BX", 8}, {"BY", 8}}, here, "Third GPU")};
    auto all = effect(measured(profiles));
    EXPECT_EQ(of(all, 16).profile, &profiles[0]) << "better than none";
    EXPECT_EQ(of(all, 8).profile, nullptr);
    profiles.push_back(profile({{"BX", 32}, {"BY", 8}}, here, "Some GPU"));
    all = effect(measured(profiles));
    EXPECT_EQ(of(all, 16).profile, nullptr);
    EXPECT_EQ(of(all, 32).profile, &profiles[2]);
    EXPECT_TRUE(measured(profiles, "shared_tile").profiles.empty());
}

TEST_F(ParameterEffect, ThereIsAnEffectWhereTwoValuesAreKnown) {
    const auto sizes = [&](const std::vector<measure::Profile>& profiles) {
        return ui::effect_sizes(measured(profiles), now_, "BX");
    };
    EXPECT_EQ(sizes({}), std::vector{here});
    EXPECT_EQ(sizes({profile({{"BX", 8}, {"BY", 8}}, larger, "Some GPU")}), std::vector{here}) << "the same value";
    EXPECT_EQ(sizes({profile({{"BX", 16}, {"BY", 8}}, larger, "Some GPU")}), (std::vector{here, larger}));
}

TEST_F(ParameterEffect, TheParameterIsTheChosenOneElseTheOneOfWhichMostIsKnown) {
    const auto compared = [&](const std::string& chosen) { return ui::compared_parameter(measured(), now_, chosen); };
    EXPECT_EQ(compared("BY"), "BY");
    EXPECT_EQ(compared(""), "BX") << "two values of it, one of BY";
    EXPECT_EQ(compared("THREADS"), "BX") << "another kernel's";
    recorded_.clear();
    EXPECT_EQ(compared(""), naive().parameters.front().name);
    catalog::Kernel without = naive();
    without.parameters.clear();
    const ui::Measured none = ui::measured({std::make_shared<catalog::Kernel>(without), {}, recorded_, "Some GPU"}, {});
    EXPECT_EQ(ui::compared_parameter(none, {}, "BX"), "");
}

// The view itself, with what a folder of assets holds.
class ParameterView : public testing::Test {
protected:
    ParameterView() : assets_(std::filesystem::path(testing::TempDir()) / ("parameter." + std::to_string(::getpid()))) {
        std::string lines;
        for (const auto& [threads, size] : {std::pair{32, here}, {64, here}, {32, larger}, {128, larger}}) {
            auto p = point({{"THREADS", threads}}, size, 10.0 * threads);
            p.kernel = "row_per_block";
            lines += measure::to_json(p) + "\n";
        }
        EXPECT_TRUE(base::write_file(assets_ / "recorded/some.json", lines));
        EXPECT_TRUE(base::write_file(
            assets_ / "recorded/profiles/some.json",
            R"({"kernel":"row_per_block","parameters":{"THREADS":256},"m":256,"n":256,"k":64,"l1_hit_percent":88.5,)"
            R"("l2_hit_percent":103.25,"dram_read_bytes":1000,"time_ms":1,"device":"Some GPU","driver":"1","cuda":"13.0",)"
            R"("tool":"Profiler 1","date":"2026-01-02","command":"profile"})"
            "\n"));
        session::View view = view_of("row_per_block", here);
        view.plot_tab = session::PlotTab::parameter;
        view.speed_problem = here;
        stage_ = std::make_unique<Stage>(view, std::vector{kernel_folder()}, assets_);
        stage_->show(ui::draw_plot);
        stage_->settle();
        stage_->frames(2);
    }
    ~ParameterView() override { std::filesystem::remove_all(assets_); }
    int threads() { return stage_->view().subject.parameters.at("THREADS"); }

    const std::filesystem::path assets_;
    std::unique_ptr<Stage> stage_;
};

TEST_F(ParameterView, AClickOnAValueSetsIt) {
    for (const int value : {64, 256, 1024}) { // measured, profiled, unknown
        stage_->click_mark("plot.value." + std::to_string(value));
        EXPECT_EQ(threads(), value);
        EXPECT_EQ(stage_->view().parameter, "THREADS");
    }
}

TEST_F(ParameterView, ASizeWithAnEffectIsOffered) {
    EXPECT_TRUE(stage_->has_mark("plot.effect_size.256 × 256 × 64"));
    stage_->click_mark("plot.effect_size.512 × 512 × 64");
    EXPECT_EQ(stage_->view().speed_problem, larger);
    EXPECT_EQ(stage_->view().subject.problem, here) << "what is executed stays";
}

TEST_F(ParameterView, DrawsInEverySizeLanguageAndForm) {
    for (const bool table : {false, true})
        for (const auto language : {session::Language::en, session::Language::zh})
            for (const auto& [width, height] : {std::pair{864.0f, 230.0f}, {300, 150}, {40, 30}, {1600, 900}}) {
                stage_->edit([&](session::View& view) { view.table = table, view.language = language; });
                stage_->resize(width, height);
                stage_->frames(3);
            }
    stage_->expect_no_missing_text();
}

TEST_F(ParameterView, AKernelWithSeveralParametersOffersThem) {
    stage_->edit([](session::View& view) { view.subject.kernel = "naive", view.subject.parameters = {}; });
    stage_->resize(1000, 400);
    stage_->frames(3);
    stage_->click_mark("plot.parameter.BY");
    EXPECT_EQ(stage_->view().parameter, "BY");
}

// With the slider the view follows: what was dragged last is compared.
TEST_F(ParameterView, TheSliderThatWasDraggedLastIsCompared) {
    stage_->edit([](session::View& view) { view.subject.kernel = "naive", view.subject.parameters = {}; });
    stage_->show(ui::draw_tiles);
    stage_->settle(); // what jobs find may move the sliders
    stage_->frames(3);
    const ui::Mark slider = stage_->mark("slider.BY");
    stage_->drag({slider.x + 1, slider.y + slider.height / 2}, {slider.width - 2, 0});
    EXPECT_EQ(stage_->view().parameter, "BY");
}

} // namespace
