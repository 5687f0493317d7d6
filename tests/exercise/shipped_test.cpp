// Every exercise that comes with the program: its solution passes with room to spare, its starter does not, and each mistake of a student is
// told by a verdict of its own. Solutions and mistakes are in tests/data/exercises.
#include "../ui/sentences.h"
#include "base/file.h"
#include "compile/compiler.h"
#include "exercise/grade.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>
#include <sstream>

namespace {

namespace fs = std::filesystem;
using exercise::Exercise;
using exercise::Judged;
using exercise::Rule;

fs::path folder() { return fs::path(SOURCE_DIR) / "assets" / "exercises"; }
fs::path data_folder(const std::string& id) { return fs::path(TEST_DATA) / "exercises" / id; }

std::vector<std::string> ids() {
    std::vector<std::string> ids;
    for (const auto& entry : fs::directory_iterator(folder())) ids.push_back(entry.path().filename().string());
    std::sort(ids.begin(), ids.end());
    return ids;
}

// Files of the exercise's tests whose names begin so.
std::vector<fs::path> files(const std::string& id, const std::string& begin) {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(data_folder(id)))
        if (entry.path().filename().string().starts_with(begin)) found.push_back(entry.path());
    std::sort(found.begin(), found.end());
    return found;
}

class ShippedExercise : public testing::TestWithParam<std::string> {
protected:
    void SetUp() override {
        auto read = exercise::read(folder() / GetParam());
        ASSERT_TRUE(read) << read.error().sentence();
        exercise_ = *std::move(read);
    }
    exercise::Verdict judge(const fs::path& file, const std::string& seed = {}) {
        const auto source = base::read_file(file);
        EXPECT_TRUE(source) << source.error().sentence();
        if (!source) return {};
        return exercise::grade(exercise_, *source, file, {seed, 60, 2});
    }
    Exercise exercise_;
};

bool can_judge() { return compile::availability().found && compile::assembler().found; }

std::string kind_of(const Judged& judged) {
    if (!judged.rule) return "compile";
    // Of few tiles each counts.
    if (!judged.rule->moment.empty()) return fmt::format("{} {}", judged.rule->figure, judged.value.value_or(-1));
    if (judged.rule->kind == Rule::Kind::figure) return judged.rule->figure;
    const std::string got = judged.got.english(); // "shared_race at 64 x 64 x 64"
    return got.substr(0, got.find(' '));
}

size_t number_of(const Exercise& exercise, const Judged& judged) { // of the rule in its step
    return static_cast<size_t>(judged.rule - exercise.steps[judged.step].rules.data()) + 1;
}

std::string line_of(const std::string& text, int number) {
    std::istringstream lines(text);
    std::string line;
    while (number-- > 0 && std::getline(lines, line)) {
    }
    return line;
}

struct Told {             // by a verdict
    std::string expected; // "step 1 rule 1, shared_race, line 37, with line 33"
    std::string apart;    // the same with the lines themselves, so that mistakes are not told apart by lines that moved
};

Told told(const Exercise& exercise, const exercise::Verdict& verdict, const std::string& source) {
    const Judged* first = verdict.first();
    if (!first || !first->rule) return {first ? "does not compile" : "passed", {}};
    Told told;
    told.apart = told.expected =
        fmt::format("step {} rule {}, {}", first->step + 1, number_of(exercise, *first), kind_of(*first));
    if (!first->look) return told;
    const auto line = [&](const char* before, int number) {
        told.expected += fmt::format(", {} {}", before, number);
        told.apart += "\n" + line_of(source, number);
    };
    if (first->look->line > 0) line("line", first->look->line);
    const std::string text = first->look->text.english();
    std::smatch other;
    if (std::regex_search(text, other, std::regex(" at line (\\d+)"))) line("with line", std::stoi(other[1]));
    return told;
}

void expect_room(const Judged& judged) {
    if (!judged.bound || !judged.value || *judged.bound == 0) return;
    const std::string& figure = judged.rule->figure;
    if (figure == "in_flight") { // one, or all stages but one
        EXPECT_EQ(*judged.value, *judged.bound) << judged.rule->say.en;
    } else if (!judged.rule->most.empty()) {
        EXPECT_LE(*judged.value, 0.95 * *judged.bound) << judged.rule->say.en;
    } else {
        EXPECT_GE(*judged.value, 1.05 * *judged.bound) << judged.rule->say.en;
    }
}

TEST_P(ShippedExercise, IsSolvedWithRoomToSpareWhateverIsDrawn) {
    if (!can_judge()) GTEST_SKIP() << "no NVRTC or no ptxas";
    auto solutions = files(GetParam(), "right_");
    solutions.push_back(data_folder(GetParam()) / "reference.cu");
    for (const fs::path& solution : solutions)
        for (const char* seed : {"", "1", "2", "a student"}) {
            const auto verdict = judge(solution, seed);
            const Judged* first = verdict.first();
            EXPECT_TRUE(verdict.passed()) << solution << " " << seed << ": " << (first->rule ? first->rule->line : 0)
                                          << ": " << first->got.english();
            for (const Judged& judged : verdict.rules) expect_room(judged);
        }
}

TEST_P(ShippedExercise, ItsStarterCompilesAndDoesNotPass) {
    if (!can_judge()) GTEST_SKIP() << "no NVRTC or no ptxas";
    const auto verdict = judge(folder() / GetParam() / (GetParam() + ".cu"));
    ASSERT_TRUE(verdict.first());
    EXPECT_TRUE(verdict.first()->rule) << verdict.first()->got.english();
    EXPECT_EQ(verdict.first()->standing, Judged::Standing::failed);
}

// A mistake says behind "// expected: " what its verdict names first.
TEST_P(ShippedExercise, MistakesAreToldApart) {
    if (!can_judge()) GTEST_SKIP() << "no NVRTC or no ptxas";
    const auto wrong = files(GetParam(), "wrong_");
    EXPECT_GE(wrong.size(), 5u);
    std::map<std::string, fs::path> apart;
    for (const fs::path& file : wrong) {
        const std::string source = *base::read_file(file);
        std::smatch expected;
        ASSERT_TRUE(std::regex_search(source, expected, std::regex("// expected: ([^\n]*)"))) << file;
        const Told verdict = told(exercise_, judge(file), source);
        EXPECT_EQ(verdict.expected, expected[1]) << file;
        const auto [other, fresh] = apart.emplace(verdict.apart, file);
        EXPECT_TRUE(fresh) << file << " and " << other->second << ": " << verdict.apart;
    }
}

// Words of `text` where a new line is only where the file breaks it.
std::string joined(const std::string& text) {
    std::string paragraphs = std::regex_replace(text, std::regex("\n\n+"), "\v");
    std::replace(paragraphs.begin(), paragraphs.end(), '\n', ' ');
    std::replace(paragraphs.begin(), paragraphs.end(), '\v', '\n');
    return paragraphs;
}

TEST_P(ShippedExercise, IsToldInShortSentencesOfBothLanguages) {
    std::vector<catalog::Text> texts{exercise_.title, exercise_.text, exercise_.starter->title,
                                     exercise_.starter->idea};
    for (const exercise::Step& step : exercise_.steps) {
        texts.push_back(step.title);
        for (const Rule& rule : step.rules) {
            texts.push_back(rule.hint);
            if (!rule.say.en.empty()) texts.push_back(rule.say);
        }
    }
    for (const catalog::Text& text : texts) {
        EXPECT_NE(text.en, text.zh);
        std::string sentence;
        EXPECT_LE(ui::longest_sentence(joined(text.en), &sentence), ui::most_words) << sentence;
        for (const char* other :
             {"核函数", "线程束", "波前", "复制", "线程小块", "搬运"}) // CONTRIBUTING.md has the words
            EXPECT_EQ(text.zh.find(other), std::string::npos) << text.zh;
    }
    const std::string& text = exercise_.text.en;
    std::istringstream stream(text);
    const auto words = std::distance(std::istream_iterator<std::string>(stream), {});
    EXPECT_GE(words, 60) << text;
    EXPECT_LE(words, 120) << text;
}

TEST_P(ShippedExercise, StandsOnThePathWithALessonAndMinutes) {
    EXPECT_GT(exercise_.order, 0);
    EXPECT_TRUE(exercise_.minutes >= 15 && exercise_.minutes <= 45) << exercise_.minutes;
    EXPECT_TRUE(fs::exists(fs::path(SOURCE_DIR) / "assets" / "lessons" / (exercise_.lesson + ".md")))
        << exercise_.lesson;
    EXPECT_TRUE(exercise_.steps.size() >= 2 && exercise_.steps.size() <= 4);
    bool drawn = false;
    for (const exercise::Step& step : exercise_.steps)
        for (const Rule& rule : step.rules)
            for (const exercise::SizePattern& size : rule.sizes) drawn = drawn || size.is_drawn();
    EXPECT_TRUE(drawn);
}

INSTANTIATE_TEST_SUITE_P(All, ShippedExercise, testing::ValuesIn(ids()), [](const auto& one) { return one.param; });

// One after the other, and none has the name of a kernel of the ladder: a student's file of that name would hide it.
TEST(ShippedExercises, AreAPath) {
    const auto all = exercise::load({folder()});
    EXPECT_TRUE(all.problems.empty());
    EXPECT_EQ(all.exercises.size(), ids().size());
    for (size_t i = 0; i < all.exercises.size(); ++i) {
        EXPECT_EQ(all.exercises[i]->order, static_cast<int>(i) + 1) << all.exercises[i]->id;
        EXPECT_FALSE(fs::exists(fs::path(SOURCE_DIR) / "kernels" / (all.exercises[i]->id + ".cu")));
    }
}

// A starter becomes a kernel of that name: it would take the place of the program's own.
TEST(ShippedExercises, HaveNamesOfTheirOwn) {
    const fs::path kernels = fs::path(SOURCE_DIR) / "kernels";
    for (const auto& entry : fs::directory_iterator(folder()))
        for (const fs::path& place : {kernels, kernels / "races"})
            EXPECT_FALSE(fs::exists(place / (entry.path().filename().string() + ".cu"))) << entry.path();
}

} // namespace
