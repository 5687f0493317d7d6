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

TEST(Shipped, TheExampleOfTheGuideHolds) {
    const auto guide = base::read_file(fixture::source_folder() / "docs" / "lessons.md");
    ASSERT_TRUE(guide);
    const std::string open = "~~~~markdown\n";
    const size_t begin = guide->find(open), end = guide->find("~~~~\n", begin + open.size());
    ASSERT_NE(end, std::string::npos);
    const auto example = lesson::parse(guide->substr(begin + open.size(), end - begin - open.size()), "my_lesson.md");
    ASSERT_TRUE(example) << example.error().sentence();
    EXPECT_EQ(example->steps.size(), 2u);
    auto executions = fixture::executions();
    EXPECT_EQ(fixture::sentences(lesson::check(executions, *example, fixture::views(), fixture::lessons())), "");
}

} // namespace
