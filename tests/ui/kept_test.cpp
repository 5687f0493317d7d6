#include "stage.h"

#include "ui/draw/kept.h"

namespace {

class Kept : public testing::Test {
protected:
    // One frame of a panel.
    void frame(std::function<void()> panel) {
        stage_.show([panel = std::move(panel)](ui::Context&) { panel(); });
        stage_.frame();
    }

private:
    Stage stage_{session::View{}};
};

TEST_F(Kept, StaysFromFrameToFrameUnderItsName) {
    frame([] {
        ui::Kept<int> line("line", -1);
        ui::Kept<float> since("since");
        ui::Kept<bool> open("open", true);
        ui::Kept<const void*> seen("seen");
        EXPECT_EQ(line, -1);
        EXPECT_EQ(since, 0);
        EXPECT_TRUE(open);
        EXPECT_EQ(seen, nullptr);
        line = 7, since = 1.5f, open = false, seen = "";
    });
    frame([] {
        EXPECT_EQ(ui::Kept<int>("line", -1), 7);
        EXPECT_EQ(ui::Kept<float>("since"), 1.5f);
        EXPECT_FALSE(ui::Kept<bool>("open", true));
        EXPECT_NE(ui::Kept<const void*>("seen"), nullptr);
        ImGui::PushID("elsewhere");
        EXPECT_EQ(ui::Kept<int>("line", -1), -1);
        ImGui::PopID();
    });
}

// ImGui moves what its storage holds when another value comes in: who still has a pointer then writes into freed memory, as the size
// of a kernel's sliders did, which cost a window its heap after 38 minutes.
TEST_F(Kept, IsWrittenToWhileOthersCome) {
    constexpr int others = 1000;
    frame([] {
        ui::Kept<float> first("first");
        for (int i = 0; i < others; ++i) {
            first = static_cast<float>(i);
            ui::Kept<int> other(std::to_string(i).c_str());
            other = i;
            EXPECT_EQ(first, static_cast<float>(i));
        }
    });
    frame([] {
        EXPECT_EQ(ui::Kept<float>("first"), static_cast<float>(others - 1));
        for (int i = 0; i < others; ++i) EXPECT_EQ(ui::Kept<int>(std::to_string(i).c_str(), -1), i);
    });
}

} // namespace
