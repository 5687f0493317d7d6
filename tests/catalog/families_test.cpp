#include "base/file.h"
#include "catalog/catalog.h"
#include "sample.h"

#include <gtest/gtest.h>

#include <unistd.h>

namespace {
namespace fs = std::filesystem;

class Families : public testing::Test {
protected:
    void SetUp() override {
        root = fs::temp_directory_path() / ("gemmscope_families_test." + std::to_string(::getpid()));
        write("families.toml", "[[family]]\nid = \"ladder\"\ntitle = { en = \"Ladder\", zh = \"阶梯\" }\n\n"
                               "[[family]]\nid = \"binary\"\ntitle = \"Bits\"\n");
    }
    void TearDown() override { fs::remove_all(root); }
    void write(const std::string& file, const std::string& text) {
        ASSERT_TRUE(base::write_file(root / file, text).ok());
    }
    void kernel(const std::string& name, const std::string& family, int rung = 3) {
        std::string text = sample;
        text.replace(text.find("rung = 3"), 8, "rung = " + std::to_string(rung));
        text.replace(text.find("\"ladder\""), 8, '"' + family + '"');
        write(name + ".cu", text.replace(text.find("void sample"), 11, "void " + name));
    }
    std::vector<std::string> ids(const catalog::Catalog& catalog) {
        std::vector<std::string> all;
        for (const auto& kernel : catalog.kernels) all.push_back(kernel->id);
        return all;
    }
    fs::path root;
};

TEST_F(Families, TheListGivesTheirOrderAndTitles) {
    kernel("a", "binary"), kernel("b", "ladder", 2), kernel("c", "ladder", 1);
    const catalog::Catalog catalog = catalog::load({root});
    EXPECT_EQ(ids(catalog), (std::vector<std::string>{"c", "b", "a"}));
    ASSERT_EQ(catalog.families.size(), 2u);
    EXPECT_EQ(catalog.families[0].title.zh, "阶梯");
    EXPECT_EQ(catalog.families[1].id, "binary");
    EXPECT_EQ(catalog.families[1].title.zh, "Bits") << "one text for both languages";
}

TEST_F(Families, AnUnknownOneIsAnErrorWithItsLine) {
    kernel("a", "bynary"), kernel("b", "binary");
    const catalog::Catalog catalog = catalog::load({root});
    EXPECT_EQ(ids(catalog), std::vector<std::string>{"b"});
    ASSERT_EQ(catalog.problems.size(), 1u);
    EXPECT_EQ(catalog.problems[0].where, (root / "a.cu").string() + ":2");
    const std::string sentence = catalog.problems[0].sentence();
    EXPECT_NE(sentence.find("there is no family \"bynary\""), std::string::npos) << sentence;
    EXPECT_NE(sentence.find("ladder, binary"), std::string::npos) << sentence;
}

TEST_F(Families, AFolderMayDescribeItsOwn) {
    kernel("a", "ladder");
    write("mine/families.toml", "[[family]]\nid = \"week_3\"\ntitle = \"Week 3\"\n");
    fs::create_directories(root / "mine");
    std::string text = sample;
    write("mine/sample.cu", text.replace(text.find("\"ladder\""), 8, "\"week_3\""));
    const catalog::Catalog catalog = catalog::load({root, root / "mine"});
    EXPECT_TRUE(catalog.problems.empty()) << catalog.problems[0].sentence();
    EXPECT_EQ(ids(catalog), (std::vector<std::string>{"a", "sample"}));
    EXPECT_EQ(catalog.families.back().title.en, "Week 3");
}

TEST_F(Families, MistakesInTheListPointAtTheirLine) {
    const struct {
        const char *text, *what;
        int line;
    } wrongs[] = {{"[[family]]\nid = \"ladder\"\ntitle = \"Again\"\n", "there is already a family \"ladder\"", 2},
                  {"[[family]]\nid = \"x\"\n", "\"title\" is missing", 1},
                  {"[[family]]\nid = \"x\"\nname = \"y\"\n", "unknown key \"name\"", 3},
                  {"family = 3\n", "under [[family]]", 1},
                  {"\n[[family\n", "", 2}};
    for (const auto& wrong : wrongs) {
        SCOPED_TRACE(wrong.text);
        write("mine/families.toml", wrong.text);
        const catalog::Catalog catalog = catalog::load({root, root / "mine"});
        EXPECT_EQ(catalog.families.size(), 2u);
        ASSERT_EQ(catalog.problems.size(), 1u);
        EXPECT_EQ(catalog.problems[0].where, (root / "mine/families.toml").string() + ":" + std::to_string(wrong.line));
        EXPECT_NE(catalog.problems[0].what.english().find(wrong.what), std::string::npos)
            << catalog.problems[0].what.english();
    }
}

TEST_F(Families, NeighboursAreOfOneFamily) {
    kernel("a", "ladder", 1), kernel("b", "ladder", 2), kernel("c", "binary", 1);
    const catalog::Catalog catalog = catalog::load({root});
    EXPECT_EQ(catalog.beside("a", 1), catalog.find("b"));
    EXPECT_EQ(catalog.beside("b", -1), catalog.find("a"));
    EXPECT_EQ(catalog.beside("a", -1), nullptr);
    EXPECT_EQ(catalog.beside("b", 1), nullptr) << "c is of another family";
    EXPECT_EQ(catalog.beside("c", -1), nullptr);
    EXPECT_EQ(catalog.beside("none", 1), nullptr);
}

// Every family of the program has a title in both languages, and its kernels name one of them.
TEST(Shipped, FamiliesHaveTitlesInBothLanguages) {
    const catalog::Catalog catalog = catalog::load({fs::path(SOURCE_DIR) / "kernels"});
    ASSERT_FALSE(catalog.families.empty());
    EXPECT_EQ(catalog.families.front().id, "ladder") << "what a beginner sees first";
    for (const catalog::Family& family : catalog.families) EXPECT_NE(family.title.en, family.title.zh) << family.id;
}

} // namespace
