// What a lesson's files may say, and the sentence with file and line for everything else.
#include "fixture.h"

#include <sys/stat.h>

namespace {

using fixture::one_step;
using lesson::parse;
using lesson::Question;

constexpr const char* tile = "kernel = \"shared_tile\"\n";

std::string fault(const std::string& text, const std::string& chinese = "") {
    const auto read = parse(text, "x.md", chinese);
    return read ? "" : read.error().sentence();
}

void expect_fault(const std::string& text, const std::string& part, const std::string& chinese = "") {
    const std::string sentence = fault(text, chinese);
    EXPECT_NE(sentence.find(part), std::string::npos) << "\"" << part << "\" is not in: " << sentence;
}

TEST(Reader, AStepSetsTheWholeState) {
    const auto read = parse(one_step(R"(kernel = "double_buffer"
parameters = { BM = 64, BK = 16 }
m = 512
n = 128
k = 64
alpha = 0.5
beta = 2
seed = 7
schedule = "seed:3"
breaks = ["a", "b"]
block = [1, 2]
warp = 3
lane = 5
moment = "third barrier"
views = ["banks", "timeline"]
slider = "BK"
source = "read<4>"
number = "access.wavefronts"
label = { en = "w", zh = "z" }
before = "see"
speed_size = 2048
check = ["1 == 1", "2 > 1"]
)"),
                            "x.md");
    ASSERT_TRUE(read) << read.error().sentence();
    const lesson::Scene& scene = read->steps[0].scene;
    session::Subject subject;
    subject.kernel = "double_buffer";
    subject.parameters = {{"BM", 64}, {"BK", 16}};
    subject.problem = {512, 128, 64};
    subject.alpha = 0.5, subject.beta = 2, subject.seed = 7;
    subject.schedule = {trace::Schedule::Kind::shuffled, 3};
    subject.breaks = {"a", "b"};
    EXPECT_EQ(scene.subject, subject);
    EXPECT_EQ(scene.block, (base::Dim3{1, 2, 0}));
    EXPECT_EQ(scene.warp, 3);
    EXPECT_EQ(scene.lane, 5);
    EXPECT_EQ(scene.moment, "third barrier");
    EXPECT_EQ(scene.views, (std::vector<std::string>{"banks", "timeline"}));
    EXPECT_EQ(scene.slider, "BK");
    EXPECT_EQ(scene.source, "read<4>");
    EXPECT_EQ(scene.number->text, "access.wavefronts");
    EXPECT_EQ(scene.label.zh, "z");
    EXPECT_EQ(scene.before, "see");
    EXPECT_EQ(scene.speed_size, (catalog::Problem{2048, 2048, 2048}));
    EXPECT_EQ(read->steps[0].checks.size(), 2u);
    EXPECT_EQ(read->id, "x");
}

TEST(Reader, SpeedIsToldAtAnySize) {
    const auto read = parse(one_step("kernel = \"matrix_vector\"\nspeed_size = [16384, 1, 16384]\n"), "x.md");
    ASSERT_TRUE(read) << read.error().sentence();
    EXPECT_EQ(lesson::scene(*read, 0, {}).speed_problem, (catalog::Problem{16384, 1, 16384}));
    expect_fault(one_step("kernel = \"a\"\nspeed_size = [1, 2]\n"), "x.md:9: \"speed_size\" should be a size");
    expect_fault(one_step("kernel = \"a\"\nspeed_size = [1, 0, 2]\n"), "x.md:9: \"speed_size\" should be a size");
}

TEST(Reader, TheViewKeepsTheReadersOwnSettingsOnly) {
    const auto read =
        parse(one_step("kernel = \"shared_tile\"\nviews = [\"sectors\"]\nslider = \"TILE\"\nlane = 4\n"), "x.md");
    ASSERT_TRUE(read);
    session::View mine;
    mine.language = session::Language::zh;
    mine.theme = session::Theme::light;
    mine.scale = 2;
    mine.stage.shown = true;
    mine.search = "ldmatrix";
    mine.table = true;
    mine.subject.beta = 3;
    const session::View view = lesson::scene(*read, 0, mine);
    EXPECT_EQ(view.language, session::Language::zh);
    EXPECT_EQ(view.theme, session::Theme::light);
    EXPECT_EQ(view.scale, 2);
    EXPECT_TRUE(view.stage.shown);
    EXPECT_EQ(view.stage.first, "sectors");
    EXPECT_EQ(view.stage.second, "");
    EXPECT_EQ(view.search, "");
    EXPECT_FALSE(view.table);
    EXPECT_EQ(view.subject.beta, 0);
    EXPECT_EQ(view.subject.kernel, "shared_tile");
    EXPECT_EQ(view.selection.lane, 4);
    EXPECT_EQ(view.parameter, "TILE");
    EXPECT_EQ(view.course, (session::Course{"x", 0, {}, {}}));
}

TEST(Reader, TextIsRunsAndFiguresMayHoldWhatMarkdownWouldTake) {
    const auto read = parse(one_step(tile, "One **two** `three` {{a_b * c_d*2}} four\nfive {{M|1}}."), "x.md");
    ASSERT_TRUE(read) << read.error().sentence();
    using Style = lesson::Run::Style;
    const std::vector<std::pair<Style, std::string>> wanted{
        {Style::plain, "One "},        {Style::strong, "two"}, {Style::plain, " "},
        {Style::code, "three"},        {Style::plain, " "},    {Style::figure, "a_b * c_d*2"},
        {Style::plain, " four five "}, {Style::figure, "M|1"}, {Style::plain, "."}};
    std::vector<std::pair<Style, std::string>> found;
    for (const lesson::Run& run : read->steps[0].text.en[0].runs) found.emplace_back(run.style, run.text);
    EXPECT_EQ(found, wanted);
    EXPECT_EQ(lesson::words(read->steps[0].text.en), 7);
    EXPECT_EQ(read->steps[0].text.en[0].runs[5].line, 11u);
}

TEST(Reader, ChineseLinesJoinWithoutABlankAndTwoCharactersAreAWord) {
    const auto read = parse(one_step(tile, "存储体\n冲突。"), "x.md");
    ASSERT_TRUE(read);
    EXPECT_EQ(lesson::plain_text(read->steps[0].text.zh), "存储体冲突。");
    EXPECT_EQ(lesson::words(read->steps[0].text.zh), 3);
}

TEST(Reader, AQuestionHasItsPartsInBothLanguages) {
    const std::string question =
        "### What?\n\nThink.\n\n```toml question\nkind = \"choice\"\nparameters = { TILE = 8 }\n"
        "answer = \"access.ways\"\nfollow = true\nvary = [\"TILE\"]\n```\n\n- 1\n- 2\n\nBecause.\n";
    const std::string chinese =
        "+++\ntitle = \"题\"\n+++\n## 看 {#see}\n\n看图。\n\n### 几？\n\n想想。\n\n- 一\n- 二\n\n因为。\n\n## 教师 {#teachers}\n\n目标\n";
    const auto read = parse(one_step(tile, "Look.", question), "x.md", chinese);
    ASSERT_TRUE(read) << read.error().sentence();
    ASSERT_TRUE(read->steps[0].question);
    const Question& q = *read->steps[0].question;
    const auto zh = [](const lesson::Text& text) { return lesson::plain_text(text.zh); };
    EXPECT_EQ(q.kind, Question::Kind::choice);
    EXPECT_EQ(q.subject.parameters, (catalog::Values{{"TILE", 8}}));
    EXPECT_TRUE(q.follow);
    EXPECT_EQ(lesson::plain_text(q.title.en) + lesson::plain_text(q.ask.en) + lesson::plain_text(q.explanation.en),
              "What?Think.Because.");
    EXPECT_EQ(zh(q.title) + zh(q.ask) + zh(q.items[1]) + zh(q.explanation), "几？想想。二因为。");
    EXPECT_TRUE(read->in_chinese);
    EXPECT_EQ(lesson::plain_text(read->teachers.zh), "目标");
}

TEST(Reader, SaysWhereAndWhatIsWrong) {
    expect_fault("## See {#see}\n", "x.md:1: the front matter is missing");
    expect_fault("+++\ntitle = 3\n+++\n", "x.md:2: \"title\"");
    expect_fault("+++\ntitle = \"T\"\nlevel = 1\n+++\n", "x.md:3: unknown key \"level\"");
    expect_fault("+++\ntitle = \"T\"\n+++\n\nHello\n", "x.md:5: this comes before the first step");
    expect_fault("+++\ntitle = \"T\"\n+++\n\n## See\n", "x.md:5: the step \"See\" has no id");
    expect_fault("+++\ntitle = \"T\"\n+++\n\n## See {#See}\n", "x.md:5: the id \"See\"");
    expect_fault("+++\ntitle = \"T\"\n+++\n\n## A {#a}\n\n## B {#a}\n",
                 "x.md:7: the id \"a\" is already used at line 5");
    expect_fault("+++\ntitle = \"T\"\n+++\n\n## A {#a}\n\nText\n", "x.md:5: the step \"a\" has no state");
    expect_fault(one_step("kernel = \"shared_tile\"\nkernl = 3\n"), "x.md:9: unknown key \"kernl\"");
    expect_fault(one_step("kernel = 3\n"), "x.md:8: \"kernel\"");
    expect_fault(one_step("m = 16\n"), "\"kernel\" is missing");
    expect_fault(one_step("kernel = \"a\"\nm = 0\n"), "x.md:9: m is 0");
    expect_fault(one_step("kernel = \"a\"\nschedule = \"odd\"\n"), "x.md:9:");
    expect_fault(one_step("kernel = \"a\"\nviews = [\"a\", \"b\", \"c\"]\n"), "x.md:9: 3 views");
    expect_fault(one_step("kernel = \"a\"\nnumber = \"1\"\n"), "x.md:9: \"number\" has no \"label\"");
    expect_fault(one_step(tile, "a {{b\n}}"), "x.md:11: {{ without }}");
    expect_fault(one_step(tile, "- a\n- b"), "a list outside a question");
    expect_fault(one_step(tile, "> a"), "a quotation");
    expect_fault(one_step(tile, "![a](b.png)"), "a picture");
    expect_fault(one_step(tile, "Look.", "### What?\n\nThink.\n"), "the question does not say how it is answered");
    expect_fault(one_step(tile, "Look.", "### What?\n\n```toml question\nkind = \"guess\"\n```\n"),
                 "x.md:15: the question's kind is \"guess\"");
    expect_fault(one_step(tile, "Look.", "### What?\n\n```toml question\nkind = \"lane\"\n```\n"), "lane = ");
    expect_fault(one_step(tile, "Look.", "### What?\n\n```toml question\nkind = \"choice\"\nanswer = 1\n```\n"),
                 "fewer than two items");
    expect_fault(
        one_step(tile, "Look.", "### A?\n\n```toml question\nkind = \"choice\"\nright = [\"1\"]\n```\n\n- 1\n- 2\n"),
        "2 items and 1 expressions");
}

TEST(Reader, ATranslationHasTheSameStepsAndNoState) {
    const std::string english = one_step(tile);
    const std::string head = "+++\ntitle = \"题\"\n+++\n";
    expect_fault(english, "x.zh.md:1: the step \"see\" is missing", head);
    expect_fault(english, "the step \"see\" is missing", head + "## 看 {#saw}\n\n看。\n");
    expect_fault(english, "the step \"teachers\" is missing", head + "## 看 {#see}\n\n看。\n");
    expect_fault(english, "x.zh.md:10: the original has no step \"more\"",
                 head + "## 看 {#see}\n\n看。\n\n## 教 {#teachers}\n\n## 多 {#more}\n");
    expect_fault(english, "x.zh.md:6: a fenced block in a translation",
                 head + "## 看 {#see}\n```toml step\nkernel = \"a\"\n```\n\n## 教 {#teachers}\n");
    expect_fault(english, "x.zh.md:3: unknown key \"minutes\"", "+++\ntitle = \"a\"\nminutes = 3\n+++\n");
    EXPECT_EQ(fault(english, head + "## 看 {#see}\n\n看。\n\n## 教 {#teachers}\n\n目标\n"), "");
}

TEST(Reader, BoundsWhatItReads) {
    expect_fault(one_step(tile, std::string(200 << 10, 'a')), "split it");
    std::string many = "+++\ntitle = \"T\"\n+++\n";
    for (int i = 0; i < 70; ++i) many += "## S {#s" + std::to_string(i) + "}\n\n```toml step\nkernel = \"a\"\n```\n\n";
    expect_fault(many, "more than 64 steps");
    expect_fault(one_step("kernel = \"" + std::string(500, 'a') + "\"\n"), "x.md:8: \"kernel\" has 500 bytes");
    EXPECT_NE(fault(one_step("kernel = \"a\"\ncheck = " + std::string(5000, '[') + "\n")), "");
}

TEST(Reader, FoldersGiveWhatCanBeRead) {
    const auto folder = std::filesystem::temp_directory_path() / "gemmscope_lessons_test";
    std::filesystem::remove_all(folder);
    ASSERT_TRUE(base::write_file(folder / "b.md", one_step(tile)));
    ASSERT_TRUE(base::write_file(folder / "a.md", one_step(tile)));
    ASSERT_TRUE(base::write_file(folder / "c.md", "nothing"));
    ASSERT_TRUE(base::write_file(folder / "README.md", "not a lesson"));
    const lesson::Lessons all = lesson::load({folder, folder / "missing.md"});
    ASSERT_EQ(all.lessons.size(), 2u);
    EXPECT_EQ(all.lessons[0]->id, "a");
    ASSERT_EQ(all.problems.size(), 2u);
    EXPECT_NE(all.problems[0].sentence().find("c.md:1"), std::string::npos);
    std::filesystem::remove_all(folder);
}

// Nobody writes to them. b.zh.md is b's translation.
TEST(Reader, PipesAreNotWaitedFor) {
    const auto folder = std::filesystem::temp_directory_path() / "gemmscope_lessons_pipes_test";
    std::filesystem::remove_all(folder);
    ASSERT_TRUE(base::write_file(folder / "a.md", one_step(tile)));
    ASSERT_TRUE(base::write_file(folder / "b.md", one_step(tile)));
    for (const char* pipe : {"b.zh.md", "c.md"}) ASSERT_EQ(::mkfifo((folder / pipe).c_str(), 0600), 0);
    const lesson::Lessons all = lesson::load({folder});
    EXPECT_EQ(all.lessons.size(), 1u);
    ASSERT_EQ(all.problems.size(), 2u);
    EXPECT_NE(all.problems[0].sentence().find("b.zh.md: this is a device or a pipe"), std::string::npos);
    EXPECT_NE(all.problems[1].sentence().find("c.md: this is a device or a pipe"), std::string::npos);
    std::filesystem::remove_all(folder);
}

} // namespace
