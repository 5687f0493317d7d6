// What students answered: kept line by line, read whatever has happened to the file, shown as a class, exported as questions.
#include "fixture.h"

#include "lesson/answers.h"
#include "lesson/class_answers.h"
#include "lesson/markup.h"
#include "lesson/quiz.h"

#include <cstdio>
#include <fstream>
#include <numeric>
#include <regex>
#include <set>
#include <sys/stat.h>

namespace {

using lesson::Answer;
using lesson::Given;
using Kind = lesson::Question::Kind;
using session::Language;

class AnswerFile : public testing::Test {
protected:
    void SetUp() override {
        folder = std::filesystem::temp_directory_path() /
                 (std::string("gemmscope_answers_") + testing::UnitTest::GetInstance()->current_test_info()->name());
        std::filesystem::remove_all(folder);
    }
    void TearDown() override { std::filesystem::remove_all(folder); }

    static Given given(const std::string& step, Answer answer, bool right, Kind kind = Kind::number) {
        return {"04_bank_conflicts",    step, {{"TILE", 16}}, std::move(answer), right,
                "2026-11-23T20:54:49Z", kind, "shared_tile"};
    }

    std::filesystem::path folder;
};

TEST_F(AnswerFile, KeepsWhatWasGiven) {
    const auto file = folder / "new" / "answers.jsonl";
    const std::vector<Given> all{given("a", {8.5, {}, 0, {}}, false), given("b", {0, {2}, 0, {}}, true, Kind::choice),
                                 given("c", {0, {}, 0x80000001, {}}, true, Kind::lane),
                                 given("d", {0, {1, 0, 2}, 0, {}}, true, Kind::order),
                                 given("e", {0, {}, 0, {{8, 1.5}, {16, 2.5}}}, true, Kind::curve)};
    for (const Given& one : all) ASSERT_TRUE(append(file, one));
    const auto read = lesson::read_answers(file);
    ASSERT_TRUE(read) << read.error().sentence();
    EXPECT_EQ(read->given, all);
    EXPECT_EQ(read->damaged, 0u);
    EXPECT_TRUE(lesson::read_answers(folder / "none")->given.empty());
    EXPECT_TRUE(std::regex_match(lesson::time_now(), std::regex("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ")));
}

TEST_F(AnswerFile, LosesOnlyTheLineThatIsDamaged) {
    const auto file = folder / "answers.jsonl";
    ASSERT_TRUE(append(file, given("a", {1, {}, 0, {}}, true)));
    std::ofstream(file, std::ios::app) << "{\"lesson\":\"04_ba"; // a crash
    ASSERT_TRUE(append(file, given("b", {2, {}, 0, {}}, true)));
    const auto read = lesson::read_answers(file);
    ASSERT_TRUE(read);
    ASSERT_EQ(read->given.size(), 2u);
    EXPECT_EQ(read->given[1].step, "b");
    EXPECT_EQ(read->damaged, 1u);
}

TEST_F(AnswerFile, BelievesNothing) {
    const auto file = folder / "answers.jsonl";
    ASSERT_TRUE(append(file, given("a", {1, {}, 0, {}}, true)));
    const auto text = base::read_file(file);
    ASSERT_TRUE(text);
    const std::string good = *text;
    const auto damaged = [&](const char* what, const char* by) {
        std::string other = good;
        other.replace(other.find(what), std::string(what).size(), by);
        return lesson::parse_answers(other).damaged;
    };
    EXPECT_EQ(damaged("true", "true"), 0u);
    EXPECT_EQ(damaged("true", "1"), 1u);
    EXPECT_EQ(damaged("\"a\"", "\"=cmd()\""), 1u);
    EXPECT_EQ(damaged("\"number\"", "\"guess\""), 1u);
    EXPECT_EQ(damaged("16", "1e300"), 1u);
    EXPECT_EQ(damaged("\"number\":1.0", "\"number\":\"1\""), 1u);
    EXPECT_EQ(damaged("\"number\":1.0", "\"lanes\":[32]"), 1u);
    EXPECT_EQ(damaged("\"number\":1.0", "\"curve\":[[1]]"), 1u);
    EXPECT_EQ(damaged("\"number\":1.0", "\"items\":[-1]"), 1u);
    EXPECT_EQ(lesson::parse_answers(std::string(100000, '[')).damaged, 1u);
    EXPECT_EQ(lesson::parse_answers("[]\nnull\n\n{}\n").damaged, 3u);
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "large").close();
    std::filesystem::resize_file(folder / "large", 17 << 20);
    EXPECT_FALSE(lesson::read_answers(folder / "large"));
    EXPECT_FALSE(append(folder / "large", given("a", {}, true)));
}

// Nobody reads what is written to it.
TEST_F(AnswerFile, APipeIsNotWaitedFor) {
    std::filesystem::create_directories(folder);
    ASSERT_EQ(::mkfifo((folder / "answers.jsonl").c_str(), 0600), 0);
    EXPECT_FALSE(lesson::read_answers(folder / "answers.jsonl"));
    EXPECT_FALSE(append(folder / "answers.jsonl", given("a", {}, true)));
}

TEST_F(AnswerFile, OfAClassIsAHistogramOfFirstAnswers) {
    const lesson::Lessons lessons = lesson::load({fixture::source_folder() / "assets" / "lessons"});
    lesson::Answers one, two, three;
    one.given = {given("sixteen", {0, {3}, 0, {}}, false, Kind::choice),
                 given("sixteen", {0, {2}, 0, {}}, true, Kind::choice)};
    two.given = {given("sixteen", {0, {2}, 0, {}}, true, Kind::choice), given("two_words", {2, {}, 0, {}}, true)};
    three.given = {given("sixteen", {0, {3}, 0, {}}, false, Kind::choice)};
    three.damaged = 1;
    Given of_another = given("sixteen", {0, {0}, 0, {}}, true, Kind::choice); // the reader had set another tile
    of_another.parameters["TILE"] = 8;
    three.given.push_back(of_another);
    const lesson::Class all = lesson::class_of({one, two, three}, lessons);
    EXPECT_EQ(all.students, 3u);
    EXPECT_EQ(all.damaged, 1u);
    ASSERT_EQ(all.questions.size(), 3u);
    EXPECT_NE(all.questions[0].title.en.find("TILE = 8?"), std::string::npos) << all.questions[0].title.en;
    const lesson::Histogram& first = all.questions[1];
    EXPECT_EQ(first.students, 3u);
    EXPECT_EQ(first.right, 1u);
    EXPECT_EQ(first.right_at_last, 2u);
    ASSERT_EQ(first.bars.size(), 2u);
    EXPECT_EQ(first.bars[0].answer.en, "16"); // the choice's text
    EXPECT_EQ(first.bars[0].students, 2u);
    EXPECT_FALSE(first.bars[0].right);

    const std::string text = to_text(all, Language::en);
    EXPECT_NE(text.find("3 students, 1 right at first, 2 right at last"), std::string::npos) << text;
    EXPECT_NE(to_csv(all, Language::en).find("04_bank_conflicts,sixteen,"), std::string::npos);
    EXPECT_NE(to_csv(all, Language::en).find(",16,2,0\r\n"), std::string::npos) << to_csv(all, Language::en);
    const std::string page = to_html(all, Language::zh);
    EXPECT_NE(page.find("全班的回答"), std::string::npos);
    EXPECT_EQ(page.find("http"), std::string::npos); // it needs nothing else
}

TEST(Markup, EscapesWhatOthersWouldRead) {
    EXPECT_EQ(lesson::csv_cell("a,\"b\""), "\"a,\"\"b\"\"\"");
    EXPECT_EQ(lesson::csv_cell("=1+1"), "'=1+1");
    EXPECT_EQ(lesson::csv_cell("-3"), "-3");
    EXPECT_EQ(lesson::csv_cell("-3+cmd|x"), "'-3+cmd|x");
    EXPECT_EQ(lesson::gift_text("{a} = b:c\n~#\\"), "\\{a\\} \\= b\\:c \\~\\#\\\\");
}

class Exported : public testing::Test {
protected:
    static lesson::Quiz quiz(size_t students, uint64_t seed) {
        static const auto one = lesson::read(fixture::source_folder() / "assets" / "lessons" / "04_bank_conflicts.md");
        auto executions = fixture::executions();
        return lesson::quiz_of(executions, *one, students, seed);
    }
    static std::vector<std::string> settings(const lesson::Quiz& quiz, const std::string& step) {
        std::vector<std::string> found;
        for (const auto& one : quiz.questions)
            if (one.step == step) found.push_back(one.setting);
        return found;
    }
};

TEST_F(Exported, EachStudentHasAnotherSettingWithItsOwnAnswer) {
    const lesson::Quiz all = quiz(3, 7);
    EXPECT_EQ(fixture::sentences(all.problems), "");
    const auto drawn = settings(all, "two_words");
    ASSERT_EQ(drawn.size(), 3u);
    EXPECT_EQ(std::set<std::string>(drawn.begin(), drawn.end()).size(), 3u);
    for (const auto& one : all.questions) {
        if (one.step != "two_words") continue;
        int tile = 0, pad = 0; // the rule that the lesson teaches
        ASSERT_EQ(std::sscanf(one.setting.c_str(), "shared_tile_padded, PAD = %d, TILE = %d", &pad, &tile), 2)
            << one.setting;
        EXPECT_EQ(one.told.answer.number, tile == 32 ? std::gcd(tile + pad, 32) : one.told.answer.number)
            << one.setting;
    }
    EXPECT_EQ(settings(quiz(3, 7), "two_words"), drawn);
    EXPECT_NE(settings(quiz(3, 8), "two_words"), drawn);
    EXPECT_EQ(settings(all, "sort").size(), 1u);    // it varies nothing
    EXPECT_EQ(settings(all, "sixteen").size(), 2u); // of three tiles one has no right choice
    EXPECT_EQ(all.notes.size(), 1u);
}

TEST_F(Exported, AsMoodleXmlAndGift) {
    const lesson::Quiz all = quiz(1, 1);
    const std::string xml = to_moodle(all, Language::en), gift = to_gift(all, Language::zh);
    const auto count = [](const std::string& text, const std::string& part) {
        size_t found = 0;
        for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
        return found;
    };
    EXPECT_EQ(count(xml, "<question type=\"category\">"), 5u);
    EXPECT_EQ(count(xml, "<question "), count(xml, "</question>"));
    EXPECT_EQ(count(xml, "<answer fraction=\"100\" format=\"html\">"), 2u); // of each choice one is right
    EXPECT_EQ(count(xml, "<subquestion "), 4u);
    EXPECT_EQ(count(xml, "<tolerance>"), 1u + 14u); // the number, and lanes 3, 5 ... 31 but 17
    EXPECT_EQ(count(gift, "$CATEGORY: "), 5u);
    EXPECT_NE(gift.find("=一个字 -> 1"), std::string::npos) << gift;
    EXPECT_EQ(count(gift, "####"), 5u);
    // What the question asks about is not what the step's text tells of: without it, and with the mistake that it plants.
    EXPECT_EQ(count(xml, "Now somebody exchanges x and y"), 0u);
    EXPECT_EQ(count(xml, "broken by &amp;quot;Half of the map exchanged&amp;quot;"), 1u) << xml;
    EXPECT_EQ(count(gift, "  "), 0u) << gift;
    EXPECT_EQ(count(gift, "::[plain]"), 5u);
    EXPECT_EQ(count(gift, "故意改错："), 1u) << gift;
    EXPECT_EQ(count(xml, "Two banks have work"), 1u);
    EXPECT_EQ(count(xml, "Click"), 0u);
    EXPECT_EQ(count(xml, "Which lane wants another word of lane 1's bank?"), 1u) << xml;
    EXPECT_EQ(count(xml, "Type its number."), 1u);
}

} // namespace
