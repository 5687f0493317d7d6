// Every lesson that comes with the program holds in both languages, and so does the one on the page that says how to write one.
#include "fixture.h"

#include "lesson/check.h"

namespace {

TEST(Shipped, EveryLessonHoldsInBothLanguages) {
    const lesson::Lessons all = lesson::load({fixture::source_folder() / "assets" / "lessons"});
    EXPECT_EQ(fixture::sentences(all.problems), "");
    ASSERT_FALSE(all.lessons.empty());
    auto executions = fixture::executions();
    for (const auto& one : all.lessons) {
        EXPECT_EQ(fixture::sentences(lesson::check(executions, *one, fixture::views())), "") << one->id;
        EXPECT_TRUE(one->in_chinese) << one->id;
        EXPECT_GE(one->steps.size(), 5u) << one->id;
    }
}

TEST(Shipped, LessonsNeedLessonsThatExist) {
    const lesson::Lessons all = lesson::load({fixture::source_folder() / "assets" / "lessons"});
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
    EXPECT_EQ(fixture::sentences(lesson::check(executions, *example, fixture::views())), "");
}

} // namespace
