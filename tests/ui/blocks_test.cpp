#include "base/file.h"
#include "catalog/tuned.h"
#include "measure/block_timeline.h"
#include "stage.h"
#include "ui/gpu/block_colours.h"

#include <unistd.h>

namespace {

// A recording of double_buffer at 256 x 256 x 64: block i on multiprocessor i % 2, one after the other, 10 us
// each.
class Assets {
public:
    Assets() : folder_(std::filesystem::path(testing::TempDir()) / ("blocks." + std::to_string(::getpid()))) {
        const catalog::Catalog kernels = catalog::load({kernel_folder()});
        const auto kernel = kernels.find("double_buffer");
        measure::BlockTimeline t;
        t.kernel = kernel->id;
        t.m = t.n = 256, t.k = 64;
        t.parameters = *catalog::values_for(*kernel, {}, {}, "sm_90", {t.m, t.n, t.k});
        t.grid = catalog::launch_shape(*kernel, t.parameters, {t.m, t.n, t.k})->grid;
        t.multiprocessors = 3;
        t.plain_ms = t.recorded_ms = 0.02;
        t.device = "Some GPU", t.driver = "1.2", t.cuda = "13.0", t.date = "2026-01-02";
        for (uint64_t i = 0; i < t.grid.count(); ++i)
            t.blocks.push_back({10'000 * (i / 2), 10'000 * (i / 2 + 1), i % 2});
        EXPECT_TRUE(base::write_file(folder_ / "recorded/timelines/some.json", measure::to_json(t)));
    }
    ~Assets() { std::filesystem::remove_all(folder_); }
    const std::filesystem::path& folder() const { return folder_; }

private:
    std::filesystem::path folder_;
};

class Blocks : public testing::Test {
protected:
    Blocks() {
        stage_.show(ui::draw_blocks);
        stage_.settle();
        stage_.frames(2);
    }
    // The middle of block i, of four: two rows, two columns in time.
    ImVec2 place(int i) {
        const ui::Mark bars = stage_.mark("blocks.bars");
        return {bars.x + bars.width * (i / 2 ? 0.75f : 0.25f), bars.y + bars.height * (i % 2 ? 0.75f : 0.25f)};
    }

    Assets assets_;
    Stage stage_{view_of("double_buffer", {256, 256, 64}), {kernel_folder()}, assets_.folder()};
};

TEST_F(Blocks, AClickSelectsTheBlockOfTheBar) {
    for (const int i : {3, 1, 2, 0}) {
        stage_.click(place(i));
        stage_.settle();
        EXPECT_EQ(base::index_of(stage_.session().view().selection.block, {2, 2, 1}), static_cast<uint64_t>(i));
        stage_.frames(2);
        const ui::Mark selected = stage_.mark("blocks.selected");
        EXPECT_NEAR(selected.x + selected.width / 2, place(i).x, 4);
        EXPECT_NEAR(selected.y + selected.height / 2, place(i).y, 4);
    }
}

TEST_F(Blocks, HoverTellsTheOtherViews) {
    stage_.point(place(2));
    ASSERT_TRUE(stage_.session().view().hover.block);
    EXPECT_EQ(*stage_.session().view().hover.block, (base::Dim3{0, 1, 0}));
}

TEST_F(Blocks, TheMapTakesTheColours) {
    using session::BlockColours;
    std::optional<ui::BlockPaint> by;
    stage_.show([&](ui::Context& context) { by = ui::BlockPaint::of(context); });
    stage_.frames(1);
    EXPECT_FALSE(by) << "plain at first";
    stage_.edit([](session::View& view) { view.block_colours = BlockColours::wave; });
    stage_.frames(2);
    ASSERT_TRUE(by);
    EXPECT_EQ((*by)(0), (*by)(1)) << "both of the first wave";
    EXPECT_NE((*by)(0), (*by)(2));
    stage_.edit([](session::View& view) { view.block_colours = BlockColours::multiprocessor; });
    stage_.frames(2);
    EXPECT_EQ((*by)(0), (*by)(2)) << "on the same multiprocessor";
    EXPECT_NE((*by)(0), (*by)(1));
    stage_.edit([](session::View& view) { view.subject.problem.m = 128; });
    stage_.settle();
    stage_.frames(2);
    EXPECT_FALSE(by) << "another size was not recorded";
}

TEST_F(Blocks, WithoutARecordingOneIsChosen) {
    stage_.edit([](session::View& view) { view.subject.problem.m = 128; });
    stage_.settle();
    stage_.frames(2);
    EXPECT_FALSE(stage_.has_mark("blocks.bars"));
    stage_.click_mark("blocks.choose.some.json");
    stage_.settle();
    stage_.frames(2);
    EXPECT_EQ(stage_.session().view().subject.problem, (catalog::Problem{256, 256, 64}));
    EXPECT_TRUE(stage_.has_mark("blocks.bars"));
}

} // namespace
