// The Stream view: a plan where nothing was recorded, a recording where there is one.
#include "base/file.h"
#include "stage.h"

#include <unistd.h>

namespace {

// Of two tiles in two pieces, each operation 10 ms after the one before.
measure::StreamRecord recorded(const catalog::Kernel& kernel) {
    const catalog::Problem problem{8192, 16384, 2048};
    measure::StreamRecord r =
        *session::planned_stream(kernel, catalog::initial_values(kernel), problem, false, {{55, 45000}, {}});
    r.measured = true;
    r.in_core_ms = 50;
    r.device = "Some GPU", r.driver = "1.2", r.cuda = "13.0", r.date = "2026-01-02";
    for (size_t i = 0; i < r.times.size(); ++i)
        r.times[i] = {10.0 * static_cast<double>(i), 10.0 * static_cast<double>(i) + 5};
    return r;
}

class Streams : public testing::Test {
protected:
    Streams() : folder_(std::filesystem::path(testing::TempDir()) / ("streams." + std::to_string(::getpid()))) {
        const catalog::Catalog kernels = catalog::load({kernel_folder()});
        const std::string line = measure::to_json(recorded(*kernels.find("out_of_core"))) + "\n";
        EXPECT_TRUE(base::write_file(folder_ / "recorded/streams/some.json", line));
        stage_ = std::make_unique<Stage>(view_of("out_of_core", {256, 256, 64}), std::vector{kernel_folder()}, folder_);
        stage_->show(ui::draw_stream);
        stage_->settle();
        stage_->frames(2);
    }
    ~Streams() override { std::filesystem::remove_all(folder_); }
    const session::Stream& shown() {
        const auto stream = stage_->session().stream();
        EXPECT_TRUE(stream && *stream);
        return **stream;
    }

    std::filesystem::path folder_;
    std::unique_ptr<Stage> stage_;
};

TEST_F(Streams, APlanTakesItsSpeedFromTheRecordingAndARecordingIsShownAsItIs) {
    EXPECT_FALSE(shown().record->measured);
    EXPECT_EQ(shown().record->device, "Some GPU");
    EXPECT_EQ(shown().plan.problem, (catalog::Problem{32768, 32768, 32768}));
    // 4 pieces in 5 ms each, of 8192 x 1024 floats of A and as many of B.
    EXPECT_NEAR(shown().record->assumed.copy_gb_s, 2 * 8192.0 * 1024 * 4 / 5e6, 1e-3);
    stage_->edit([](session::View& view) { view.stream_problem = {8192, 16384, 2048}; });
    EXPECT_TRUE(shown().record->measured);
    EXPECT_EQ(shown().sum.total_ms, 95);
    stage_->edit([](session::View& view) { view.subject.beta = 1; });
    EXPECT_FALSE(shown().record->measured) << "with beta C is copied in, too";
}

// fake_worker.py answers of one tile in one piece: in, product, out, 50 us in all.
TEST_F(Streams, RStreamsTheProductThatIsShown) {
    session::View view = view_of("out_of_core", {256, 256, 64});
    view.stream_problem = {512, 512, 512};
    Stage stage(view, {kernel_folder()}, folder_, "python3 '" SOURCE_DIR "/tests/gpu/fake_worker.py' good");
    stage.show(ui::draw_stream);
    stage.type({{'R'}});
    stage.settle();
    EXPECT_EQ(stage.session().gpu().face, session::GpuState::Face::idle) << stage.session().gpu().reason.english();
    EXPECT_FALSE((*stage.session().stream())->record->measured) << "in another view R times the kernel";
    stage.edit([](session::View& shown) { shown.middle_tab = session::MiddleTab::stream; });
    stage.type({{'R'}});
    stage.settle();
    const auto stream = stage.session().stream();
    ASSERT_TRUE(stream && *stream);
    EXPECT_TRUE((*stream)->record->measured);
    EXPECT_EQ((*stream)->record->device, "Fake");
    EXPECT_DOUBLE_EQ((*stream)->sum.total_ms, 0.05);
}

TEST_F(Streams, AClickOnTheWholeMovesTheMagnifiedPart) {
    const ui::Mark whole = stage_->mark("stream.whole");
    stage_->click({whole.x + whole.width * 0.75f, whole.y + whole.height / 2});
    ASSERT_TRUE(stage_->session().view().stream_moment);
    EXPECT_NEAR(*stage_->session().view().stream_moment, 0.75f, 0.01f);
}

TEST_F(Streams, AButtonChoosesTheSize) {
    const ui::Mark button = stage_->mark("stream.size_8192");
    stage_->click({button.x + button.width / 2, button.y + button.height / 2});
    EXPECT_EQ(stage_->session().view().stream_problem, (catalog::Problem{8192, 8192, 8192}));
}

TEST_F(Streams, AKernelThatDoesNotStreamLeadsToOneThatDoes) {
    stage_->edit([](session::View& view) { view.subject.kernel = "naive"; });
    stage_->settle();
    stage_->frames(2);
    const ui::Mark button = stage_->mark("stream.choose.out_of_core");
    stage_->click({button.x + button.width / 2, button.y + button.height / 2});
    EXPECT_EQ(stage_->session().view().subject.kernel, "out_of_core");
}

} // namespace
