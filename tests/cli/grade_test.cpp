// grade and handin as students and teachers type them.
#include "program.h"

namespace {

using program::expect_refused;
using program::file;
using program::run;

const std::string exercises = std::string(SOURCE_DIR) + "/assets/exercises/";
const std::string sheet = std::string(SOURCE_DIR) + "/assets/sheets/memory.toml";
std::string starter() { return *base::read_file(exercises + "coalesced/coalesced.cu"); }

TEST(Grade, ListsTheExercisesOfTheProgram) {
    const auto list = run({"grade"});
    EXPECT_EQ(list.code, 0) << list.err;
    EXPECT_NE(list.out.find("coalesced"), std::string::npos);
    EXPECT_NE(run({"grade", "--lang", "zh"}).out.find("合并"), std::string::npos);
}

TEST(Grade, NamesTheFirstThingToLookAt) {
    const std::string mine = file("mine.cu", starter());
    const auto graded = run({"grade", mine, "--exercise", "coalesced"});
    if (graded.code == 3) GTEST_SKIP() << graded.err;
    EXPECT_EQ(graded.code, 1) << graded.err;
    EXPECT_NE(graded.out.find("Look here first: " + mine + ":"), std::string::npos) << graded.out;
    EXPECT_NE(graded.out.find("Hint: "), std::string::npos) << graded.out;
    EXPECT_TRUE(graded.err.starts_with("gemmscope: " + mine + ":")) << graded.err;
    const auto json = run({"grade", mine, "--exercise", exercises + "coalesced", "--json"}).json();
    EXPECT_EQ(json["exercise"].get<std::string>(), "coalesced");
    EXPECT_FALSE(json["passed"].get<bool>());
    for (const auto& rule : json["rules"])
        for (const char* key : {"rule", "wanted", "got", "passed", "hint"}) EXPECT_TRUE(rule.contains(key)) << key;
    EXPECT_FALSE(json["findings"].empty());
}

TEST(Grade, WritesJUnit) {
    const std::string xml = (program::folder() / "junit.xml").string();
    const auto graded = run({"grade", file("mine.cu", starter()), "--exercise", "coalesced", "--junit", xml});
    if (graded.code == 3) GTEST_SKIP() << graded.err;
    const auto text = base::read_file(xml);
    ASSERT_TRUE(text);
    EXPECT_NE(text->find("<testsuites name=\"coalesced\">"), std::string::npos);
    EXPECT_NE(text->find("<failure message="), std::string::npos);
    EXPECT_NE(text->find("<skipped"), std::string::npos); // rules of the step that was not reached
}

TEST(Grade, SaysWhatIsMissing) {
    expect_refused({"grade", file("mine.cu", starter())}, 2, "--exercise");
    expect_refused({"grade", file("mine.cu", starter()), "--exercise", "nothing"}, 2, "coalesced");
    expect_refused({"grade", "nowhere.cu", "--exercise", "coalesced"}, 2, "nowhere.cu");
    expect_refused({"grade", "nowhere.toml"}, 2, "nowhere.toml");
    expect_refused({"grade", sheet}, 2, "--student");
    EXPECT_NE(run({"grade", sheet, program::folder().string() + "/nobody"}).out.find("nobody"), std::string::npos);
    expect_refused({"grade", file("mine.cu", starter()), "--exercise", "coalesced", "--limit", "0"}, 2, "3600");
}

TEST(Grade, ASheetIsHandedOutFilledInAndGraded) {
    const auto key = run({"grade", sheet, "--student", "s1", "--key", "--json"});
    if (key.code == 3) GTEST_SKIP() << key.err;
    ASSERT_EQ(key.code, 0) << key.err;
    std::string answers;
    const auto asked = key.json();
    for (const auto& item : asked["items"])
        if (!item["answer"].is_null()) answers += item["id"].get<std::string>() + " = " + item["answer"].dump() + "\n";
    file("class/s1/answers.toml", answers);
    file("class/s2/answers.toml", answers); // copied from a neighbour
    file("class/s3/coalesced.cu", starter());
    EXPECT_EQ(run({"grade", sheet, "--student", "s1"}).out.find("\n  = "), std::string::npos);
    const std::string folder = (program::folder() / "class").string(), csv = (program::folder() / "class.csv").string();
    const std::string gemm = folder + "/s4.gemm";
    const auto made = run({"handin", folder + "/s1", "--student", "s4", "-o", gemm});
    ASSERT_EQ(made.code, 0) << made.err;
    const auto graded = run({"grade", sheet, folder, "--csv", csv, "--html", csv + ".html", "--junit", csv + ".xml"});
    EXPECT_EQ(graded.code, 0) << graded.err;
    const auto text = base::read_file(csv);
    ASSERT_TRUE(text);
    EXPECT_EQ(std::count(text->begin(), text->end(), '\n'), 5);
    EXPECT_NE(text->find("\r\ns1,12,18,2,3,2,2,3,0,coalesced"), std::string::npos) << *text;
    EXPECT_EQ(text->find("\r\ns2,12,18"), std::string::npos) << *text;
    const auto one = run({"grade", sheet, folder + "/s1", "--json"});
    EXPECT_EQ(one.code, 1); // not all points
    EXPECT_EQ(one.json()["points"].get<int>(), 12);
    expect_refused({"grade", sheet, folder, "--student", "s1"}, 2, "--student");
    const auto other = run({"grade", sheet, gemm, "--student", "s1"});
    EXPECT_EQ(other.code, 1);
    EXPECT_NE(other.out.find("s4 handed this in, not s1"), std::string::npos) << other.out;
}

TEST(HandIn, IsMadeShownAndTakenApart) {
    file("work/answers.toml", "stride = 8\n");
    file("work/coalesced.cu", starter());
    const std::string folder = program::folder().string(), gemm = folder + "/work.gemm";
    const auto made = run({"handin", folder + "/work", "-o", gemm});
    ASSERT_EQ(made.code, 0) << made.err;
    EXPECT_NE(made.out.find("work, 20"), std::string::npos) << made.out;
    const auto json = run({"handin", gemm, "--json"}).json();
    EXPECT_EQ(json["student"].get<std::string>(), "work");
    EXPECT_EQ(json["sources"].size(), 1u);
    EXPECT_EQ(run({"handin", gemm, "--extract", folder + "/again"}).code, 0);
    EXPECT_EQ(*base::read_file(folder + "/again/coalesced.cu"), starter());
    expect_refused({"handin", file("no.gemm", "{}")}, 2, "not a hand-in");
    expect_refused({"handin", folder + "/work", "-o", gemm, "--state", file("state.json", "{\"scale\": \"x\"}")}, 2,
                   "scale");
}

} // namespace
