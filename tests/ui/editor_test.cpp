// The editor of the source pane: typed into, without a screen.
#include "stage.h"

#include "base/file.h"
#include "ui/code/editor.h"
#include "ui/window/frame.h"
#include "ui/window/keys.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <unistd.h>

namespace ui {
namespace {

namespace fs = std::filesystem;

const fs::path samples = fs::path(SOURCE_DIR) / "kernels";

// A folder of the user's own, gone afterwards.
struct OwnFolder {
    fs::path path = fs::temp_directory_path() / ("gemmscope_editor_test." + std::to_string(::getpid()));
    OwnFolder() {
        fs::remove_all(path);
        fs::create_directories(path / "kernels");
    }
    ~OwnFolder() { fs::remove_all(path); }
    fs::path kernels() const { return path / "kernels"; }
};

class InTheEditor : public testing::Test {
protected:
    // The whole window, with `kernel` shown.
    void open(const std::string& kernel, std::vector<fs::path> more = {}) {
        stage_.reset();
        more.insert(more.begin(), {samples, folder_.kernels()});
        session::View view = view_of(kernel, {64, 64, 32});
        stage_ = std::make_unique<Stage>(view, more);
        stage_->show_as_it_is([](Context& context) { draw_window(context); });
        stage_->resize(1600, 900);
        stage_->gui().editor().open({folder_.kernels(), samples}, {});
        settle();
    }
    void settle() {
        stage_->frames(2);
        editor().wait();
        editor().update();
        stage_->settle();
        stage_->frames(3);
    }
    // Until what was typed has been compiled for its faults: frames of a sixtieth of a second.
    void pause() {
        stage_->frames(30);
        settle();
    }
    // Into a file of the user's own, elsewhere.
    fs::path type_into_mine() {
        const fs::path file = folder_.path / "mine.cu";
        const catalog::Kernel sample = *catalog::parse(*base::read_file(samples / "tile.cu"), samples / "tile.cu");
        EXPECT_TRUE(base::write_file(file, session::as_own(sample)).ok());
        open("mine", {file});
        EXPECT_FALSE(document().sample) << "it is edited in its place";
        press(GLFW_KEY_F4);
        go_to_line(line_of("float sum = 0;"));
        type(U" // typed");
        return file;
    }
    Editor& editor() { return stage_->gui().editor(); }
    const Editor::Document& document() { return *editor().document(); }
    const std::string& text() { return document().text.text(); }
    void press(int key, int modifiers = no_modifier, int times = 1) {
        for (int i = 0; i < times; ++i) stage_->type({{key, modifiers}});
    }
    void type(std::u32string_view letters) {
        std::vector<KeyPress> keys; // as the window hands them on
        for (const char32_t c : letters) {
            const bool capital = c >= 'A' && c <= 'Z';
            if (c == '\n') keys.push_back({GLFW_KEY_ENTER});
            else
                keys.push_back(
                    {c < 128 ? std::toupper(static_cast<int>(c)) : 0, capital ? with_shift : no_modifier, false, c});
        }
        stage_->type(keys);
    }
    void go_to_line(size_t line) { // its end
        press(GLFW_KEY_HOME, with_control);
        press(GLFW_KEY_DOWN, no_modifier, static_cast<int>(line) - 1);
        press(GLFW_KEY_END);
    }
    size_t line_of(const std::string& words) {
        const size_t at = text().find(words);
        EXPECT_NE(at, std::string::npos) << words;
        return document().text.place_of(at).line + 1;
    }
    bool says(const std::string& words) {
        for (const Notice& notice : stage_->gui().chrome().notices)
            if (notice.text.find(words) != std::string::npos) return true;
        return false;
    }
    const session::Products& products() { return stage_->session().products(); }
    bool passed() {
        const auto& grid = products().grid;
        return grid.value && grid.value->verification && grid.value->verification->passed;
    }

    OwnFolder folder_;
    std::unique_ptr<Stage> stage_;
};

TEST_F(InTheEditor, TheFirstEditOfASampleMakesACopy) {
    open("tile");
    const std::string before = *base::read_file(samples / "tile.cu");
    press(GLFW_KEY_F4);
    ASSERT_TRUE(editor().focused());
    EXPECT_TRUE(document().sample);
    go_to_line(line_of("float sum = 0;"));
    EXPECT_EQ(stage_->view().subject.kernel, "tile") << "moving about copies nothing";
    type(U" // w\n");
    EXPECT_EQ(stage_->view().subject.kernel, "my_tile");
    EXPECT_EQ(document().file, folder_.kernels() / "my_tile.cu");
    EXPECT_NE(text().find("float sum = 0; // w\n    \n"), std::string::npos) << text();
    EXPECT_TRUE(says("my_tile.cu"));
    EXPECT_TRUE(editor().focused()) << "and typing goes on";
    EXPECT_EQ(*base::read_file(samples / "tile.cu"), before);
    settle();
    EXPECT_TRUE(passed()) << "what is drawn is the copy as it began";
    stage_->expect_no_missing_text();
}

TEST_F(InTheEditor, LettersAreNotTheWindowsKeys) {
    open("tile");
    press(GLFW_KEY_F4);
    const session::View before = stage_->view();
    go_to_line(line_of("float sum = 0;"));
    type(U" // srdbwlgtpe123 /[],.<>");
    press(GLFW_KEY_UP), press(GLFW_KEY_DOWN, with_control), press(GLFW_KEY_PAGE_DOWN), press(GLFW_KEY_TAB);
    session::View after = stage_->view();
    after.subject.kernel = "tile", after.hover = before.hover, after.open_families = before.open_families;
    after.selection = before.selection;
    EXPECT_EQ(session::to_json(after), session::to_json(before));
    press(GLFW_KEY_ESCAPE);
    EXPECT_FALSE(editor().focused());
    type(U"3");
    EXPECT_EQ(stage_->view().middle_tab, session::MiddleTab::timeline) << "the window's again";
}

TEST_F(InTheEditor, WhereThePanelsLeaveNoRoomTheStageHasSome) {
    open("tile");
    stage_->resize(320, 200);
    settle();
    EXPECT_FALSE(stage_->has_mark("panel.code"));
    press(GLFW_KEY_F4);
    settle();
    EXPECT_TRUE(editor().focused());
    EXPECT_TRUE(stage_->view().stage.shown);
    EXPECT_EQ(stage_->view().stage.first, "source");
    type(U"x"); // in a copy of the sample, whose description is longer
    const size_t before = text().size();
    type(U"y");
    EXPECT_EQ(text().size(), before + 1);
}

TEST_F(InTheEditor, AFaultStandsAtItsLineUntilItIsMended) {
    open("tile");
    press(GLFW_KEY_F4);
    go_to_line(line_of("float sum = 0;"));
    type(U"\nint x = nothing;");
    const size_t line = line_of("nothing");
    pause();
    ASSERT_FALSE(document().faults.empty());
    EXPECT_TRUE(document().faults[0].error);
    EXPECT_EQ(document().faults[0].line, static_cast<int>(line));
    EXPECT_TRUE(stage_->has_mark("source.remark"));
    EXPECT_TRUE(products().grid.value) << "nothing else changes";
    EXPECT_TRUE(passed());
    go_to_line(line - 1);
    type(U"\n");
    EXPECT_EQ(document().faults[0].line, static_cast<int>(line) + 1) << "it goes with its line";
    press('Z', with_control, 12); // a word at a time
    pause();
    EXPECT_TRUE(document().faults.empty());
    EXPECT_FALSE(stage_->has_mark("source.remark"));
}

TEST_F(InTheEditor, CtrlEnterCompilesAndEverythingFollows) {
    open("tile");
    press(GLFW_KEY_F4);
    go_to_line(line_of("float sum = 0;"));
    press(GLFW_KEY_BACKSPACE, no_modifier, 2);
    type(U"1;");
    ASSERT_TRUE(editor().edited());
    press(GLFW_KEY_ENTER, with_control);
    settle();
    EXPECT_FALSE(editor().edited());
    EXPECT_FALSE(passed()) << "one more than the product";
    EXPECT_NE(base::read_file(folder_.kernels() / "my_tile.cu")->find("float sum = 1;"), std::string::npos);
    press('H', with_control);
    EXPECT_EQ(editor().versions().size(), 2u) << "what was compiled, and the sample";
    press(GLFW_KEY_DOWN);
    press(GLFW_KEY_ENTER);
    EXPECT_NE(text().find("float sum = 0;"), std::string::npos) << "the sample's text";
    EXPECT_TRUE(editor().edited());
    press(GLFW_KEY_ENTER, with_control);
    settle();
    EXPECT_TRUE(passed());
    press('Z', with_control);
    EXPECT_NE(text().find("float sum = 1;"), std::string::npos) << "compiling ends no steps of undo";
}

TEST_F(InTheEditor, ADescriptionThatCannotBeReadIsKeptAndNothingChanges) {
    open("tile");
    press(GLFW_KEY_F4);
    press(GLFW_KEY_HOME, with_control);
    press(GLFW_KEY_DOWN);
    press(GLFW_KEY_END);
    type(U"x");
    press(GLFW_KEY_ENTER, with_control);
    settle();
    EXPECT_TRUE(editor().edited());
    EXPECT_TRUE(passed());
    pause();
    ASSERT_FALSE(document().faults.empty());
    EXPECT_EQ(document().faults[0].line, 2);
    const std::string typed = text();
    open("my_tile"); // as after a crash: what was typed is on disk once the editor is gone
    EXPECT_EQ(text(), typed);
    EXPECT_TRUE(editor().edited());
}

TEST_F(InTheEditor, ClipboardIndentationAndFind) {
    open("tile");
    press(GLFW_KEY_F4);
    const size_t line = line_of("float sum = 0;");
    go_to_line(line);
    press(GLFW_KEY_HOME, with_shift);
    press('C', with_control);
    press(GLFW_KEY_END);
    type(U"\n");
    press('V', with_control);
    EXPECT_NE(text().find("    float sum = 0;\n    float sum = 0;\n"), std::string::npos);
    press(GLFW_KEY_UP, with_shift);
    press(GLFW_KEY_TAB);
    EXPECT_NE(text().find("        float sum = 0;\n        float sum = 0;\n"), std::string::npos);
    press(GLFW_KEY_TAB, with_shift);
    EXPECT_NE(text().find("    float sum = 0;\n    float sum = 0;\n"), std::string::npos);
    press('/', with_control);
    EXPECT_NE(text().find("    // float sum = 0;\n    // float sum = 0;\n"), std::string::npos);
    press('F', with_control);
    type(U"__SYNC");
    stage_->frames(2);
    EXPECT_TRUE(stage_->has_mark("edit.search"));
    EXPECT_EQ(document().text.selected(), "__sync");
    const size_t first = document().text.cursor();
    press(GLFW_KEY_F3);
    EXPECT_GT(document().text.cursor(), first);
    press(GLFW_KEY_F3, with_shift);
    EXPECT_EQ(document().text.cursor(), first);
    press(GLFW_KEY_ESCAPE);
    EXPECT_FALSE(editor().finding());
    EXPECT_TRUE(editor().focused());
    type(U"\u4F60\u597D");
    EXPECT_NE(text().find("\u4F60\u597D"), std::string::npos);
    press('D', with_control);
    EXPECT_EQ(editor().shown(), Editor::Shown::difference);
    stage_->frames(2);
    stage_->expect_no_missing_text();
}

TEST_F(InTheEditor, TheMousePlacesAndSelects) {
    open("tile");
    stage_->frames(3);
    const Mark line = stage_->mark("source.line." + std::to_string(line_of("As[y][x] = row")));
    const ImVec2 at{line.x + line.width * 0.5f, line.y + line.height / 2};
    stage_->click(at);
    EXPECT_FALSE(editor().focused()) << "one click goes to the line's moment, as ever";
    stage_->frames(60); // not the first of a double click
    const Mark then = stage_->mark("source.line." + std::to_string(line_of("As[y][x] = row")));
    stage_->point({then.x + then.width * 0.5f, then.y + then.height / 2});
    for (int i = 0; i < 2; ++i) {
        ImGui::GetIO().MouseDown[0] = true;
        stage_->frame();
        ImGui::GetIO().MouseDown[0] = false;
        stage_->frame();
    }
    ASSERT_TRUE(editor().focused());
    EXPECT_EQ(document().text.place_of(document().text.cursor()).line + 1, line_of("As[y][x] = row"));
    const Mark now = stage_->mark("source.line." + std::to_string(line_of("As[y][x] = row")));
    stage_->frames(60); // not a triple click
    stage_->drag({now.x + now.width * 0.6f, now.y + now.height / 2}, {0, 2 * now.height});
    EXPECT_NE(document().text.selected().find('\n'), std::string_view::npos);
    stage_->click_mark("panel.map");
    EXPECT_FALSE(editor().focused()) << "a click elsewhere ends the editing";
}

TEST_F(InTheEditor, CountsStandBesideLinesThatStayed) {
    open("tile");
    press(GLFW_KEY_F4);
    const int sum = static_cast<int>(line_of("float sum = 0;")), barrier = static_cast<int>(line_of("As[y][x] = row"));
    go_to_line(static_cast<size_t>(sum));
    type(U"\n// one\n// two");
    stage_->frames(2);
    EXPECT_EQ(editor().compiled_line(barrier + 2), barrier);
    EXPECT_EQ(editor().shown_line(barrier), barrier + 2);
    EXPECT_EQ(editor().compiled_line(sum + 1), 0);
}

TEST_F(InTheEditor, AFileThatAnotherProgramWritesIsNotLost) {
    const fs::path file = type_into_mine();
    std::string other = *base::read_file(file);
    other.replace(other.find("float sum = 0;"), 14, "float sum = 2;");
    ASSERT_TRUE(base::write_file(file, other).ok());
    stage_->gui().frame(stage_->session(), {}, [&](Context& context) { context.commands.follow = file; });
    settle();
    EXPECT_TRUE(document().theirs);
    EXPECT_TRUE(stage_->has_mark("edit.theirs"));
    EXPECT_NE(text().find("float sum = 0; // typed"), std::string::npos);
    stage_->click_mark("edit.theirs");
    EXPECT_EQ(text(), other);
    EXPECT_FALSE(document().theirs);
    editor().show(Editor::Shown::versions);
    ASSERT_GE(editor().versions().size(), 2u);
    bool mine = false;
    for (const auto& version : editor().versions()) mine |= version.text.find("// typed") != std::string::npos;
    EXPECT_TRUE(mine) << "both are among the versions";
    press('Z', with_control);
}

TEST_F(InTheEditor, AFileThatAnotherProgramDeletesIsWrittenAgain) {
    const fs::path file = type_into_mine();
    const std::string before = *base::read_file(file);
    fs::remove(file);
    session::View view = stage_->view();
    view.subject.kernel = "gone"; // there is no such kernel, as of "mine" once the session has looked
    stage_->session().apply(view, {});
    settle();
    ASSERT_TRUE(fs::exists(file));
    EXPECT_EQ(*base::read_file(file), before);
    EXPECT_EQ(stage_->view().subject.kernel, "mine");
    EXPECT_NE(text().find("float sum = 0; // typed"), std::string::npos);
}

TEST_F(InTheEditor, AStarterIsOpenedAndGoesOn) {
    open("tile");
    catalog::Kernel sample = *catalog::parse(*base::read_file(samples / "naive.cu"), samples / "naive.cu");
    const std::string starter = session::as_own(sample);
    const auto open_starter = [&] {
        stage_->gui().frame(stage_->session(), {}, [&](Context& context) {
            context.editor->open_own(context, "coalesce", starter, ui::Editor::Keys::take);
        });
        settle();
    };
    open_starter();
    EXPECT_EQ(stage_->view().subject.kernel, "coalesce");
    EXPECT_TRUE(editor().focused());
    EXPECT_FALSE(document().sample);
    type(U"// mine");
    const std::string typed = text();
    press(GLFW_KEY_UP); // nothing of the ladder
    open_starter();
    EXPECT_EQ(text(), typed);
    stage_->click_mark("edit.restore");
    EXPECT_EQ(text(), starter);
}

TEST_F(InTheEditor, PicturesInEveryFaceHaveTheirWords) {
    for (const bool light : {false, true}) {
        open("tile");
        stage_->edit([&](session::View& view) {
            view.theme = light ? session::Theme::light : session::Theme::dark;
            view.language = light ? session::Language::zh : session::Language::en;
        });
        for (const auto& [width, height] : {std::pair(1600.0f, 900.0f), {1280.0f, 720.0f}, {640.0f, 400.0f}}) {
            stage_->resize(width, height);
            settle();
            press(GLFW_KEY_F4);
            for (const int key : {'F', 'H', 'D'}) press(key, with_control), stage_->frames(2);
            press(GLFW_KEY_ESCAPE, no_modifier, 3);
        }
        stage_->expect_no_missing_text();
    }
}

} // namespace
} // namespace ui
