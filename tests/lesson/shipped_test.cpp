// Every lesson that comes with the program holds in both languages, and so does the one on the page that says how to write one.
#include "fixture.h"

#include "lesson/check.h"

namespace {

std::filesystem::path folder() { return fixture::source_folder() / "assets" / "lessons"; }

std::vector<std::string> ids() {
    std::vector<std::string> ids;
    for (const auto& entry : std::filesystem::directory_iterator(folder()))
        if (entry.path().extension() == ".md" && entry.path().stem().extension().empty())
            ids.push_back(entry.path().stem().string());
    std::sort(ids.begin(), ids.end());
    return ids;
}

class ShippedLesson : public testing::TestWithParam<std::string> {};

TEST_P(ShippedLesson, HoldsInBothLanguages) {
    const auto one = lesson::read(folder() / (GetParam() + ".md"));
    ASSERT_TRUE(one) << one.error().sentence();
    auto executions = fixture::executions();
    EXPECT_EQ(fixture::sentences(lesson::check(executions, *one, fixture::views(), fixture::lessons())), "");
    EXPECT_TRUE(one->in_chinese);
    EXPECT_GE(one->steps.size(), 5u);
}
INSTANTIATE_TEST_SUITE_P(All, ShippedLesson, testing::ValuesIn(ids()), [](const auto& one) { return "L" + one.param; });

TEST(Shipped, LessonsNeedLessonsThatExist) {
    const lesson::Lessons all = lesson::load({folder()});
    EXPECT_EQ(fixture::sentences(all.problems), "");
    EXPECT_FALSE(all.lessons.empty());
    for (const auto& one : all.lessons)
        for (const std::string& id : one->needs)
            EXPECT_TRUE(all.find(id) && id < one->id) << one->id << " needs " << id;
}

// What stands in the guide between ~~~~markdown and ~~~~.
std::vector<std::string> examples_of_the_guide() {
    const std::string guide = *base::read_file(fixture::source_folder() / "docs" / "lessons.md");
    const std::string open = "~~~~markdown\n";
    std::vector<std::string> examples;
    for (size_t at = guide.find(open); at != guide.npos; at = guide.find(open, at)) {
        const size_t end = guide.find("~~~~\n", at += open.size());
        examples.push_back(guide.substr(at, end - at));
        at = end;
    }
    return examples;
}

TEST(Shipped, TheExampleOfTheGuideHolds) {
    const auto examples = examples_of_the_guide();
    ASSERT_EQ(examples.size(), 3u);
    // The translation is of the second step.
    std::string english = examples[0];
    english.erase(english.find("## A column"), english.find("## Your turn") - english.find("## A column"));
    const std::string chinese = "+++\ntitle = \"T\"\n+++\n\n" + examples[1] + "\n## T {#teachers}\n\nAim.\n";
    auto executions = fixture::executions();
    for (const auto& [text, translation, steps] :
         {std::tuple{examples[0], std::string(), 2u}, {english, chinese, 1u}}) {
        const auto example = lesson::parse(text, "my_lesson.md", translation);
        ASSERT_TRUE(example) << example.error().sentence();
        EXPECT_EQ(example->steps.size(), steps);
        EXPECT_EQ(fixture::sentences(lesson::check(executions, *example, fixture::views(), fixture::lessons())), "");
    }
}

TEST(Shipped, TheQuestionsOfTheGuideHold) {
    const std::string questions = examples_of_the_guide().at(2);
    const std::string state =
        "kernel = \"shared_tile\"\nengine = \"ptx\"\nparameters = { TILE = 16 }\nmoment = \"load of As\"\n";
    auto executions = fixture::executions();
    int held = 0;
    for (size_t at = 0; at != questions.npos; ++held) {
        const size_t end = questions.find("\n### ", at);
        const std::string one = questions.substr(at, end == questions.npos ? end : end + 1 - at);
        const auto example = lesson::parse(fixture::one_step(state, "Look.\n", one), "my_lesson.md");
        ASSERT_TRUE(example) << example.error().sentence();
        EXPECT_EQ(fixture::sentences(lesson::check(executions, *example, fixture::views(), fixture::lessons())), "");
        at = end == questions.npos ? end : end + 1;
    }
    EXPECT_EQ(held, 4);
}

} // namespace
