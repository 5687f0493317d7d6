// The stage and the pages: what a clicker, a double click and a wrong answer do.
#include "stage.h"

#include "session/recent_files.h"
#include "session/view_fields.h"
#include "ui/course/stage.h"
#include "ui/window/frame.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <fstream>
#include <set>

namespace ui {
namespace {

namespace fs = std::filesystem;

const fs::path fourth_lesson = fs::path(SOURCE_DIR) / "assets/lessons/04_bank_conflicts.md";

std::unique_ptr<Stage> window(const session::View& view = view_of("shared_tile")) {
    auto stage = std::make_unique<Stage>(view);
    stage->show_as_it_is([](Context& context) { draw_window(context); });
    stage->resize(1280, 720);
    stage->settle();
    stage->frames(3);
    return stage;
}

const session::View& view(const std::unique_ptr<Stage>& stage) { return stage->view(); }

TEST(OnStage, F5ShowsTheViewOfTheMiddleAndEscLeaves) {
    const auto stage = window();
    stage->type({{GLFW_KEY_F5}});
    EXPECT_TRUE(view(stage).stage.shown);
    EXPECT_EQ(view(stage).stage.first, "banks");
    stage->type({{'3'}});
    EXPECT_EQ(view(stage).stage.first, "timeline");
    stage->type({{GLFW_KEY_ESCAPE}});
    EXPECT_FALSE(view(stage).stage.shown);
    EXPECT_EQ(view(stage).middle_tab, session::MiddleTab::timeline);
}

TEST(OnStage, TypeIsReadFromTheLastRow) {
    const auto stage = window();
    stage->type({{GLFW_KEY_F5}});
    stage->frames(2);
    const Style& style = stage->gui().style();
    for (const ImFont* font : {style.text, style.mono, style.heading}) EXPECT_GE(font->FontSize, 20);
    EXPECT_GE(style.caption->FontSize, 26);
    EXPECT_GE(style.poster->FontSize, 72);
}

TEST(OnStage, ADoubleClickOnAHeadingPutsItsViewThere) {
    const auto stage = window();
    stage->resize(1600, 900);
    stage->frames(3);
    for (const auto& [panel, id] : {std::pair("panel.map", "map"), std::pair("panel.code", "source")}) {
        const Mark mark = stage->mark(panel);
        const ImVec2 heading{mark.x + mark.width / 2, mark.y + 12};
        stage->click(heading), stage->click(heading);
        EXPECT_TRUE(view(stage).stage.shown) << panel;
        EXPECT_EQ(view(stage).stage.first, id);
        stage->type({{GLFW_KEY_F5}});
        stage->frames(30); // the next two clicks are not four
    }
}

TEST(OnStage, AClickerWalksTheLadderAndBlanksTheScreen) {
    const auto stage = window();
    stage->type({{GLFW_KEY_F5}});
    stage->type({{GLFW_KEY_PAGE_DOWN}});
    const std::string next = view(stage).subject.kernel;
    EXPECT_EQ(next, stage->session().catalog().beside("shared_tile", 1)->id);
    stage->type({{GLFW_KEY_PAGE_UP}});
    EXPECT_EQ(view(stage).subject.kernel, "shared_tile");
    for (const auto& [key, colour] : {std::pair('B', Blank::black), std::pair('W', Blank::white)}) {
        stage->type({{key}});
        EXPECT_EQ(stage->gui().chrome().blank, colour);
        stage->type({{GLFW_KEY_PAGE_DOWN}}); // shows it again, and nothing else
        EXPECT_EQ(stage->gui().chrome().blank, Blank::none);
        EXPECT_EQ(view(stage).subject.kernel, "shared_tile");
    }
}

TEST(OnStage, EveryViewDrawsAtEverySizeInBothLanguages) {
    session::View first = view_of("conflict_free", {128, 128, 32});
    first.stage.shown = true;
    const auto stage = window(first);
    for (const ImVec2 size : {ImVec2{1280, 720}, ImVec2{1024, 768}, ImVec2{320, 200}, ImVec2{2560, 1440}}) {
        stage->resize(size.x, size.y);
        for (const auto language : {session::Language::en, session::Language::zh})
            for (const PanelRow& row : panels()) {
                SCOPED_TRACE(row.id);
                const bool beside = &row == find_panel("map"); // two views, once
                stage->edit([&](session::View& v) {
                    v.stage = {true, row.id, beside ? "banks" : ""};
                    v.language = language;
                });
                stage->frames(2);
                EXPECT_GT(ImGui::GetDrawData()->TotalVtxCount, 100);
            }
    }
    stage->expect_no_missing_text();
}

TEST(OnStage, TheSliderSetsTheParameter) {
    const auto stage = window();
    stage->type({{GLFW_KEY_F5}});
    stage->frames(3);
    const Mark track = stage->mark("slider.TILE");
    stage->click({track.x + 1, track.y + track.height / 3});
    EXPECT_EQ(view(stage).subject.parameters.at("TILE"), 8);
}

struct Lesson : testing::Test {
    std::unique_ptr<Stage> stage = window(view_of("naive"));
    fs::path answers = fs::path(testing::TempDir()) / (std::string("gemmscope_answers_") +
                                                       testing::UnitTest::GetInstance()->current_test_info()->name());

    Lesson() {
        fs::remove(answers);
        stage->open_lessons(answers);
        stage->gui().chrome().dropped = {fourth_lesson};
        stage->tell();
    }
    void turn_to(const std::string& id) {
        const auto lesson = stage->gui().classroom().lessons()->find("04_bank_conflicts");
        for (size_t i = 0; i < lesson->steps.size() && lesson->steps[view(stage).course.step].id != id; ++i)
            stage->type({{GLFW_KEY_PAGE_DOWN}});
        stage->tell();
    }
};

TEST_F(Lesson, BeginsWithItsFirstStepAtItsMoment) {
    EXPECT_TRUE(view(stage).stage.shown);
    EXPECT_EQ(view(stage).course, (session::Course{"04_bank_conflicts", 0, {}, {}}));
    EXPECT_EQ(view(stage).subject.kernel, "shared_tile");
    ASSERT_TRUE(stage->gui().classroom().told());
    EXPECT_EQ(view(stage).selection.event, stage->gui().classroom().told()->event);
    EXPECT_EQ(stage->gui().classroom().told()->number->text, "32");
    EXPECT_FALSE(stage->gui().classroom().away(stage->session()));
}

TEST_F(Lesson, IsLeftAndComeBackToWithOneKey) {
    turn_to("sixteen");
    const session::View there = view(stage);
    stage->edit([](session::View& v) { v.subject.kernel = "naive"; });
    stage->type({{GLFW_KEY_ESCAPE}});
    stage->tell();
    EXPECT_FALSE(view(stage).stage.shown);
    EXPECT_TRUE(stage->gui().classroom().away(stage->session()));
    stage->type({{GLFW_KEY_BACKSPACE}});
    stage->tell();
    EXPECT_EQ(view(stage).subject, there.subject);
    EXPECT_EQ(view(stage).stage, there.stage);
    EXPECT_EQ(view(stage).selection, there.selection);
}

TEST_F(Lesson, AWrongAnswerMayBeMendedAndBothAreKept) {
    turn_to("sixteen");
    const Prediction& prediction = stage->gui().classroom().prediction();
    EXPECT_FALSE(stage->has_mark("slider.TILE")) << "it would tell";
    EXPECT_FALSE(stage->has_mark("stage.speed"));
    EXPECT_FALSE(stage->gui().classroom().shows_what_was_asked());
    stage->type({{GLFW_KEY_ENTER}});
    EXPECT_FALSE(stage->gui().chrome().notices.empty()) << "nothing was predicted";
    stage->type({{'A'}}), stage->type({{GLFW_KEY_ENTER}});
    EXPECT_EQ(prediction.state, Prediction::State::wrong);
    EXPECT_FALSE(view(stage).subject.parameters.contains("TILE") && view(stage).subject.parameters.at("TILE") == 16);
    stage->type({{'C'}}), stage->type({{GLFW_KEY_ENTER}});
    EXPECT_EQ(prediction.state, Prediction::State::right);
    stage->tell();
    EXPECT_EQ(view(stage).subject.parameters.at("TILE"), 16) << "what was asked about is shown";
    EXPECT_TRUE(stage->has_mark("slider.TILE"));
    EXPECT_TRUE(stage->gui().classroom().shows_what_was_asked()) << "and the number beside it is of that";
    stage->edit([](session::View& v) { v.subject.parameters["TILE"] = 8; });
    stage->tell();
    EXPECT_FALSE(stage->gui().classroom().shows_what_was_asked()) << "the reader has moved the slider";
    const auto kept = lesson::read_answers(answers);
    ASSERT_TRUE(kept.ok());
    ASSERT_EQ(kept->given.size(), 2u);
    EXPECT_FALSE(kept->given[0].right);
    EXPECT_TRUE(kept->given[1].right);
    stage->type({{GLFW_KEY_PAGE_DOWN}});
    EXPECT_EQ(prediction.state, Prediction::State::open) << "of the next step";
}

TEST_F(Lesson, NoKeyShowsWhatIsAskedAboutBeforeThePrediction) {
    turn_to("two_words");
    const session::View asked = view(stage);
    for (const int key : std::array<int, 4>{'H', 'T', GLFW_KEY_DOWN, GLFW_KEY_BACKSPACE}) {
        stage->gui().chrome().notices.clear();
        stage->type({{key}});
        EXPECT_EQ(view(stage).subject, asked.subject) << key;
        EXPECT_EQ(view(stage).table, asked.table) << key;
        EXPECT_EQ(view(stage).course, asked.course) << key;
    }
    stage->type({{'3'}}), stage->type({{GLFW_KEY_BACKSPACE}});
    EXPECT_EQ(stage->gui().classroom().prediction().digits, "");
    stage->type({{GLFW_KEY_PAGE_DOWN}});
    EXPECT_NE(view(stage).course, asked.course) << "pages are turned all the same";
}

TEST_F(Lesson, IsTurnedWithTheMouse) {
    stage->frames(2);
    stage->click_mark("stage.next");
    EXPECT_EQ(view(stage).course.step, 1u);
    stage->frames(2);
    stage->click_mark("stage.back");
    EXPECT_EQ(view(stage).course.step, 0u);
}

TEST_F(Lesson, ASecondEnterAfterAWrongAnswerTellsIt) {
    turn_to("sixteen");
    stage->type({{'B'}}), stage->type({{GLFW_KEY_ENTER}}), stage->type({{GLFW_KEY_ENTER}});
    EXPECT_EQ(stage->gui().classroom().prediction().state, Prediction::State::told);
}

TEST_F(Lesson, GoesOnBehindItsLastStep) {
    for (int i = 0; i < 200; ++i) stage->type({{GLFW_KEY_PAGE_DOWN}}); // through every lesson
    const auto& all = stage->gui().classroom().lessons()->lessons;
    EXPECT_EQ(view(stage).course.lesson, all.back()->id);
    EXPECT_EQ(view(stage).course.step + 1, all.back()->steps.size());
    for (int i = 0; i < 200; ++i) stage->type({{GLFW_KEY_PAGE_UP}});
    EXPECT_EQ(view(stage).course, (session::Course{all.front()->id, 0, {}, {}}));
}

// Two students' answers to the step "sixteen", and a file that holds none.
struct OfTheClass : Lesson {
    fs::path folder = answers.string() + "_class";
    OfTheClass() {
        fs::remove_all(folder);
        for (const auto& [name, item] : {std::pair("ann", 2u), std::pair("bob", 3u)})
            EXPECT_TRUE(lesson::append(folder / name / "answers.jsonl", {"04_bank_conflicts",
                                                                         "sixteen",
                                                                         {{"TILE", 16}},
                                                                         {0, {item}, 0, {}},
                                                                         true,
                                                                         "2026-11-23T20:54:49Z",
                                                                         lesson::Question::Kind::choice,
                                                                         "shared_tile"}));
        fs::create_directories(folder / "cy");
        std::ofstream(folder / "cy" / "answers.jsonl") << "damaged\n";
    }
    ~OfTheClass() override { fs::remove_all(folder); }
    float length(int bar) { return stage->mark("class.bar." + std::to_string(bar)).width; }
};

TEST_F(OfTheClass, ADroppedFolderShowsTheirAnswersWithAKeyAndTheRightOneWithTheNext) {
    turn_to("sixteen");
    stage->type({{'V'}});
    EXPECT_FALSE(stage->has_mark("stage.class")) << "there is no class yet";
    stage->gui().chrome().notices.clear();
    stage->gui().chrome().dropped = {folder};
    stage->tell();
    ASSERT_EQ(stage->gui().chrome().notices.size(), 2u);
    EXPECT_NE(stage->gui().chrome().notices[0].text.find("cy"), std::string::npos) << "is named and left out";
    Classroom& room = stage->gui().classroom();
    EXPECT_EQ(room.students(), 2u);
    EXPECT_EQ(view(stage).course.lesson, "04_bank_conflicts") << "the lesson goes on";
    EXPECT_FALSE(stage->has_mark("stage.class")) << "hidden until the teacher asks";
    stage->type({{'V'}});
    stage->frames(2);
    EXPECT_EQ(room.class_shown(), ClassShown::answers);
    EXPECT_TRUE(stage->has_mark("stage.class"));
    EXPECT_FALSE(stage->has_mark("stage.first")) << "in place of the view";
    EXPECT_EQ(length(2), length(3));
    EXPECT_GT(length(2), 10 * length(0));
    EXPECT_EQ(room.prediction().state, Prediction::State::open) << "nothing is answered by it";
    stage->type({{'V'}});
    EXPECT_EQ(room.class_shown(), ClassShown::right_answer);
    stage->type({{'V'}});
    stage->frames(2);
    EXPECT_TRUE(stage->has_mark("stage.first"));
    stage->click_mark("lesson.class");
    EXPECT_EQ(room.class_shown(), ClassShown::answers);
    stage->type({{GLFW_KEY_PAGE_DOWN}});
    EXPECT_EQ(room.class_shown(), ClassShown::nothing) << "of the next step";
    stage->expect_no_missing_text();
}

TEST_F(OfTheClass, TheRightAnswerIsMarkedAtOnceWhereItHasBeenTold) {
    stage->gui().chrome().class_files = {folder};
    turn_to("sixteen");
    stage->type({{'B'}}), stage->type({{GLFW_KEY_ENTER}}), stage->type({{GLFW_KEY_ENTER}}), stage->type({{'V'}});
    EXPECT_EQ(stage->gui().classroom().class_shown(), ClassShown::right_answer);
}

TEST_F(OfTheClass, IsOpenedFromThePageOfFilesAsAWhole) {
    for (const char* name : {"ann", "bob"})
        fs::rename(folder / name / "answers.jsonl", folder / (std::string(name) + ".jsonl"));
    stage->gui().chrome().folder = folder;
    stage->gui().chrome().recent_files = folder / "recent";
    stage->gui().chrome().page = Page::files;
    stage->frames(3);
    stage->click_mark("file.class");
    EXPECT_EQ(stage->gui().classroom().students(), 2u);
    EXPECT_EQ(stage->gui().chrome().page, Page::none);
    EXPECT_TRUE(session::recent_files(folder / "recent").empty()) << "the students' files are their own";
}

TEST_F(OfTheClass, EveryKindOfQuestionIsDrawn) {
    stage->gui().chrome().class_files = {folder};
    for (const char* id : {"sixteen", "neighbours", "two_words", "sort"}) {
        turn_to(id);
        stage->type({{'V'}});
        stage->frames(2);
        const bool tells = id == std::string("two_words") || id == std::string("sort");
        EXPECT_EQ(stage->has_mark("class.bar.0"), !tells) << id << ": nobody has given the right answer";
        stage->type({{'V'}});
        stage->frames(2);
        EXPECT_TRUE(stage->has_mark("class.bar.0")) << id;
        EXPECT_EQ(stage->gui().classroom().votes()->missing(), id == std::string("sixteen") ? 0u : 2u);
    }
}

TEST(StartPage, ExploringBeginsAtTheFirstRungWithItsSectors) {
    const auto stage = window();
    stage->gui().chrome().page = Page::start;
    stage->open_lessons();
    stage->frames(3);
    stage->type({{GLFW_KEY_RIGHT}}), stage->type({{GLFW_KEY_ENTER}});
    stage->tell();
    EXPECT_EQ(stage->gui().chrome().page, Page::none);
    EXPECT_EQ(view(stage).subject.kernel, "naive_uncoalesced");
    EXPECT_EQ(view(stage).middle_tab, session::MiddleTab::sectors);
    const trace::Trace& trace = stage->trace();
    const trace::Event& shown = trace.events.at(view(stage).selection.event);
    ASSERT_LT(shown.access, trace.accesses.size());
    std::set<uint64_t> sectors;
    for (const uint64_t address : trace.accesses[shown.access]) sectors.insert(address / 32);
    EXPECT_EQ(sectors.size(), 32u) << "one for each lane";
    stage->expect_no_missing_text();
}

TEST(StartPage, ExploringTakesAPlantedMistakeAwayAndSaysWhetherCIsRight) {
    const auto stage = window();
    stage->edit([](session::View& v) { v.subject.breaks = {"no_second_barrier"}; });
    stage->settle();
    stage->type({{GLFW_KEY_F2}}), stage->type({{GLFW_KEY_RIGHT}}), stage->type({{GLFW_KEY_ENTER}});
    stage->settle();
    EXPECT_TRUE(view(stage).subject.breaks.empty());
    EXPECT_FALSE(stage->session().products().prepared.failed);
    EXPECT_FALSE(view(stage).layout.numbers);
    stage->click_mark("numbers.line");
    EXPECT_TRUE(view(stage).layout.numbers) << "is one click away";
}

TEST(StartPage, ShowsTheLadderWhateverWasLookedAt) {
    const auto stage = window(view_of("add_one"));
    stage->open_lessons();
    stage->type({{GLFW_KEY_F2}});
    stage->frames(3);
    EXPECT_TRUE(stage->has_mark("plot.rung.naive"));
    EXPECT_FALSE(stage->has_mark("plot.rung.add_one"));
}

TEST(StartPage, ExploringLeavesTheStageAndTheLesson) {
    const auto stage = window();
    stage->open_lessons();
    stage->gui().chrome().dropped = {fourth_lesson};
    stage->tell();
    ASSERT_TRUE(view(stage).stage.shown);
    stage->type({{GLFW_KEY_F2}}), stage->type({{GLFW_KEY_RIGHT}}), stage->type({{GLFW_KEY_ENTER}});
    stage->tell();
    EXPECT_FALSE(view(stage).stage.shown);
    EXPECT_EQ(view(stage).course, session::Course{});
}

TEST(StartPage, TheCourseListsEveryLessonAndStartsOne) {
    const auto stage = window();
    stage->open_lessons();
    stage->type({{GLFW_KEY_F2}});
    stage->frames(2);
    stage->click_mark("start.course");
    for (const auto& lesson : stage->gui().classroom().lessons()->lessons)
        EXPECT_TRUE(stage->has_mark("lesson." + lesson->id)) << lesson->id;
    stage->click_mark("lesson.04_bank_conflicts");
    stage->tell();
    EXPECT_EQ(view(stage).course.lesson, "04_bank_conflicts");
}

TEST(StartPage, AFileIsOpenedFromItsFolder) {
    const fs::path folder = fs::path(testing::TempDir()) / "gemmscope_files";
    fs::remove_all(folder);
    fs::create_directories(folder / "deep");
    fs::copy_file(kernel_folder() / "naive.cu", folder / "deep" / "naive.cu");
    std::ofstream(folder / "notes.txt") << "not a kernel";
    const auto stage = window();
    stage->open_lessons();
    stage->gui().chrome().folder = folder;
    stage->gui().chrome().recent_files = folder / "recent"; // not the developer's own
    stage->gui().chrome().page = Page::files;
    stage->frames(3);
    EXPECT_FALSE(stage->has_mark("file.notes.txt"));
    stage->click_mark("file.deep");
    stage->click_mark("file.naive.cu");
    stage->tell();
    EXPECT_EQ(view(stage).subject.kernel, "naive");
    EXPECT_EQ(stage->session().kernel()->path, (folder / "deep" / "naive.cu").string());
    EXPECT_EQ(session::recent_files(folder / "recent"), std::vector{folder / "deep" / "naive.cu"});
}

TEST(RecentFiles, TheLatestIsFirstAndWhatIsGoneIsLeftOut) {
    const fs::path folder = fs::path(testing::TempDir()) / "gemmscope_recent";
    fs::remove_all(folder);
    fs::create_directories(folder);
    const fs::path list = folder / "recent";
    EXPECT_TRUE(session::recent_files(list).empty());
    for (int i = 0; i < 12; ++i) {
        const fs::path file = folder / (std::to_string(i) + ".cu");
        std::ofstream(file) << "x";
        ASSERT_TRUE(session::remember_file(list, file).ok());
    }
    ASSERT_TRUE(session::remember_file(list, folder / "7.cu").ok());
    fs::remove(folder / "10.cu");
    const auto files = session::recent_files(list);
    ASSERT_EQ(files.size(), session::most_recent_files - 1);
    EXPECT_EQ(files[0].filename(), "7.cu");
    EXPECT_EQ(files[1].filename(), "11.cu");
    EXPECT_EQ(files[2].filename(), "9.cu");
    std::ofstream(list) << std::string(1 << 20, '\n');
    EXPECT_TRUE(session::recent_files(list).empty()) << "no list of ours is so large";
}

} // namespace
} // namespace ui
