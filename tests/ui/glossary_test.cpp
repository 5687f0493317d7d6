// The glossary as a reader meets it: F1, the second page, a word typed, a view gone to.
#include "stage.h"

#include "ui/window/frame.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <cstring>

namespace {

using session::MiddleTab;

struct Window : Stage {
    Window() : Stage(view_of("shared_tile")) {
        show_as_it_is(ui::draw_window);
        resize(1600, 900);
        settle();
        frames(3);
    }
    void open_glossary() {
        type({{GLFW_KEY_F1}});
        click_mark("tab.help.1");
    }
};

TEST(GlossaryPage, IsTheSecondPageOfTheHelp) {
    Window window;
    window.open_glossary();
    EXPECT_TRUE(window.gui().chrome().help);
    EXPECT_TRUE(window.gui().chrome().glossary);
    EXPECT_TRUE(window.has_mark("glossary.search"));
    EXPECT_TRUE(window.has_mark("glossary.kernel"));
    window.click_mark("tab.help.0");
    window.frames(2);
    EXPECT_FALSE(window.has_mark("glossary.search"));
    window.expect_no_missing_text();
}

TEST(GlossaryPage, LeadsToTheViewThatShowsATerm) {
    Window window;
    window.edit([](session::View& view) {
        view.middle_tab = MiddleTab::banks;
        view.layout.banks = false;
    });
    window.open_glossary();
    std::strcpy(window.gui().chrome().glossary_search.data(), "Tail");
    window.frames(3);
    EXPECT_FALSE(window.has_mark("glossary.kernel"));
    window.click_mark("glossary.tail_effect");
    EXPECT_FALSE(window.gui().chrome().help);
    EXPECT_EQ(window.view().middle_tab, MiddleTab::blocks);
    EXPECT_TRUE(window.view().layout.banks) << "the panel had been hidden";
}

TEST(GlossaryPage, DrawsAtEverySizeInBothLanguages) {
    Window window;
    window.open_glossary();
    for (const auto language : {session::Language::en, session::Language::zh})
        for (const auto& [width, height] : {std::pair{320.0f, 240.0f}, {1280, 720}, {3840, 2160}}) {
            window.edit([&](session::View& view) { view.language = language; });
            window.resize(width, height);
            window.frames(3);
            EXPECT_GT(ImGui::GetDrawData()->TotalVtxCount, 0);
        }
    window.expect_no_missing_text();
}

} // namespace
