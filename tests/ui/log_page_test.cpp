// The champion's log as a reader meets it: a page, a filter, a step, its cause in the views, and the way back.
#include "stage.h"

#include "ui/window/frame.h"
#include "views/lines.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

namespace ui {
namespace {

using catalog::OperandType;

struct LogWindow : Stage {
    LogWindow() : Stage(view_of("shared_tile")) {
        show_as_it_is(draw_window);
        resize(1280, 720);
        settle();
        frames(3);
    }
    Chrome& chrome() { return gui().chrome(); }
    void open() {
        type({{GLFW_KEY_F9}});
        frames(3);
    }
    void choose(const std::string& step) {
        chrome().log_step = step;
        chrome().log_moved = true;
        frames(3);
    }
};

TEST(LogPage, IsReachedFromTheStartPageAKeyAndAKernelThatItTellsOf) {
    LogWindow window;
    EXPECT_FALSE(window.has_mark("idea.log")) << "shared_tile is in no step";
    window.open();
    EXPECT_EQ(window.chrome().page, Page::log);
    window.type({{GLFW_KEY_F2}});
    window.frames(2);
    window.click_mark("start.log");
    EXPECT_EQ(window.chrome().page, Page::log);
    window.type({{GLFW_KEY_ESCAPE}});
    window.edit([](session::View& view) { view.subject.kernel = "tensor_bf16_persistent"; });
    window.frames(3);
    window.click_mark("idea.log");
    EXPECT_EQ(window.chrome().page, Page::log);
    EXPECT_EQ(window.chrome().log_step, "bf16_persist") << "its first step";
    window.expect_no_missing_text();
}

TEST(LogPage, StepsAndArithmeticsAreChosenByKeyAndMouse) {
    LogWindow window;
    window.open();
    const auto all = views::entries(window.gui().strings().log());
    EXPECT_EQ(window.chrome().log_step, all[0].step->id);
    window.type({{GLFW_KEY_PAGE_DOWN}}); // of a clicker
    EXPECT_EQ(window.chrome().log_step, all[1].step->id);
    window.type({{GLFW_KEY_END}});
    EXPECT_EQ(window.chrome().log_step, all.back().step->id);
    window.type({{GLFW_KEY_DOWN}});
    EXPECT_EQ(window.chrome().log_step, all.back().step->id) << "there is none behind";
    window.type({{GLFW_KEY_HOME}});
    window.type({{GLFW_KEY_RIGHT}});
    EXPECT_EQ(window.chrome().log_operands, OperandType::f32);
    window.frames(3);
    window.click_mark("log.bf16");
    window.frames(3);
    EXPECT_EQ(window.chrome().log_operands, OperandType::bf16);
    EXPECT_EQ(window.chrome().log_step, "wide_wgmma") << "the first of the arithmetic";
    EXPECT_FALSE(window.has_mark("log.step.fences"));
    window.click_mark("log.step.two_blocks");
    EXPECT_EQ(window.chrome().log_step, "two_blocks");
}

TEST(LogPage, AStepOpensTheViewOfItsCauseAndTheWayBack) {
    LogWindow window;
    window.edit([](session::View& view) {
        view.subject.problem = {128, 128, 64};
        view.layout.banks = false;
    });
    const session::View before = window.view();
    window.open();
    window.choose("deep_stages");
    window.click_mark("log.see");
    window.settle();
    window.frames(3);
    EXPECT_EQ(window.chrome().page, Page::none);
    EXPECT_EQ(window.view().subject.kernel, "champion");
    EXPECT_EQ(window.view().subject.parameters.at("BK"), 64);
    EXPECT_EQ(window.view().middle_tab, session::MiddleTab::banks);
    EXPECT_TRUE(window.view().layout.banks) << "the panel had been hidden";
    EXPECT_EQ(window.view().course.log, "deep_stages");
    window.click_mark("log.line");
    EXPECT_EQ(window.chrome().page, Page::log);
    EXPECT_EQ(window.chrome().log_step, "deep_stages") << "where the reader was";
    window.type({{GLFW_KEY_ESCAPE}});
    window.type({{'Z', with_control}});
    window.frames(3);
    EXPECT_EQ(window.view().subject, before.subject);
    EXPECT_EQ(window.view().layout, before.layout);
    EXPECT_FALSE(window.has_mark("log.line"));
}

TEST(LogPage, EscPutsTheLineAwayAndBackspaceLeadsBack) {
    LogWindow window;
    window.open();
    window.choose("waves");
    window.type({{GLFW_KEY_ENTER}});
    window.settle();
    window.frames(3);
    window.type({{GLFW_KEY_BACKSPACE}});
    EXPECT_EQ(window.chrome().page, Page::log);
    window.type({{GLFW_KEY_ESCAPE}});
    window.frames(2);
    EXPECT_TRUE(window.has_mark("log.line"));
    window.type({{GLFW_KEY_ESCAPE}});
    window.frames(2);
    EXPECT_FALSE(window.has_mark("log.line"));
    EXPECT_EQ(window.view().subject.kernel, "champion");
}

TEST(LogPage, AStepShowsItsLineUntilTheReaderStepsOn) {
    LogWindow window;
    window.open();
    window.choose("proxy_fence");
    window.type({{GLFW_KEY_ENTER}});
    window.tell();
    const LinesToShow shown = window.chrome().lines_to_show;
    ASSERT_GT(shown.first, 0u);
    const auto lines = split_lines(window.session().kernel()->source);
    EXPECT_NE(lines[shown.first - 1].find("fence.proxy.async"), std::string_view::npos);
    window.type({{GLFW_KEY_RIGHT}});
    window.tell();
    EXPECT_EQ(window.chrome().lines_to_show.first, 0u);
}

// That each has a kernel and a setting that there are is held by ShippedLog.ShowsKernelsAndSettingsThatThereAre.
TEST(LogPage, EveryStepHasAViewThatThereIs) {
    LogWindow window;
    for (const views::LogEntry& entry : views::entries(window.gui().strings().log()))
        EXPECT_TRUE(find_panel(entry.step->scene.view)) << entry.step->id << ": " << entry.step->scene.view;
}

TEST(LogPage, DrawsAtEverySizeInBothLanguages) {
    LogWindow window;
    window.open();
    for (const auto language : {session::Language::en, session::Language::zh})
        for (const auto& [width, height] : {std::pair{320.0f, 240.0f}, {900, 600}, {600, 900}, {3840, 2160}}) {
            window.edit([&](session::View& view) { view.language = language; });
            window.resize(width, height);
            window.choose("bf16_stream_k");
            EXPECT_TRUE(window.has_mark("log.step.bf16_stream_k")) << width;
        }
    window.expect_no_missing_text();
}

} // namespace
} // namespace ui
