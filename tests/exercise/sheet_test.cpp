// Sheets: what is drawn for a student, the key that the engine computes, and what hand-ins are worth.
#include "fixture.h"

#include "catalog/catalog.h"
#include "compile/compiler.h"
#include "exercise/sheet_page.h"

#include <sys/stat.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace {

using namespace fixture;
using exercise::Judged;
using Standing = exercise::Judged::Standing;

const std::string items = R"(title = "Homework"
[[item]]
id = "stride"
points = 2
draw = { s = "1..48" }
ask = "Stride {s}?"
access = { bytes = 4, offset = "lane * s * 4" }
answer = "access.wavefronts"
[[item]]
id = "threads"
points = 3
draw = { BX = [4, 8, 16, 32, 64], n = "33..64" }
ask = "BX = {BX} at {n}?"
kernel = "naive"
parameters = { BX = "BX", BY = "256 / BX" }
size = ["n", "n", 32]
answer = "blocks * threads"
[[item]]
id = "work"
points = 5
ask = "Your kernel."
exercise = "work"
)";

class Sheet : public testing::Test {
protected:
    Sheet() : executions_(kernels(), nullptr, 2) {}
    void SetUp() override {
        ASSERT_TRUE(exercise_of(folder_));
        read(items);
    }
    void read(const std::string& text) {
        const fs::path file = folder_.write("homework.toml", text);
        auto read = exercise::read_sheet(file, {});
        ASSERT_TRUE(read) << read.error().sentence();
        sheet_ = std::move(*read);
    }
    std::string fault(const std::string& from, const std::string& to) {
        std::string text = items;
        const size_t at = text.find(from);
        EXPECT_NE(at, std::string::npos) << from;
        text.replace(at, from.size(), to);
        const auto read = exercise::read_sheet(folder_.write("faulty.toml", text), {});
        return read ? "" : read.error().sentence();
    }
    exercise::Asked asked(size_t item, const std::string& student) {
        auto asked = exercise::ask(sheet_, sheet_.items[item], student, executions_);
        EXPECT_TRUE(asked) << asked.error().sentence();
        return asked ? *asked : exercise::Asked{};
    }
    static const catalog::Catalog& kernels() {
        static const catalog::Catalog all =
            ::catalog::load({fs::path(SOURCE_DIR) / "kernels", fs::path(SOURCE_DIR) / "kernels" / "races"});
        return all;
    }
    static const views::Strings& strings() {
        static const views::Strings all = *views::Strings::load(fs::path(SOURCE_DIR) / "assets/i18n");
        return all;
    }
    exercise::HandIn perfect(const std::string& student) {
        exercise::HandIn work;
        work.student = student;
        for (size_t i : {0u, 1u}) work.answers[sheet_.items[i].id] = exercise::number_text(*asked(i, student).answer);
        work.sources["work.cu"] = kernel(right_body);
        return work;
    }
    exercise::StudentResult graded(const exercise::HandIn& work) {
        return exercise::grade(sheet_, work, executions_, {"secret", 60, 2});
    }

    Folder folder_;
    exercise::Sheet sheet_;
    lesson::Executions executions_;
};

TEST_F(Sheet, EachStudentIsAskedOtherNumbersAndEachMachineTheSame) {
    std::set<std::string> asks;
    for (int i = 0; i < 20; ++i) asks.insert(asked(0, fmt::format("s{}", i)).ask.en);
    EXPECT_GT(asks.size(), 10u);
    EXPECT_EQ(asked(0, "s1").ask.en, asked(0, "s1").ask.en);
    EXPECT_EQ(asked(0, "s1234").drawn, (catalog::Values{{"s", 13}})); // drawn once
}

// By hand: lanes whose words lie `s` apart meet in a bank as often as s and 32 have a common divisor.
TEST_F(Sheet, TheKeyOfAnAccessIsThatOfTheBankRule) {
    for (int i = 0; i < 30; ++i) {
        const auto one = asked(0, fmt::format("s{}", i));
        EXPECT_EQ(one.answer, std::gcd(one.drawn.at("s"), 32)) << one.ask.en;
        EXPECT_EQ(one.basis.english(), "counted for one SASS instruction of one warp");
    }
}

TEST_F(Sheet, TheKeyOfAKernelIsComputedAtTheDrawnSetting) {
    for (int i = 0; i < 10; ++i) {
        const auto one = asked(1, fmt::format("s{}", i));
        const int bx = one.drawn.at("BX"), n = one.drawn.at("n"), by = 256 / bx;
        EXPECT_EQ(one.answer, ((n + bx - 1) / bx) * ((n + by - 1) / by) * 256) << one.ask.en;
        EXPECT_EQ(one.subject.problem, (catalog::Problem{n, n, 32}));
    }
}

// The same word counts different things in the PTX and in the machine code.
TEST_F(Sheet, AnAnswerSaysWhichProgramItCounts) {
    if (!compile::assembler().found) GTEST_SKIP() << "no ptxas";
    const auto basis = [&](const std::string& answer) {
        std::string text = items;
        text.replace(text.find("\"blocks * threads\""), 18, "\"" + answer + "\"");
        read(text);
        return asked(1, "s1").basis.english();
    };
    for (const char* counted : {"counters.global_load.sectors", "counters.instructions_executed", "ffma_share"})
        EXPECT_EQ(basis(counted),
                  "counted in the machine code for sm_90, over the whole grid, as Nsight Compute counts");
    EXPECT_EQ(basis("registers"), "of the machine code for sm_90");
    EXPECT_EQ(basis("blocks * threads"), "");
}

// BX = 4 with 8 threads breaks a rule of the kernel: another value is drawn.
TEST_F(Sheet, WhatBreaksARuleIsDrawnAnew) {
    std::string text = items;
    text.replace(text.find("\"256 / BX\""), 10, "8");
    text.replace(text.find("[4, 8, 16, 32, 64]"), 18, "[2, 64]");
    read(text);
    for (int i = 0; i < 20; ++i) EXPECT_EQ(asked(1, fmt::format("s{}", i)).drawn.at("BX"), 64);
    text.replace(text.find("[2, 64]"), 7, "[2]");
    read(text);
    const auto none = exercise::ask(sheet_, sheet_.items[1], "s1", executions_);
    ASSERT_FALSE(none);
    EXPECT_NE(none.error().sentence().find("homework.toml:9"), std::string::npos) << none.error().sentence();
}

TEST_F(Sheet, AHandInThatIsRightHasAllPoints) {
    if (!compile::availability().found) GTEST_SKIP() << "no NVRTC";
    const auto result = graded(perfect("s7"));
    EXPECT_EQ(result.points(), 10);
    for (const auto& item : result.items) EXPECT_EQ(item.standing, Standing::passed) << item.item->id;
}

TEST_F(Sheet, WhatIsWrongOrMissingCostsItsOwnPoints) {
    if (!compile::availability().found) GTEST_SKIP() << "no NVRTC";
    auto work = perfect("s8");
    work.answers["stride"] = "eight";
    work.answers.erase("threads");
    work.sources["work.cu"] = kernel(uncoalesced_body, grid_over_rows);
    const auto result = graded(work);
    ASSERT_EQ(result.items.size(), 3u);
    EXPECT_EQ(result.items[0].standing, Standing::failed);
    EXPECT_EQ(result.items[1].standing, Standing::waiting);
    EXPECT_EQ(result.items[2].standing, Standing::failed);
    EXPECT_EQ(result.items[2].points, 2); // of 5: the rules of the first step hold
    EXPECT_EQ(result.points(), 2);
    EXPECT_NE(result.items[2].look.english().find("work.cu:11"), std::string::npos) << result.items[2].look.english();
}

// A name may be anything: an option of the compiler, a formula, an escape of the terminal, no UTF-8.
TEST_F(Sheet, ANameIsANameAndNothingElse) {
    if (!compile::availability().found) GTEST_SKIP() << "no NVRTC";
    for (const char* name : {"--pre-include=x", "-2+3+cmd|' /C calc'!A0", "\x1b[2J\"<b>\n", "\xff\xfe"}) {
        const auto result = graded(perfect(name));
        EXPECT_EQ(result.points(), 10) << name;
        const std::string csv = to_csv(sheet_, {result}, strings()), xml = to_junit(sheet_, {result}, strings());
        for (const char* raw : {"\n-", "\x1b", "\xff"}) {
            EXPECT_EQ(csv.find(raw), csv.npos) << csv;
            EXPECT_EQ(xml.find(raw), xml.npos) << xml;
        }
    }
    auto work = perfect("s1");
    work.answers["stride"] = std::string(990, '9') + "x";
    EXPECT_LT(graded(work).items[0].look.english().size(), 100u);
}

TEST_F(Sheet, NumbersMayBeWrittenAsPeopleWriteThem) {
    if (!compile::availability().found) GTEST_SKIP() << "no NVRTC";
    auto work = perfect("s9");
    work.answers["threads"] = " " + work.answers["threads"] + " "; // with its thousands separator
    EXPECT_EQ(graded(work).items[1].standing, Standing::passed);
    for (const char* other : {"nan", "", "8,19", "1,2,3", ",192", "0,192"}) {
        work.answers["threads"] = other;
        EXPECT_EQ(graded(work).items[1].standing, Standing::failed) << other;
        EXPECT_FALSE(graded(work).items[1].look.empty()) << other; // it is no number
    }
}

// Of a list one is drawn; the lines that the engine names are the key, in any order.
TEST_F(Sheet, TheLinesOfAPlantedRaceAreAsked) {
    if (!compile::availability().found) GTEST_SKIP() << "no NVRTC";
    read("title = \"T\"\n[[item]]\nid = \"race\"\nask = \"Which?\"\nrace = [\"mirror\", \"rotate\"]\n");
    std::set<std::string> drawn;
    for (const char* student : {"s1", "s2", "s3", "s4", "s5", "s6"}) {
        const auto one = asked(0, student);
        ASSERT_TRUE(one.race);
        drawn.insert(one.race->kernel);
        exercise::HandIn work{student, {}, {}, {}, {}, {}, {}, {}};
        exercise::Lines lines = *one.race->answers.begin();
        std::reverse(lines.begin(), lines.end());
        work.answers["race"] = exercise::to_text(lines);
        EXPECT_EQ(graded(work).points(), 1);
        work.answers["race"] = "1, 2";
        EXPECT_EQ(graded(work).points(), 0);
    }
    EXPECT_EQ(drawn.size(), 2u);
    read("title = \"T\"\n[[item]]\nid = \"race\"\nask = \"Which?\"\nrace = [\"nothing\"]\n");
    EXPECT_FALSE(exercise::ask(sheet_, sheet_.items[0], "s1", executions_));
}

TEST_F(Sheet, AClassIsATableForSpreadsheetsAPageAndJUnit) {
    if (!compile::availability().found) GTEST_SKIP() << "no NVRTC";
    auto second = perfect("=cmd()");
    second.sources.clear();
    exercise::StudentResult third;
    third.student = "damaged";
    third.unreadable = base::Error{base::Failure::usage, base::say("this is not a hand-in file"), "damaged.gemm", {}};
    const std::vector<exercise::StudentResult> all{graded(perfect("s1")), graded(second), third};
    const std::string csv = to_csv(sheet_, all, strings());
    EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 4);
    EXPECT_TRUE(csv.starts_with("student,points,of,stride,threads,work,look_first,file,seconds\r\ns1,10,10,2,3,5,"));
    EXPECT_NE(csv.find("\r\n'=cmd(),5,10,2,3,0,work"), std::string::npos) << csv;
    EXPECT_NE(csv.find("\r\ndamaged,0,10,,,,damaged.gemm: this is not a hand-in file"), std::string::npos) << csv;
    const std::string xml = to_junit(sheet_, all, strings());
    EXPECT_NE(xml.find("<testsuite name=\"s1\" tests=\"3\" failures=\"0\" errors=\"0\" skipped=\"0\""),
              std::string::npos)
        << xml;
    EXPECT_NE(xml.find("tests=\"3\" failures=\"0\" errors=\"0\" skipped=\"1\""), std::string::npos) << xml;
    EXPECT_NE(xml.find("tests=\"1\" failures=\"0\" errors=\"1\""), std::string::npos) << xml;
    const std::string page = to_html(sheet_, all, strings());
    EXPECT_NE(page.find("<html lang=\"en\">"), std::string::npos);
    EXPECT_NE(page.find("scope=\"col\""), std::string::npos);
    EXPECT_EQ(page.find("http"), std::string::npos); // it needs nothing else
}

TEST_F(Sheet, TwoSheetsDifferAndTheirKeysStandBesideThem) {
    std::vector<exercise::Asked> first, second;
    for (size_t i = 0; i < sheet_.items.size(); ++i) first.push_back(asked(i, "s1")), second.push_back(asked(i, "s2"));
    const std::string one = exercise::to_text(exercise::ToldSheet{sheet_, "s1", first, true}, strings());
    EXPECT_NE(one, exercise::to_text(exercise::ToldSheet{sheet_, "s2", second, true}, strings()));
    EXPECT_NE(one.find("\n  = " + exercise::number_text(*first[1].answer)), std::string::npos) << one;
    EXPECT_EQ(exercise::to_text(exercise::ToldSheet{sheet_, "s1", first, false}, strings()).find("\n  = "),
              std::string::npos);
}

TEST_F(Sheet, MistakesAreToldWithTheirLine) {
    EXPECT_NE(fault("answer = \"access.wavefronts\"", "answer = \"access.waves\"").find("faulty.toml:8"),
              std::string::npos);
    EXPECT_NE(fault("{s}", "{t}").find("no variable \"t\""), std::string::npos);
    EXPECT_NE(fault("\"1..48\"", "\"48..1\"").find("drawn from nothing"), std::string::npos);
    EXPECT_NE(fault("\"lane * s * 4\"", "\"lane * q\"").find("faulty.toml:7"), std::string::npos);
    EXPECT_NE(fault("id = \"threads\"", "id = \"stride\"").find("two items"), std::string::npos);
    EXPECT_NE(fault("id = \"threads\"", "id = \"../x\"").find("not an id"), std::string::npos);
    EXPECT_NE(fault("exercise = \"work\"", "exercise = \"play\"").find("play"), std::string::npos);
    EXPECT_NE(
        fault("exercise = \"work\"", "answer = \"1\"\nexercise = \"work\"").find("an answer, an exercise or a race"),
        std::string::npos);
    EXPECT_NE(fault("blocks * threads", "speed.tflops").find("not graded"), std::string::npos);
    EXPECT_NE(fault("[[item]]", "[[itme]]").find("itme"), std::string::npos);
}

TEST(HandIn, IsReadAsItWasWritten) {
    const Folder folder;
    exercise::HandIn one{"s1",
                         {{"a", "8"}, {"b", "12, 15"}},
                         {{"k.cu", "line\n\"quoted\" \xe4\xb8\xad\n"}},
                         "{}",
                         {"{}"},
                         "now",
                         "0.1.0",
                         "NVRTC 13.0"};
    ASSERT_TRUE(exercise::write_hand_in(folder.path() / "s1.gemm", one));
    const auto read = exercise::read_hand_in(folder.path() / "s1.gemm");
    ASSERT_TRUE(read) << read.error().sentence();
    EXPECT_EQ(*read, one);
}

TEST(HandIn, DamageIsSeen) {
    exercise::HandIn one{"s1", {{"a", "8"}}, {{"k.cu", "text"}}, {}, {}, {}, {}, {}};
    const std::string text = exercise::to_text(one);
    ASSERT_TRUE(exercise::parse_hand_in(text, "f"));
    for (size_t at = 0; at < text.size(); ++at) { // each byte, cut and changed
        (void)exercise::parse_hand_in(text.substr(0, at), "f");
        std::string changed = text;
        changed[at] = changed[at] == '9' ? '8' : '9';
        const auto read = exercise::parse_hand_in(changed, "f");
        if (read) {
            EXPECT_EQ(*read, one) << at; // white space
        }
    }
    exercise::HandIn outside = one;
    outside.sources = {{"../../evil.cu", "text"}};
    EXPECT_FALSE(exercise::parse_hand_in(exercise::to_text(outside), "f"));
    outside.sources = {{"k.cu", std::string(2 << 20, 'x')}};
    EXPECT_FALSE(exercise::parse_hand_in(exercise::to_text(outside), "f"));
}

TEST(HandIn, AFolderIsAHandInToo) {
    const Folder folder;
    folder.write("s5/answers.toml", "a = 8\nb = [12, 15]\nc = \"8,192\"\nd = 0.5\n");
    folder.write("s5/k.cu", "text");
    folder.write("s5/notes.txt", "no");
    const auto read = exercise::read_hand_in(folder.path() / "s5");
    ASSERT_TRUE(read) << read.error().sentence();
    EXPECT_EQ(read->student, "s5");
    EXPECT_EQ(read->answers,
              (std::map<std::string, std::string>{{"a", "8"}, {"b", "12, 15"}, {"c", "8,192"}, {"d", "0.5"}}));
    EXPECT_EQ(read->sources.size(), 1u);
    folder.write("s6/answers.toml", "student = \"other\"\na = 1\n");
    folder.write("s7.gemm", exercise::to_text(*read));
    folder.write("readme.md", "no");
    const auto all = exercise::hand_ins_in(folder.path());
    EXPECT_EQ(all.size(), 3u);
    EXPECT_EQ(exercise::read_hand_in(folder.path() / "s6")->student, "other");
    EXPECT_EQ(exercise::hand_ins_in(folder.path() / "s5").size(), 1u);
    // As Moodle packs a class: a folder each, one with a file, one with a folder in it, one with nothing.
    folder.write("class/Ann_1_file_/s1.gemm", exercise::to_text(*read));
    folder.write("class/Bob_2_file_/work/answers.toml", "a = 1\n");
    folder.write("class/Cy_3_file_/essay.pdf", "no");
    folder.write("class/__MACOSX/x", "no");
    const auto packed = exercise::hand_ins_in(folder.path() / "class");
    ASSERT_EQ(packed.size(), 3u);
    EXPECT_EQ(packed[0].filename(), "s1.gemm");
    EXPECT_EQ(packed[1].filename(), "work");
    EXPECT_NE(exercise::read_hand_in(packed[2]).error().sentence().find("nothing was handed in"), std::string::npos);
    folder.write("s8/answers.toml", "a = = 8\n");
    const auto wrong = exercise::read_hand_in(folder.path() / "s8");
    ASSERT_FALSE(wrong);
    EXPECT_NE(wrong.error().sentence().find("answers.toml:1"), std::string::npos) << wrong.error().sentence();
}

TEST(HandIn, LinksAndPipesAreNotRead) {
    const Folder folder;
    folder.write("s1/answers.toml", "a = 1\n");
    fs::create_symlink("/etc/passwd", folder.path() / "s1" / "k.cu");
    folder.write("s2/k.cu", "text");
    fs::create_symlink("/etc/passwd", folder.path() / "s2" / "answers.toml");
    folder.write("s3/answers.toml", "a = 1\n");
    ASSERT_EQ(::mkfifo((folder.path() / "s3" / "k.cu").c_str(), 0600), 0);
    ASSERT_EQ(::mkfifo((folder.path() / "s4.gemm").c_str(), 0600), 0);
    const auto all = exercise::hand_ins_in(folder.path());
    ASSERT_EQ(all.size(), 4u);
    for (const auto& [i, what] : {std::pair(0, "k.cu: this is a link"),
                                  {1, "answers.toml: this is a link"},
                                  {2, "k.cu: this is not a file"},
                                  {3, "s4.gemm: this is a device or a pipe"}}) {
        const auto read = exercise::read_hand_in(all[static_cast<size_t>(i)]);
        ASSERT_FALSE(read) << what;
        EXPECT_NE(read.error().sentence().find(what), std::string::npos) << read.error().sentence();
    }
}

} // namespace
