#include "base/file.h"
#include "catalog/catalog.h"
#include "sample.h"

#include <gtest/gtest.h>

#include <unistd.h>

namespace {
namespace fs = std::filesystem;

class Folders : public testing::Test {
protected:
    void SetUp() override {
        root = fs::temp_directory_path() / ("gemmscope_catalog_test." + std::to_string(::getpid()));
    }
    void TearDown() override { fs::remove_all(root); }
    void write(const std::string& file, std::string text) { ASSERT_TRUE(base::write_file(root / file, text).ok()); }
    // The sample as another kernel: function, rung and family changed.
    static std::string named(const std::string& name, int rung, const std::string& family = "ladder") {
        std::string text = sample;
        text.replace(text.find("rung = 3"), 8, "rung = " + std::to_string(rung));
        text.replace(text.find("\"ladder\""), 8, '"' + family + '"');
        return text.replace(text.find("void sample"), 11, "void " + name);
    }
    fs::path root;
};

TEST_F(Folders, OrderedByFamilyThenRung) {
    write("a/first.cu", named("first", 9));
    write("a/second.cu", named("second", 2));
    write("a/third.cu", named("third", 1, "zoo"));
    write("a/notes.txt", "not a kernel");
    auto catalog = catalog::load({root / "a"});
    ASSERT_EQ(catalog.kernels.size(), 3u);
    EXPECT_EQ(catalog.kernels[0]->id, "second");
    EXPECT_EQ(catalog.kernels[1]->id, "first");
    EXPECT_EQ(catalog.kernels[2]->id, "third");
    EXPECT_TRUE(catalog.problems.empty());
    EXPECT_EQ(catalog.find("first"), catalog.kernels[1]);
    EXPECT_EQ(catalog.find("fourth"), nullptr);
}

TEST_F(Folders, ABrokenFileLeavesTheRest) {
    write("a/good.cu", named("good", 1));
    write("a/broken.cu", "int x;");
    auto catalog = catalog::load({root / "a", root / "absent"});
    EXPECT_EQ(catalog.kernels.size(), 1u);
    ASSERT_EQ(catalog.problems.size(), 2u);
    EXPECT_EQ(catalog.problems[0].where, (root / "a/broken.cu").string() + ":1");
    EXPECT_EQ(catalog.problems[1].where, (root / "absent").string());
}

// Nobody writes to them.
TEST_F(Folders, PipesAreNotWaitedFor) {
    write("a/good.cu", named("good", 1));
    for (const char* name : {"a/pipe.cu", "a/good.tuned.toml", "a/families.toml"})
        ASSERT_EQ(::mkfifo((root / name).c_str(), 0600), 0);
    const auto catalog = catalog::load({root / "a"});
    EXPECT_EQ(catalog.kernels.size(), 1u);
    ASSERT_EQ(catalog.problems.size(), 3u);
    for (size_t i = 0; const char* name : {"a/families.toml", "a/good.tuned.toml", "a/pipe.cu"})
        EXPECT_EQ(catalog.problems[i++].sentence(),
                  (root / name).string() + ": this is a device or a pipe; give a regular file");
}

TEST_F(Folders, OfTwoFilesOfOneNameTheLaterCounts) {
    write("a/same.cu", named("same", 1));
    write("b/same.cu", named("same", 7));
    write("b/other.cu", named("other", 2));
    auto catalog = catalog::load({root / "a", root / "b", root / "b", root / "b/other.cu"});
    ASSERT_EQ(catalog.kernels.size(), 2u);
    EXPECT_EQ(catalog.find("same")->rung, 7);
    EXPECT_TRUE(catalog.find("other")) << "the rest is there";
    ASSERT_EQ(catalog.problems.size(), 1u) << "the same file twice is no mistake";
    EXPECT_EQ(catalog.problems[0].where, (root / "a/same.cu").string() + ":1");
    const std::string sentence = catalog.problems[0].sentence();
    EXPECT_NE(sentence.find((root / "b/same.cu").string() + " takes the place of this kernel same"), std::string::npos)
        << sentence;
}

TEST_F(Folders, ReadAgainOnlyWhatHasChangedIsAnother) {
    write("a/kept.cu", named("kept", 1));
    write("a/edited.cu", named("edited", 2));
    write("a/broken.cu", named("broken", 3));
    write("a/gone.cu", named("gone", 4));
    const auto before = catalog::load({root / "a"});
    write("a/edited.cu", named("edited", 5));
    write("a/broken.cu", "/* gemmscope\nrung = \n*/");
    write("a/new.cu", named("new", 6).replace(named("new", 6).find("void new"), 8, "void a_new"));
    fs::remove(root / "a/gone.cu");
    const auto after = catalog::load({root / "a"}, &before);
    EXPECT_EQ(after.find("kept"), before.find("kept"));
    EXPECT_NE(after.find("edited"), before.find("edited"));
    EXPECT_EQ(after.find("edited")->rung, 5);
    EXPECT_EQ(after.find("broken"), before.find("broken")) << "as it was until the mistake is mended";
    EXPECT_EQ(after.find("gone"), nullptr);
    EXPECT_EQ(after.problems.size(), 2u); // broken.cu, and new.cu, which has no function new
}

// The catalogue that is shipped: every file reads, says everything in both languages, and every legal setting launches.
TEST(Shipped, AFolderGivenTwiceIsReadOnce) {
    const std::filesystem::path folder = SOURCE_DIR "/kernels";
    const auto once = catalog::load({folder}),
               twice = catalog::load({folder, folder / ".." / "kernels", "no/such/folder"});
    EXPECT_EQ(twice.kernels.size(), once.kernels.size());
    ASSERT_EQ(twice.problems.size(), 1u) << "no family is there a second time";
    EXPECT_NE(twice.problems[0].sentence().find("no/such/folder"), std::string::npos);
}

TEST(Shipped, EveryKernelIsSound) {
    auto catalog = catalog::load({fs::path(SOURCE_DIR) / "kernels", fs::path(SOURCE_DIR) / "kernels/races"});
    for (const auto& problem : catalog.problems) ADD_FAILURE() << problem.sentence();
    ASSERT_FALSE(catalog.kernels.empty());
    for (const auto& kernel : catalog.kernels) {
        SCOPED_TRACE(kernel->id);
        for (const catalog::Text* text : {&kernel->title, &kernel->idea, &kernel->story}) {
            EXPECT_FALSE(text->en.empty());
            EXPECT_NE(text->en, text->zh);
        }
        for (const auto& parameter : kernel->parameters)
            EXPECT_NE(parameter.meaning.en, parameter.meaning.zh) << parameter.name;
        for (const auto& rule : kernel->rules) EXPECT_NE(rule.reason.en, rule.reason.zh) << rule.expression;
        // From the initial setting, each value of each slider can be reached, and launches at odd sizes.
        for (const auto& parameter : kernel->parameters)
            for (int value : parameter.values) {
                auto near = catalog::nearest_legal(*kernel, catalog::initial_values(*kernel), parameter.name, value);
                ASSERT_TRUE(near) << near.error().sentence();
                for (catalog::Problem problem : {catalog::Problem{1, 1, 1}, {100, 37, 65}, {8192, 8192, 8192}}) {
                    auto shape = catalog::launch_shape(*kernel, *near, problem);
                    EXPECT_TRUE(shape) << shape.error().sentence();
                }
            }
    }
}

} // namespace
