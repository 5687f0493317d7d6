// A class's answers as they come: folders, damaged files, other files beside them; and what is counted of them for one question.
#include "fixture.h"

#include "lesson/class_files.h"
#include "lesson/votes.h"

#include <fstream>

namespace {

namespace fs = std::filesystem;
using lesson::Answer;
using lesson::Given;
using lesson::Votes;
using Kind = lesson::Question::Kind;

class HandedIn : public testing::Test {
protected:
    void SetUp() override {
        folder = fs::path(testing::TempDir()) /
                 (std::string("gemmscope_class_") + testing::UnitTest::GetInstance()->current_test_info()->name());
        fs::remove_all(folder);
    }
    void TearDown() override { fs::remove_all(folder); }

    fs::path file(const std::string& name, const std::string& text) const {
        fs::create_directories((folder / name).parent_path());
        std::ofstream(folder / name, std::ios::binary) << text;
        return folder / name;
    }
    fs::path answers(const std::string& name) const {
        fs::create_directories((folder / name).parent_path());
        const Given given{"04_bank_conflicts",    "sixteen",    {{"TILE", 16}}, {0, {2}, 0, {}}, true,
                          "2026-11-23T20:54:49Z", Kind::choice, "shared_tile"};
        EXPECT_TRUE(append(folder / name, given));
        return folder / name;
    }

    fs::path folder;
};

TEST_F(HandedIn, AnswersAreKnownByWhatTheySayAndOtherFilesAreNot) {
    EXPECT_TRUE(lesson::holds_answers(answers("renamed by a platform.txt")));
    EXPECT_TRUE(lesson::holds_answers(file("damaged.jsonl", "damaged")));
    EXPECT_FALSE(lesson::holds_answers(file("view.json", "{\"view\": 1}\n")));
    EXPECT_FALSE(lesson::holds_answers(file("tuned.toml", "TILE = 16\n")));
    EXPECT_FALSE(lesson::holds_answers(file("zeros.bin", std::string(1 << 20, '\0'))));
    EXPECT_FALSE(lesson::holds_answers(folder / "missing"));
    EXPECT_TRUE(lesson::holds_answers(folder)) << "one is among them";
    file("else/view.json", "{}");
    EXPECT_FALSE(lesson::holds_answers(folder / "else"));
    EXPECT_FALSE(lesson::holds_answers("/dev/zero"));
}

TEST_F(HandedIn, AFolderOfFoldersIsAClassAndWhatIsDamagedIsNamed) {
    answers("ann/answers.jsonl"), answers("bob/answers.jsonl");
    file("cy/answers.jsonl", "");               // has answered nothing
    file("dan/answers.jsonl", "no, damaged\n"); // is named
    file("dan/readme.md", "# nothing\n");       // is none of it
    answers(".hidden/answers.jsonl");
    answers("a/b/c/d/answers.jsonl"); // too deep
    const auto all = lesson::read_class({folder, folder / "ann/answers.jsonl", folder / "missing.jsonl"});
    EXPECT_EQ(all.students.size(), 3u) << "ann once";
    ASSERT_EQ(all.left_out.size(), 2u) << fixture::sentences(all.left_out);
    EXPECT_NE(all.left_out[0].where.find("dan"), std::string::npos);
    EXPECT_NE(all.left_out[1].sentence().find("there is no such file"), std::string::npos);
    fs::create_directories(folder / "empty");
    EXPECT_EQ(lesson::read_class({folder / "empty"}).left_out.size(), 1u);
}

TEST_F(HandedIn, FilesAreBounded) {
    answers("ann.jsonl");
    file("large.jsonl", "x");
    fs::resize_file(folder / "large.jsonl", uintmax_t{17} << 20);
    const auto all = lesson::read_class({folder});
    EXPECT_EQ(all.students.size(), 1u);
    ASSERT_EQ(all.left_out.size(), 1u);
    EXPECT_NE(all.left_out[0].sentence().find("large.jsonl"), std::string::npos);
}

class Voted : public testing::Test {
protected:
    lesson::Step step;
    lesson::ToldQuestion told;
    std::vector<lesson::Answers> students;

    void ask(Kind kind) {
        step.id = "s";
        step.question.emplace();
        step.question->kind = kind;
        step.question->subject.kernel = "naive";
    }
    void answer(const std::vector<Answer>& of_student) {
        lesson::Answers all;
        for (const Answer& one : of_student)
            all.given.push_back({"l", "s", {}, one, false, "2026-11-23T20:54:49Z", step.question->kind, "naive"});
        students.push_back(all);
    }
    Votes votes() const { return lesson::votes(students, "l", step, told); }
};

TEST_F(Voted, OfNumbersAscendingWithTheRightOneAndTheRestTogether) {
    ask(Kind::number);
    told.answer.number = 8;
    for (int i = 20; i < 40; ++i) answer({{double(i), {}, 0, {}}});
    answer({{4, {}, 0, {}}, {8, {}, 0, {}}}), answer({{4, {}, 0, {}}});
    students.push_back({}); // has answered nothing
    const Votes all = votes();
    EXPECT_EQ(all.students, 23u);
    EXPECT_EQ(all.missing(), 1u);
    EXPECT_EQ(all.right, 0u);
    EXPECT_EQ(all.right_at_last, 1u);
    ASSERT_EQ(all.bars.size(), 9u);
    EXPECT_EQ(all.bars[0], (Votes::Bar{"4", 2, false}));
    EXPECT_EQ(all.bars[1], (Votes::Bar{"8", 0, true})) << "nobody's first answer, and yet there";
    EXPECT_EQ(all.bars[8], (Votes::Bar{"", 14, false}));
}

TEST_F(Voted, OfAChoiceABarForEachItem) {
    ask(Kind::choice);
    told.items.resize(3);
    told.answer.items = {1};
    answer({{0, {2}, 0, {}}}), answer({{0, {2}, 0, {}}}), answer({{0, {1}, 0, {}}}), answer({{0, {60}, 0, {}}});
    EXPECT_EQ(votes().bars, (std::vector<Votes::Bar>{{"A", 0, false}, {"B", 1, true}, {"C", 2, false}}));
    EXPECT_EQ(votes().right, 1u) << "the engine says so, whatever the file says";
}

TEST_F(Voted, OfLanesABarForEach) {
    ask(Kind::lane);
    told.answer.lanes = 0x80000002;
    answer({{0, {}, 2, {}}}), answer({{0, {}, 2, {}}}), answer({{0, {}, 4, {}}});
    const Votes all = votes();
    ASSERT_EQ(all.bars.size(), 32u);
    EXPECT_EQ(all.bars[1], (Votes::Bar{"1", 2, true}));
    EXPECT_EQ(all.bars[2], (Votes::Bar{"2", 1, false}));
    EXPECT_EQ(all.bars[31], (Votes::Bar{"31", 0, true}));
}

TEST_F(Voted, OfAnOrderTheMostGivenFirst) {
    ask(Kind::order);
    told.answer.items = {1, 0, 2};
    answer({{0, {0, 1, 2}, 0, {}}}), answer({{0, {0, 1, 2}, 0, {}}}), answer({{0, {1, 0, 2}, 0, {}}});
    EXPECT_EQ(votes().bars, (std::vector<Votes::Bar>{{"A, B, C", 2, false}, {"B, A, C", 1, true}}));
}

TEST_F(Voted, OfACurveTheLinesAndHowManyWereClose) {
    ask(Kind::curve);
    told.answer.curve = {{8, 10}, {16, 20}};
    answer({{0, {}, 0, {{8, 11}, {16, 19}}}}), answer({{0, {}, 0, {{8, 1}, {16, 2}}}});
    const Votes all = votes();
    ASSERT_EQ(all.bars.size(), 2u);
    EXPECT_EQ(all.bars[0].students, 1u);
    EXPECT_EQ(all.bars[1].students, 1u);
    EXPECT_EQ(all.curves.size(), 2u);
}

TEST_F(Voted, AnswersToAnotherSettingAreNone) {
    ask(Kind::number);
    told.answer.number = 8;
    answer({{8, {}, 0, {}}});
    students[0].given[0].parameters["TILE"] = 8;
    EXPECT_EQ(votes().answered, 0u);
    EXPECT_EQ(votes().missing(), 1u);
}

} // namespace
