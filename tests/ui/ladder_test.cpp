// The ladder panel: families that fold, and what keeps to the family of the current kernel.
#include "stage.h"

#include "base/file.h"
#include "ui/draw/draw.h"
#include "ui/kernel/ladder.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <algorithm>

namespace {
namespace fs = std::filesystem;

// The program's kernels and three more: two of a family of their own and one that names no family.
fs::path more_kernels() {
    const fs::path folder = fs::path(testing::TempDir()) / "gemmscope_ladder_test";
    const auto write = [&](const std::string& id, const std::string& head) {
        const std::string text = "/* gemmscope\n" + head + "[launch]\nblock = [32]\ngrid = [1]\n*/\n" +
                                 "__global__ void " + id +
                                 "(int M, int N, int K, float alpha, const float* A, const float* B, float beta, "
                                 "float* C) {}\n";
        EXPECT_TRUE(base::write_file(folder / (id + ".cu"), text));
    };
    EXPECT_TRUE(base::write_file(folder / "families.toml", "[[family]]\nid = \"invented\"\ntitle = \"Invented\"\n"));
    write("bits_first", "family = \"invented\"\nrung = 1\n");
    write("bits_second", "family = \"invented\"\nrung = 2\n");
    write("mine", "");
    return folder;
}

class Ladder : public testing::Test {
protected:
    Ladder() {
        stage.show(ui::draw_ladder);
        stage.resize(260, 900);
        stage.settle();
        stage.frames(3);
    }
    bool shows(const std::string& mark) {
        const auto& marks = stage.gui().probe().marks();
        return std::any_of(marks.begin(), marks.end(), [&](const ui::Mark& m) { return m.name == mark; });
    }
    void press(int key, int modifiers = ui::no_modifier) {
        stage.type({{key, modifiers}});
        stage.settle();
        stage.frames(3);
    }
    Stage stage{view_of("champion"), {kernel_folder(), more_kernels()}};
};

TEST_F(Ladder, OnlyTheFamilyOfTheKernelIsOpenAtFirst) {
    EXPECT_TRUE(shows("rung.naive"));
    EXPECT_TRUE(shows("family.invented"));
    EXPECT_TRUE(shows("family.own"));
    EXPECT_FALSE(shows("rung.bits_first"));
    EXPECT_FALSE(shows("rung.mine"));
    EXPECT_FALSE(shows("family.reference")) << "it has no kernels";
    EXPECT_LT(stage.mark("family.ladder").y, stage.mark("family.own").y);
    EXPECT_LT(stage.mark("family.own").y, stage.mark("family.invented").y);
}

TEST_F(Ladder, AClickOnAHeadingFoldsAndUnfolds) {
    stage.click_mark("family.invented");
    stage.frames(3);
    EXPECT_TRUE(shows("rung.bits_second"));
    EXPECT_EQ(stage.view().open_families, (std::set<std::string>{"invented", "ladder"}));
    EXPECT_EQ(stage.view().subject.kernel, "champion") << "folding chooses nothing";
    stage.click_mark("family.ladder");
    stage.frames(3);
    EXPECT_FALSE(shows("rung.champion")) << "the family of the kernel may be folded, too";
    EXPECT_EQ(stage.view().open_families, std::set<std::string>{"invented"});
}

TEST_F(Ladder, TheFamilyOfAChosenKernelOpens) {
    stage.edit([](session::View& view) { view.subject.kernel = "mine"; });
    stage.frames(3);
    EXPECT_TRUE(shows("rung.mine"));
    stage.click_mark("family.ladder");
    press(GLFW_KEY_UP, ui::with_control);
    EXPECT_TRUE(shows("rung.naive"));
}

TEST_F(Ladder, TheArrowsStayInTheFamilyAndCtrlChangesIt) {
    const auto family = [&] { return stage.session().kernel()->family; };
    press(GLFW_KEY_DOWN);
    EXPECT_EQ(stage.view().subject.kernel, "champion") << "the last rung";
    press(GLFW_KEY_DOWN, ui::with_control);
    EXPECT_EQ(stage.view().subject.kernel, "mine");
    stage.edit([](session::View& view) { view.subject.kernel = "bits_second"; });
    press(GLFW_KEY_DOWN);
    EXPECT_EQ(stage.view().subject.kernel, "bits_second");
    press(GLFW_KEY_UP);
    EXPECT_EQ(stage.view().subject.kernel, "bits_first");
    press(GLFW_KEY_UP);
    EXPECT_EQ(stage.view().subject.kernel, "bits_first");
    press(GLFW_KEY_UP, ui::with_control);
    EXPECT_NE(family(), "invented");
    press(GLFW_KEY_DOWN, ui::with_control);
    EXPECT_EQ(stage.view().subject.kernel, "bits_first");
    stage.edit([&](session::View& view) { view.subject.kernel = stage.session().catalog().kernels.back()->id; });
    const std::string last = family();
    press(GLFW_KEY_DOWN, ui::with_control);
    EXPECT_EQ(family(), last);
}

TEST_F(Ladder, LettersThatComeBeforeTheFieldIsActiveAreItsOwn) {
    ImGuiIO& io = ImGui::GetIO();
    for (const char c : std::string("x/b")) io.AddInputCharacter(static_cast<unsigned>(c));
    stage.type({{'/', ui::no_modifier}, {'B', ui::no_modifier}});
    for (const char c : std::string("wblbulk")) { // W, B and L are keys of their own outside the field
        io.AddInputCharacter(static_cast<unsigned>(c));
        stage.type({{std::toupper(c), ui::no_modifier}});
        EXPECT_EQ(stage.gui().chrome().entry.field, ui::Entry::Field::none) << c << " was taken for the key";
    }
    stage.frames(2);
    EXPECT_EQ(stage.view().search, "bwblbulk");
    press(GLFW_KEY_ESCAPE);
    EXPECT_EQ(stage.view().search, "");
    EXPECT_FALSE(stage.gui().chrome().takes_text());
}

TEST_F(Ladder, DownChoosesAmongWhatAllLettersBeforeItFind) {
    for (const char* typed : {"/", "/bul"}) { // the others come when the field is active, with Down
        std::string rest = "bulk_copy";
        for (const char* c = typed; *c; ++c) {
            ImGui::GetIO().AddInputCharacter(static_cast<unsigned>(*c));
            stage.type({{std::toupper(*c), ui::no_modifier}});
            if (c != typed) rest.erase(0, 1);
        }
        if (rest.size() == 9) stage.frames(2);
        for (const char c : rest) ImGui::GetIO().AddInputCharacter(static_cast<unsigned>(c));
        stage.type({{GLFW_KEY_DOWN, ui::no_modifier}});
        stage.frames(4);
        EXPECT_EQ(stage.view().search, "bulk_copy");
        EXPECT_EQ(stage.view().subject.kernel, "bulk_copy") << "after " << typed;
        EXPECT_FALSE(stage.gui().input_waits());
        press(GLFW_KEY_ESCAPE);
        stage.edit([](session::View& view) { view.subject.kernel = "champion"; });
        stage.frames(2);
    }
}

#if IMGUI_VERSION_NUM < 18700
TEST_F(Ladder, EnterCountsThoughItIsUpAgainWhenTheFrameComes) {
    ImGuiIO& io = ImGui::GetIO();
    io.KeyMap[ImGuiKey_Enter] = GLFW_KEY_ENTER; // as ImGui's part for GLFW does
    stage.type({{'/', ui::no_modifier}});
    stage.frames(2);
    for (const char c : std::string("bulk_copy")) io.AddInputCharacter(static_cast<unsigned>(c));
    stage.frames(2);
    stage.type({{GLFW_KEY_ENTER, ui::no_modifier}});
    stage.frames(2);
    EXPECT_EQ(stage.view().subject.kernel, "bulk_copy");
    EXPECT_FALSE(io.KeysDown[GLFW_KEY_ENTER]);
}
#endif

#if IMGUI_VERSION_NUM >= 18700 // which spreads fast input over frames
TEST_F(Ladder, LettersAreTheFieldsHoweverLateImGuiBringsThem) {
    ImGuiIO& io = ImGui::GetIO();
    float x = 1;
    const auto type = [&](char c) {
        io.AddMousePosEvent(++x, 1); // ends what ImGui takes in one frame, so that letters come later and later
        io.AddInputCharacter(static_cast<unsigned>(c));
        stage.type({{std::toupper(c), ui::no_modifier}});
        EXPECT_EQ(stage.gui().chrome().entry.field, ui::Entry::Field::none) << c << " was taken for the key";
    };
    for (const char c : std::string("/wblbulk")) type(c);
    EXPECT_TRUE(stage.gui().input_waits());
    for (int i = 0; i < 40 && stage.gui().input_waits(); ++i) stage.frame();
    EXPECT_EQ(stage.view().search, "wblbulk");
}

TEST_F(Ladder, AClickWithinAFrameAsksForFurtherFramesUntilAllOfItIsTaken) {
    ImGuiIO& io = ImGui::GetIO();
    for (const bool down : {true, false, true, false}) io.AddMouseButtonEvent(0, down);
    int frames = 0;
    do stage.frame();
    while (++frames < 10 && stage.gui().input_waits());
    EXPECT_EQ(frames, 4) << "one for each change of the button";
    EXPECT_FALSE(io.MouseDown[0]);
}
#endif

TEST_F(Ladder, TheFieldSearchesAndEscClears) {
    stage.type({{'/', ui::no_modifier}});
    stage.frames(2);
    for (const char c : std::string("conflict")) ImGui::GetIO().AddInputCharacter(static_cast<unsigned>(c));
    stage.frames(2);
    EXPECT_EQ(stage.view().search, "conflict");
    EXPECT_TRUE(stage.gui().chrome().searching);
    stage.settle(); // every kernel is compiled
    stage.frames(3);
    EXPECT_EQ(stage.session().opcodes_left(), 0u);
    EXPECT_TRUE(shows("found.conflict_free"));
    EXPECT_FALSE(shows("family.ladder"));
    EXPECT_FALSE(shows("rung.bits_first"));
    EXPECT_TRUE(ui::belongs_to_text({'N', 0}, stage.gui().chrome()));
    EXPECT_FALSE(ui::belongs_to_text({GLFW_KEY_DOWN, 0}, stage.gui().chrome()));
    press(GLFW_KEY_DOWN);
    const auto first = stage.session().found().front().kernel->id;
    EXPECT_EQ(stage.view().subject.kernel, first);
    press(GLFW_KEY_DOWN);
    EXPECT_EQ(stage.view().subject.kernel, stage.session().found().at(1).kernel->id);
    press(GLFW_KEY_ESCAPE);
    EXPECT_EQ(stage.view().search, "");
    EXPECT_FALSE(stage.gui().chrome().searching);
    EXPECT_TRUE(shows("family.ladder"));
}

// ImGui would take eight letters back from a text that has none.
TEST_F(Ladder, CtrlZTakesBackNothingFromBeforeTheFieldWasLeft) {
    ImGuiIO& io = ImGui::GetIO();
    const auto press_z = [&](bool down) {
#if IMGUI_VERSION_NUM >= 18900
        io.AddKeyEvent(ImGuiMod_Ctrl, down);
        io.AddKeyEvent(ImGuiKey_Z, down);
#else
        io.KeyMap[ImGuiKey_Z] = GLFW_KEY_Z; // as ImGui's part for GLFW does
        io.KeyCtrl = down;
        io.KeysDown[GLFW_KEY_Z] = down;
#endif
        stage.frames(4);
    };
    const auto type = [&](const std::string& letters) {
        for (const char c : letters) io.AddInputCharacter(static_cast<unsigned>(c));
        stage.frames(4);
    };
    const auto enter_field = [&] {
        stage.type({{'/', ui::no_modifier}});
        stage.frames(2);
    };
    enter_field();
    type("conflict");
    press_z(true);
    press_z(false);
    EXPECT_NE(stage.view().search, "conflict") << "the last letter, at least, is taken back";
    press(GLFW_KEY_ESCAPE);
    enter_field();
    press_z(true);
    press_z(false);
    type("[(((");
    EXPECT_EQ(stage.view().search, "[(((");
}

TEST_F(Ladder, WhoEndsTheSearchEndsItsCompilations) {
    stage.type({{'/', ui::no_modifier}});
    stage.frames(2);
    ImGui::GetIO().AddInputCharacter('x');
    stage.frames(2);
    ASSERT_GT(stage.session().opcodes_left(), 2u);
    stage.type({{GLFW_KEY_ESCAPE, ui::no_modifier}});
    stage.frames(2);
    EXPECT_LE(stage.session().opcodes_left(), 1u);
}

TEST_F(Ladder, AnOpcodeIsFoundWhereItWasCompiled) {
    stage.edit([](session::View& view) { view.search = "wgmma.mma_async"; });
    stage.frames(3);
    EXPECT_TRUE(shows("found.tensor_tf32"));
    EXPECT_FALSE(shows("rung.naive"));
    stage.edit([](session::View& view) { view.search = "nothing like it"; });
    stage.frames(3);
    EXPECT_FALSE(shows("rung.tensor_tf32"));
    stage.expect_no_missing_text();
}

TEST_F(Ladder, ThePanelIsAsHighAsItsOpenFamilies) {
    float closed = 0, open = 0;
    const auto measure = [&](float& into) {
        stage.show([&](ui::Context& context) { into = ui::ladder_height(context); });
        stage.frame();
    };
    measure(closed);
    stage.edit([](session::View& view) { view.open_families.insert("invented"); });
    measure(open);
    stage.show(ui::draw_ladder);
    stage.resize(260, open);
    stage.frames(3);
    EXPECT_NEAR(open - closed, 2 * stage.mark("rung.bits_first").height, 1);
}

// What is executed stays small; the percentages are of another size, which has its own buttons.
TEST_F(Ladder, TheSizeOfTheSpeedsIsNotTheExecutedOne) {
    const catalog::Problem executed = stage.view().subject.problem;
    EXPECT_EQ(stage.view().speed_problem, (catalog::Problem{4096, 4096, 4096}));
    stage.click_mark("speed_size.more");
    stage.frames(3);
    EXPECT_EQ(stage.view().speed_problem, (catalog::Problem{6144, 6144, 6144})) << "as it was recorded, a step each";
    for (int i = 0; i < 2; ++i) {
        stage.click_mark("speed_size.less");
        stage.frames(3);
    }
    EXPECT_EQ(stage.view().speed_problem, (catalog::Problem{3072, 3072, 3072}));
    EXPECT_EQ(stage.view().subject.problem, executed);
    stage.edit([](session::View& view) {
        view.speed_problem = {4000, 4000, 4000};
    }); // not measured: the nearest is shown
    stage.click_mark("speed_size.less");
    stage.frames(3);
    EXPECT_EQ(stage.view().speed_problem, (catalog::Problem{3072, 3072, 3072}));
}

TEST_F(Ladder, RungsOfAnotherArithmeticStandApart) {
    const auto gap = [&](const char* upper, const char* lower) {
        const ui::Mark above = stage.mark(upper), below = stage.mark(lower);
        return below.y - (above.y + above.height);
    };
    EXPECT_NEAR(gap("rung.persistent", "rung.champion"), 0, 1);
    stage.edit([](session::View& view) { view.open_families.insert("tensor"); });
    stage.frames(3);
    EXPECT_GT(gap("rung.tensor_tf32", "rung.tensor_bf16"), 10) << "a heading";
}

// The bars and the points are those of one family, and the baseline's.
TEST_F(Ladder, PlotsKeepToTheFamilyAndTheBaseline) {
    stage.show(ui::draw_plot);
    stage.resize(900, 600);
    stage.edit([](session::View& view) {
        view.plot_tab = session::PlotTab::ladder;
        view.subject.kernel = "bits_first";
    });
    stage.frames(3);
    EXPECT_TRUE(shows("plot.rung.bits_second"));
    EXPECT_FALSE(shows("plot.rung.naive"));
    stage.edit([](session::View& view) { view.baseline.emplace().kernel = "naive"; });
    stage.frames(3);
    EXPECT_TRUE(shows("plot.rung.naive"));
    EXPECT_FALSE(shows("plot.rung.double_buffer"));
}

} // namespace
