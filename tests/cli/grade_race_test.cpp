// gemmscope grade --race: what a student gets, and what is said to an answer.
#include "base/file.h"
#include "compile/compiler.h"
#include "program.h"

#include <regex>

namespace {

using program::expect_refused;
using program::run;

class GradeRace : public testing::Test {
protected:
    void SetUp() override {
        if (!compile::availability().found) GTEST_SKIP() << "no NVRTC";
    }
    // The number that the printed source gives the line with this text.
    static std::string number_of(const std::string& printed, const std::string& text) {
        const size_t at = printed.find(text), begin = printed.rfind('\n', at) + 1;
        return at == printed.npos ? "" : std::to_string(std::stoi(printed.substr(begin)));
    }
};

TEST_F(GradeRace, PrintsTheSourceWithItsLinesAndNothingThatTells) {
    const auto printed = run({"grade", "--race", "mirror"});
    ASSERT_EQ(printed.code, 0) << printed.err;
    EXPECT_NE(printed.out.find("Symptom: Some elements of C are garbage"), std::string::npos);
    EXPECT_NE(printed.out.find("Which 2 lines"), std::string::npos);
    EXPECT_NE(printed.out.find("grade --race mirror:stale --lines"), std::string::npos);
    for (const char* word : {"[[break]]", "barrier between", "shared_race", "__syncthreads"})
        EXPECT_EQ(printed.out.find(word), std::string::npos) << word;
    const auto chinese = run({"grade", "--race", "mirror", "--lang", "zh"});
    EXPECT_NE(chinese.out.find("现象：C 里有些元素是垃圾值"), std::string::npos) << chinese.out;
}

TEST_F(GradeRace, SaysRightWithTheFindingAndWrongWithout) {
    const std::string printed = run({"grade", "--race", "mirror"}).out;
    const std::string store = number_of(printed, "s[t] = A"), load = number_of(printed, "s[opposite] + 1;");
    const auto right = run({"grade", "--race", "mirror:stale", "--lines", load + "," + store});
    EXPECT_EQ(right.code, 0) << right.err;
    EXPECT_NE(right.out.find("Right."), std::string::npos) << right.out;
    EXPECT_NE(right.out.find("Without a barrier between store and load"), std::string::npos) << right.out;
    EXPECT_TRUE(std::regex_search(right.out, std::regex("mirror.cu:[0-9]+: lane .* with no barrier between")))
        << right.out;
    expect_refused({"grade", "--race", "mirror", "--lines", store}, 1,
                   "these lines are not in conflict; give as many lines as the question asks for: 2");
    const auto wrong = run({"grade", "--race", "mirror", "--lines", store + ",45"});
    EXPECT_EQ(wrong.code, 1);
    EXPECT_EQ(wrong.out, "") << "nothing is told of the mistake";
    EXPECT_EQ(wrong.err.find("asked for"), std::string::npos) << "two were given";
}

TEST_F(GradeRace, AnswersInJson) {
    const auto handed_out = run({"grade", "--race", "under_lock", "--json"}).json();
    EXPECT_EQ(handed_out["lines"], 1);
    EXPECT_EQ(handed_out["break"], "same_number");
    EXPECT_FALSE(handed_out.contains("finding"));
    const int line =
        handed_out["first_line"].get<int>() + static_cast<int>([](const std::string& code) {
            return std::count(code.begin(), code.begin() + static_cast<long>(code.find("mine = number")), '\n');
        }(handed_out["code"].get<std::string>()));
    const auto right = run({"grade", "--race", "under_lock", "--lines", std::to_string(line), "--json"});
    EXPECT_EQ(right.code, 0) << right.err;
    EXPECT_EQ(right.json()["right"], true);
    EXPECT_NE(right.json()["finding"], nullptr);
    const auto wrong = run({"grade", "--race", "under_lock", "--lines", "1", "--json"});
    EXPECT_EQ(wrong.code, 1);
    EXPECT_EQ(wrong.json()["right"], false);
    EXPECT_EQ(wrong.json()["finding"], nullptr);
}

// From the starter to a mended kernel, as a student does it.
TEST_F(GradeRace, JudgesAMendedKernel) {
    std::filesystem::remove(program::folder() / "mend_mine.cu");
    const std::string mine = (program::folder() / "mend_mine.cu").string();
    EXPECT_EQ(run({"grade", "--race", "mirror", "--starter", mine}).code, 0);
    expect_refused({"grade", "--race", "mirror", "--starter", mine}, 2, "exists already");
    const auto broken = run({"grade", mine, "--race", "mirror"});
    EXPECT_EQ(broken.code, 1);
    EXPECT_NE(broken.out.find("Race in shared memory at M x N x K = 70 x 76 x 40"), std::string::npos) << broken.out;
    std::string text = *base::read_file(mine);
    EXPECT_EQ(text.find("[[break]]"), std::string::npos);
    const std::string gap = "\n\n    if (first + opposite";
    ASSERT_NE(text.find(gap), std::string::npos);
    text.insert(text.find(gap) + 1, "    __syncthreads();");
    program::file("mend_mine.cu", text);
    const auto mended = run({"grade", mine, "--race", "mirror"});
    EXPECT_EQ(mended.code, 0) << mended.out << mended.err;
}

TEST_F(GradeRace, RefusesWhatItCannotJudge) {
    expect_refused({"grade", "--race", "miror"}, 2, "did you mean mirror?");
    expect_refused({"grade", "--race", "mirror:none"}, 2, "choose among stale");
    expect_refused({"grade", "--race", "mirror", "--lines", "12;15"}, 2, "write them as 12,15");
    expect_refused({"grade", "--lines", "12,15"}, 2, "need --race");
    expect_refused({"grade", "mine.cu", "--race", "mirror", "--lines", "12,15"}, 2, "leave --lines and --starter out");
}

TEST_F(GradeRace, TheLibraryIsInTheList) {
    size_t races = 0;
    for (const auto& row : run({"list", "--json"}).json()) races += row["family"].get<std::string>() == "races";
    EXPECT_GE(races, 16u);
}

} // namespace
