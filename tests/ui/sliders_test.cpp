#include "ui/speed/sliders.h"

#include "stage.h"

#include <utility>

namespace {

const std::vector<std::string> some{"sm_75", "sm_90", "sm_100", "sm_120"};

TEST(Architectures, HaveNeighboursByNumber) {
    EXPECT_EQ(ui::neighbour(some, "sm_90", 1), "sm_100");
    EXPECT_EQ(ui::neighbour(some, "sm_100", -1), "sm_90");
    EXPECT_EQ(ui::neighbour(some, "sm_120", 1), std::nullopt);
    EXPECT_EQ(ui::neighbour(some, "sm_75", -1), std::nullopt);
}

TEST(Architectures, OfOneThatIsNotAmongThemAreThoseBesideIt) {
    EXPECT_EQ(ui::neighbour(some, "sm_90a", 1), "sm_100");
    EXPECT_EQ(ui::neighbour(some, "sm_90a", -1), "sm_90");
    EXPECT_EQ(ui::neighbour(some, "sm_86", 1), "sm_90");
    EXPECT_EQ(ui::neighbour(some, "sm_35", -1), std::nullopt);
    EXPECT_EQ(ui::neighbour(some, "", 1), "sm_75");
    EXPECT_EQ(ui::neighbour({}, "sm_90", 1), std::nullopt);
}

TEST(Stops, AreTheNearest) { // four of them, at 10, 20, 30 and 40
    EXPECT_EQ(ui::stop_at(10, 10, 40, 4), 0u);
    EXPECT_EQ(ui::stop_at(24, 10, 40, 4), 1u);
    EXPECT_EQ(ui::stop_at(26, 10, 40, 4), 2u);
    EXPECT_EQ(ui::stop_at(-5, 10, 40, 4), 0u);
    EXPECT_EQ(ui::stop_at(99, 10, 40, 4), 3u);
    EXPECT_EQ(ui::stop_at(24, 10, 40, 1), 0u);
    EXPECT_EQ(ui::stop_at(24, 40, 40, 4), 0u) << "no room";
}

// The product that is traced stays in sight below the sliders of a kernel with nine parameters, however low the panel is.
TEST(Tiles, SizesStandBelowWhatScrolls) {
    Stage stage(view_of("double_buffer"));
    stage.show(ui::draw_tiles);
    for (const auto& [width, height] :
         {std::pair{205.0f, 330.0f}, std::pair{205.0f, 240.0f}, std::pair{260.0f, 420.0f}, std::pair{260.0f, 700.0f}}) {
        stage.resize(width, height);
        stage.frames(3);
        for (const char* name : {"size.m", "size.n", "size.k"}) {
            const ui::Mark at = stage.mark(name);
            EXPECT_LE(at.y + at.height, height) << name << " at " << height;
            EXPECT_LE(at.x + at.width, width) << name << " at " << height;
            EXPECT_GT(at.width, 30) << name;
        }
        if (height < 400 || height > 600) {
            EXPECT_EQ(stage.has_mark("size.m.more"), height > 600);
        }
    }
    stage.resize(205, 330);
    stage.frames(3);
    stage.click_mark("size.n");
    ImGui::GetIO().AddInputCharacter('8');
    stage.frames(2);
    stage.click({5, 5}); // let go of it
    stage.settle();
    EXPECT_NE(stage.view().subject.problem.n, 256);
    EXPECT_EQ(stage.view().subject.problem.m, 256);
}

} // namespace
