// An exercise solved in the window: started from its page, written in the editor, judged, handed in and opened by a teacher.
#include "stage.h"

#include "base/file.h"
#include "compile/compiler.h"
#include "exercise/hand_in.h"
#include "ui/window/frame.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <imgui_internal.h>

#include <unistd.h>

namespace {

namespace fs = std::filesystem;
using ui::Page;

class Workbench : public testing::Test {
protected:
    Workbench() : folder_(fs::path(testing::TempDir()) / ("gemmscope_workbench" + std::to_string(::getpid()))) {
        fs::remove_all(folder_);
        fs::create_directories(folder_ / "own");
    }
    ~Workbench() override { fs::remove_all(folder_); }
    void SetUp() override {
        if (!compile::availability().found || !compile::assembler().found) GTEST_SKIP() << "no compiler";
        open();
    }
    void open(const session::View& view = view_of("naive")) {
        stage_ = std::make_unique<Stage>(view, std::vector{kernel_folder(), folder_ / "own"});
        stage_->resize(1600, 900);
        stage_->show_as_it_is([](ui::Context& context) { ui::draw_window(context); });
        stage_->gui().editor().open({folder_ / "own", kernel_folder()}, {});
        stage_->gui().workbench().open({{fs::path(SOURCE_DIR) / "assets" / "exercises"},
                                        folder_ / "answers.jsonl",
                                        folder_ / "hand_ins",
                                        "s1234"});
        stage_->tell();
    }
    void judge() { // until the verdict is that on what is shown
        for (int i = 0; i < 4; ++i) {
            stage_->tell();
            stage_->gui().workbench().wait();
            stage_->gui().workbench().update();
        }
        stage_->frames(2);
    }
    const exercise::Verdict& verdict() {
        judge();
        EXPECT_TRUE(stage_->gui().workbench().verdict());
        static const exercise::Verdict none;
        return stage_->gui().workbench().verdict() ? *stage_->gui().workbench().verdict() : none;
    }
    void start() {
        stage_->type({{GLFW_KEY_F2}});
        stage_->frames(2);
        stage_->click_mark("start.exercises");
        stage_->click_mark("exercise.coalesced");
        judge();
    }
    // As another program would write it; the session reads it when it is opened.
    void write(const std::string& name) {
        const auto text =
            base::read_file(fs::path(SOURCE_DIR) / "tests" / "data" / "exercises" / "coalesced" / (name + ".cu"));
        ASSERT_TRUE(text);
        ASSERT_TRUE(base::write_file(folder_ / "own" / "coalesced.cu", *text));
        stage_->gui().chrome().dropped = {folder_ / "own" / "coalesced.cu"};
        judge();
    }

    fs::path folder_;
    std::unique_ptr<Stage> stage_;
};

TEST_F(Workbench, AnExerciseBeginsWithItsStarterAndItsVerdict) {
    start();
    EXPECT_EQ(stage_->view().course.exercise, "coalesced");
    EXPECT_EQ(stage_->view().subject.kernel, "coalesced");
    EXPECT_EQ(stage_->gui().chrome().page, Page::none);
    EXPECT_TRUE(fs::exists(folder_ / "own" / "coalesced.cu"));
    EXPECT_FALSE(verdict().passed());
    EXPECT_TRUE(stage_->has_mark("panel.exercise"));
    EXPECT_FALSE(stage_->has_mark("panel.ladder"));
    stage_->expect_no_missing_text();
}

TEST_F(Workbench, TheFirstThingToLookAtIsShownWhereItIs) {
    start();
    stage_->edit([](session::View& view) {
        view.subject.parameters["BX"] = 32; // not what is judged
        view.middle_tab = session::MiddleTab::result;
        view.layout.code_panel = false;
    });
    judge();
    stage_->click_mark("exercise.see");
    judge();
    const exercise::Judged* first = verdict().first();
    ASSERT_TRUE(first && first->look && first->look->size);
    const session::View& view = stage_->view();
    EXPECT_EQ(view.subject.problem, *first->look->size);
    EXPECT_EQ(view.subject.parameters.at("BX"), 16);
    EXPECT_TRUE(stage_->has_mark("panel.map")); // which the result had hidden
    const auto& products = stage_->session().products();
    ASSERT_FALSE(products.grid.value->findings.empty());
    const trace::Finding& found = products.grid.value->findings.front();
    EXPECT_EQ(view.selection.block, found.block);
    EXPECT_EQ(products.block.value->trace.events[view.selection.event].pc, found.pc);
    const auto& text = stage_->gui().editor().document()->text;
    EXPECT_EQ(static_cast<int>(text.place_of(text.cursor()).line) + 1, first->look->line);
}

// A letter that a font does not have is drawn as "?", which would say "not judged".
TEST_F(Workbench, ItsSignsAreInTheFontsOfBothLanguages) {
    for (const auto language : {session::Language::en, session::Language::zh}) {
        stage_->edit([&](session::View& view) { view.language = language; });
        stage_->frames(2);
        const ui::Strings& tr = stage_->gui().strings();
        for (const char* sign : {"exercise.sign_passed", "exercise.sign_failed", "exercise.sign_waiting"}) {
            unsigned code = 0;
            ASSERT_GT(ImTextCharFromUtf8(&code, tr(sign), nullptr), 0);
            EXPECT_NE(stage_->gui().style().text->FindGlyphNoFallback(static_cast<ImWchar>(code)), nullptr) << sign;
        }
    }
}

TEST_F(Workbench, ASolutionPassesAndIsHandedIn) {
    start();
    write("wrong_beta_forgotten");
    EXPECT_FALSE(verdict().passed());
    write("reference");
    EXPECT_TRUE(verdict().passed());
    stage_->click_mark("exercise.hand_in");
    stage_->frames(2);
    const auto files = exercise::hand_ins_in(folder_ / "hand_ins");
    ASSERT_EQ(files.size(), 1u);
    const auto work = exercise::read_hand_in(files[0]);
    ASSERT_TRUE(work) << work.error().sentence();
    EXPECT_EQ(work->student, "s1234");
    EXPECT_EQ(work->sources.count("coalesced.cu"), 1u);
    EXPECT_TRUE(session::view_from_json(work->view));
}

TEST_F(Workbench, ATeacherOpensAHandIn) {
    exercise::HandIn work;
    work.student = "s77";
    work.sources["coalesced.cu"] =
        *base::read_file(fs::path(SOURCE_DIR) / "tests/data/exercises/coalesced/reference.cu");
    session::View looked;
    looked.subject.kernel = "coalesced";
    looked.subject.problem = {64, 64, 32};
    looked.course.exercise = "coalesced";
    work.view = session::to_json(looked);
    ASSERT_TRUE(exercise::stamp(work, folder_ / "none"));
    ASSERT_TRUE(exercise::write_hand_in(folder_ / "s77.gemm", work));
    stage_->gui().chrome().dropped = {folder_ / "s77.gemm"};
    judge();
    const std::string opened =
        stage_->view().subject.kernel; // its time is in the name: the same student may hand in again
    EXPECT_TRUE(opened.starts_with("coalesced_s77_")) << opened;
    EXPECT_FALSE(stage_->gui().editor().focused());
    EXPECT_EQ(stage_->view().course.exercise, "coalesced");
    EXPECT_TRUE(verdict().passed());
    ASSERT_TRUE(base::write_file(folder_ / "damaged.gemm", "{}"));
    stage_->gui().chrome().dropped = {folder_ / "damaged.gemm"};
    stage_->frames(2);
    ASSERT_FALSE(stage_->gui().chrome().notices.empty());
    EXPECT_EQ(stage_->view().subject.kernel, opened);
    work.time = "2026-11-25T09:30:00Z";
    work.sources["coalesced.cu"] =
        *base::read_file(fs::path(SOURCE_DIR) / "tests/data/exercises/coalesced/wrong_beta_forgotten.cu");
    ASSERT_TRUE(exercise::write_hand_in(folder_ / "s77.gemm", work));
    stage_->gui().chrome().dropped = {folder_ / "s77.gemm"};
    judge();
    EXPECT_FALSE(verdict().passed());
}

TEST_F(Workbench, AnotherKernelMayBeLookedAtAndWorkGoesOn) {
    start();
    write("reference");
    stage_->edit([](session::View& view) { view.subject.kernel = "naive", view.subject.parameters.clear(); });
    judge();
    EXPECT_TRUE(verdict().passed()); // of the student's kernel all the same
    stage_->click_mark("exercise.back");
    judge();
    EXPECT_EQ(stage_->view().subject.kernel, "coalesced");
    stage_->click_mark("exercise.leave");
    stage_->frames(2);
    EXPECT_TRUE(stage_->view().course.exercise.empty());
    EXPECT_TRUE(stage_->has_mark("panel.ladder"));
    start(); // goes on where it was
    EXPECT_TRUE(verdict().passed());
}

} // namespace
