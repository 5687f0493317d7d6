// exercise.toml as teachers write it, and every mistake in it with its line.
#include "fixture.h"

namespace {

using namespace fixture;
using exercise::Rule;

TEST(Exercise, IsReadFromItsFolder) {
    const Folder folder;
    const auto one = exercise_of(folder);
    ASSERT_TRUE(one) << one.error().sentence();
    EXPECT_EQ(one->id, "work");
    EXPECT_EQ(one->title.en, "Work");
    EXPECT_EQ(one->starter->function, "work");
    ASSERT_EQ(one->steps.size(), 2u);
    ASSERT_EQ(one->steps[0].rules.size(), 2u);
    EXPECT_EQ(one->steps[0].rules[0].kind, Rule::Kind::findings);
    EXPECT_EQ(one->steps[0].rules[0].schedules.size(), 2u);
    EXPECT_EQ(one->steps[0].rules[1].sizes.size(), 2u);
    EXPECT_EQ(one->steps[1].rules[0].figure, "counters.global_load.sectors");
    EXPECT_EQ(one->steps[1].rules[0].points, 3);
    EXPECT_EQ(one->steps[0].rules[0].line, 5u);
}

struct Mistake {
    const char *from, *to; // an edit of the rules
    const char *line, *says;
};

class Mistakes : public testing::TestWithParam<Mistake> {};

TEST_P(Mistakes, AreToldWithTheirLine) {
    const Folder folder;
    std::string toml = rules;
    const size_t at = toml.find(GetParam().from);
    ASSERT_NE(at, std::string::npos);
    toml.replace(at, std::string(GetParam().from).size(), GetParam().to);
    const auto one = exercise_of(folder, toml);
    ASSERT_FALSE(one);
    const std::string sentence = one.error().sentence();
    EXPECT_NE(sentence.find(std::string("exercise.toml:") + GetParam().line), std::string::npos) << sentence;
    EXPECT_NE(sentence.find(GetParam().says), std::string::npos) << sentence;
}

INSTANTIATE_TEST_SUITE_P(
    Exercise, Mistakes,
    testing::Values(Mistake{"title = \"Work\"", "titel = \"Work\"", "1", "unknown key \"titel\""},
                    Mistake{"check = \"findings\"", "check = \"finding\"", "6", "unknown check"},
                    Mistake{"check = \"findings\"", "figure = \"registers\"", "6", "no bound"},
                    Mistake{"{33..63}", "{63..33}", "7", "not a size"},
                    Mistake{"64x64x64", "4096x4096x64", "12", "too long"}, Mistake{"seed:1", "sed:1", "8", "schedule"},
                    Mistake{"counters.global_load.sectors", "global_load.sectors", "17", "no figure"},
                    Mistake{"counters.global_load.sectors", "speed.tflops", "17", "not graded"},
                    Mistake{"M * N * K / 4", "M * L", "19", "L"},
                    Mistake{"most = \"M * N * K / 4\"\n", "", "17", "no bound"},
                    Mistake{"hint = \"Coalesce.\"", "", "16", "hint"},
                    Mistake{"points = 3", "points = 5000", "23", "points"},
                    Mistake{"[[step]]", "[[stap]]", "14", "step"}),
    [](const auto& each) { return "Case" + std::to_string(each.index); });

TEST(Exercise, AFolderWithoutOneIsAnError) {
    const Folder folder;
    EXPECT_FALSE(exercise::read(folder.path()));
    EXPECT_FALSE(exercise::read("/"));
    EXPECT_FALSE(exercise::read(""));
    folder.write("work/exercise.toml", rules); // and no starter
    const auto one = exercise::read(folder.path() / "work/");
    ASSERT_FALSE(one);
    EXPECT_NE(one.error().sentence().find("work.cu"), std::string::npos) << one.error().sentence();
}

TEST(Exercise, AFileWithoutEndIsRefused) {
    const Folder folder;
    const auto one = exercise_of(folder, rules + "# " + std::string(200 << 10, 'x'));
    ASSERT_FALSE(one);
    EXPECT_NE(one.error().sentence().find("131072"), std::string::npos) << one.error().sentence();
}

TEST(Exercise, ThoseOfAFolderAreLoadedAndDamagedOnesNamed) {
    const Folder folder;
    ASSERT_TRUE(exercise_of(folder));
    folder.write("other/exercise.toml", "title = 3\n");
    folder.write("no_exercise/readme.md", "");
    const auto all = exercise::load({folder.path(), folder.path() / "nowhere"});
    EXPECT_EQ(all.exercises.size(), 1u);
    EXPECT_TRUE(all.find("work"));
    EXPECT_FALSE(all.find("other"));
    ASSERT_EQ(all.problems.size(), 1u);
}

} // namespace
