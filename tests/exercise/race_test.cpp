// The library of planted races: what is handed out tells nothing, the engine names the same lines in every order, and answers are judged by them.
#include "exercise/grade.h"
#include "exercise/race.h"

#include "catalog/breaks.h"
#include "catalog/catalog.h"
#include "compile/compiler.h"

#include <gtest/gtest.h>

namespace {

using exercise::Lines;
namespace fs = std::filesystem;

const catalog::Catalog& kernels() {
    static const catalog::Catalog all = catalog::load({SOURCE_DIR "/kernels", SOURCE_DIR "/kernels/races"});
    return all;
}

base::Result<exercise::Race> race_of(const std::string& kernel, const std::string& mistake) {
    return exercise::race(*kernels().find(kernel), mistake, 2);
}

// Of the file, from 1.
std::string line_of(const exercise::Race& race, int number) {
    std::istringstream code(race.code);
    std::string line;
    for (int at = race.first_line; at <= number; ++at) std::getline(code, line);
    return line;
}

class Races : public testing::TestWithParam<std::shared_ptr<const catalog::Kernel>> {
protected:
    void SetUp() override {
        if (!compile::availability().found) GTEST_SKIP() << "no NVRTC";
    }
};

// A student is asked for these lines, so there must be one answer, whatever the order of the warps.
TEST_P(Races, HaveOneAnswer) {
    for (const catalog::Break& one : GetParam()->breaks) {
        SCOPED_TRACE(GetParam()->id + ":" + one.name);
        const auto race = exercise::race(*GetParam(), one.name, 2);
        ASSERT_TRUE(race) << race.error().sentence();
        EXPECT_TRUE(race->same_in_every_order);
        ASSERT_EQ(race->answers.size(), 1u);
        EXPECT_LE(race->lines(), 2u);
        for (int line : *race->answers.begin()) EXPECT_GE(line, race->first_line);
        EXPECT_TRUE(race->kinds.contains(one.findings.front()));
        if (race->finding.other) {
            EXPECT_EQ(exercise::judge(*race, {race->finding.source_line}), race->lines() == 1);
        }
    }
}

TEST_P(Races, HandOutNothingThatTellsTheMistake) {
    const auto size = std::count(GetParam()->source.begin(), GetParam()->source.end(), '\n');
    for (const catalog::Break& one : GetParam()->breaks) {
        const auto race = exercise::race(*GetParam(), one.name, 2);
        ASSERT_TRUE(race) << race.error().sentence();
        for (const std::string& text : {one.look.en, one.look.zh, one.find, std::string("[[break]]")})
            EXPECT_EQ(race->code.find(text), std::string::npos) << one.name << ": " << text;
        const auto handed_out = std::count(race->code.begin(), race->code.end(), '\n');
        EXPECT_EQ(race->first_line - 1 + handed_out, size) << "lines are those of the file";
        EXPECT_LE(handed_out, 45) << "small enough to be read";
        for (const std::string& text : {one.label.en, GetParam()->story.en, GetParam()->idea.en})
            for (const char* word : {"missing", "forgot"})
                EXPECT_EQ(text.find(word), std::string::npos) << one.name << ": " << text;
    }
}

std::vector<std::shared_ptr<const catalog::Kernel>> library() { return kernels().of_family("races"); }
INSTANTIATE_TEST_SUITE_P(Library, Races, testing::ValuesIn(library()),
                         [](const auto& kernel) { return kernel.param->id; });

TEST(RaceLibrary, HasSixteenExercisesAndMoreOfManyKinds) {
    std::set<std::string> kinds;
    size_t breaks = 0;
    int rung = 0;
    for (const auto& kernel : library()) {
        EXPECT_EQ(kernel->rung, ++rung) << kernel->id << ": from easy to hard";
        for (const catalog::Break& one : kernel->breaks) ++breaks, kinds.insert(one.findings.front());
    }
    EXPECT_GE(library().size(), 16u);
    EXPECT_GE(breaks, 20u);
    for (const char* kind : {"shared_race", "global_race", "divergent_barrier", "unwaited_async_copy", "out_of_bounds",
                             "uninitialised_shared"})
        EXPECT_TRUE(kinds.contains(kind)) << kind;
}

TEST(Race, AsksForBothLinesOfTheTwoAccesses) {
    if (!compile::availability().found) GTEST_SKIP() << "no NVRTC";
    const auto race = race_of("mirror", "stale");
    ASSERT_TRUE(race) << race.error().sentence();
    ASSERT_EQ(race->lines(), 2u);
    const Lines answer = *race->answers.begin();
    EXPECT_NE(line_of(*race, answer[0]).find("s[t] = A"), std::string::npos) << line_of(*race, answer[0]);
    EXPECT_NE(line_of(*race, answer[1]).find("s[opposite] + 1"), std::string::npos) << line_of(*race, answer[1]);
    EXPECT_TRUE(exercise::judge(*race, answer));
    EXPECT_FALSE(exercise::judge(*race, {answer[0]}));
    EXPECT_FALSE(exercise::judge(*race, {answer[0], answer[1] + 1}));
    EXPECT_FALSE(exercise::judge(*race, {answer[0], answer[0] + 1, answer[1]}));
    EXPECT_FALSE(exercise::judge(*race, {}));
    EXPECT_EQ(race->code.find("__syncthreads"), std::string::npos) << "it is the broken code";
}

TEST(Race, OfALineWithItselfAsksForThatOne) {
    if (!compile::availability().found) GTEST_SKIP() << "no NVRTC";
    const auto race = race_of("columns_to_rows", "fifteen");
    ASSERT_TRUE(race) << race.error().sentence();
    EXPECT_EQ(race->lines(), 1u);
    const int line = race->answers.begin()->front();
    EXPECT_TRUE(exercise::judge(*race, *exercise::parse_lines(std::to_string(line))));
    EXPECT_TRUE(exercise::judge(*race, *exercise::parse_lines(fmt::format("{}, {}", line, line)))) << "both accesses";
}

// Of a rung, two tiles race: each pair is an answer, and the store of one tile is none with that of the other.
TEST(Race, OfTwoArraysHasTwoAnswers) {
    if (!compile::availability().found) GTEST_SKIP() << "no NVRTC";
    const auto race = race_of("tile", "no_second_barrier");
    ASSERT_TRUE(race) << race.error().sentence();
    EXPECT_EQ(race->answers.size(), 2u);
    EXPECT_EQ(race->lines(), 2u);
    for (const Lines& answer : race->answers) EXPECT_TRUE(exercise::judge(*race, answer));
}

TEST(Race, SaysWhatIsWrong) {
    const auto sentence = [](const auto& result) { return result ? std::string() : result.error().sentence(); };
    const auto& all = kernels().kernels;
    EXPECT_NE(sentence(exercise::find_race(all, "miror")).find("did you mean mirror?"), std::string::npos);
    EXPECT_NE(sentence(exercise::find_race(all, "strassen")).find("no planted mistake to find"), std::string::npos);
    EXPECT_NE(sentence(exercise::find_race(all, "mirror:fast")).find("choose among stale"), std::string::npos);
    EXPECT_FALSE(exercise::find_race(all, ""));
    EXPECT_FALSE(exercise::find_race(all, "mirror:"));
    const auto first = exercise::find_race(all, "last_block");
    ASSERT_TRUE(first);
    EXPECT_EQ(first->mistake->name, "old_elements");
    EXPECT_EQ(exercise::find_race(all, "last_block:new_gpu")->mistake->name, "new_gpu");
    EXPECT_NE(sentence(race_of("mirror", "none")).find("no planted mistake none"), std::string::npos);

    catalog::Kernel hidden = *kernels().find("mirror");
    hidden.breaks[0].when = "M > 1000";
    EXPECT_NE(sentence(exercise::race(hidden, "stale", 2)).find("does not show at small sizes"), std::string::npos);
    if (!compile::availability().found) GTEST_SKIP() << "no NVRTC";
    catalog::Kernel other = *kernels().find("mirror");
    other.breaks[0].findings = {"out_of_bounds"};
    EXPECT_NE(sentence(exercise::race(other, "stale", 2)).find("no out_of_bounds with a line"), std::string::npos);
}

// The broken kernel does not pass, its right twin does, and the file that is handed out has the twin's lines.
TEST_P(Races, AreMendedByTheirTwins) {
    const fs::path file = "mine.cu"; // it is not read
    for (const catalog::Break& one : GetParam()->breaks) {
        SCOPED_TRACE(GetParam()->id + ":" + one.name);
        const auto exercise = exercise::mending(*GetParam(), one.name);
        ASSERT_TRUE(exercise) << exercise.error().sentence();
        const auto starter = exercise::race_starter(*GetParam(), one.name);
        ASSERT_TRUE(starter);
        EXPECT_EQ(starter->find("[[break]]"), std::string::npos);
        EXPECT_EQ(std::count(starter->begin(), starter->end(), '\n'),
                  std::count(GetParam()->source.begin(), GetParam()->source.end(), '\n'));
        const auto broken = exercise::grade(*exercise, *starter, file, {{}, 60, 2});
        ASSERT_TRUE(broken.first());
        ASSERT_TRUE(broken.first()->rule) << "it compiles";
        EXPECT_EQ(broken.first()->rule->kind, exercise::Rule::Kind::findings);
        std::string twin = GetParam()->source;
        twin.replace(twin.find("family ="), 8, "function = \"" + GetParam()->function + "\" #");
        const auto mended = exercise::grade(*exercise, twin, file, {{}, 60, 2});
        EXPECT_TRUE(mended.passed()) << mended.first()->got.english();
    }
}

TEST(Race, LinesAreReadInAnyOrder) {
    EXPECT_EQ(*exercise::parse_lines("15,12"), (Lines{12, 15}));
    EXPECT_EQ(*exercise::parse_lines(" 12 , 12"), (Lines{12}));
    for (const char* wrong : {"", ",", "12,", "0", "-1", "12 15", "12;15", "x", "1e3", "999999999999",
                              "1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17"})
        EXPECT_FALSE(exercise::parse_lines(wrong)) << wrong;
}

} // namespace
