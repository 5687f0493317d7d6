#include "views/glossary.h"

#include "base/file.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace {

namespace fs = std::filesystem;

class Glossary : public testing::Test {
protected:
    base::Result<std::vector<views::Term>> read(const std::string& text) {
        EXPECT_TRUE(base::write_file(path_, text));
        return views::read_glossary(path_);
    }
    void TearDown() override { fs::remove(path_); }
    const fs::path path_ =
        fs::path(testing::TempDir()) /
        fmt::format("glossary_{}.toml", testing::UnitTest::GetInstance()->current_test_info()->name());
};

std::string term(const std::string& id, const std::string& more = "") {
    return "[[term]]\nid = \"" + id +
           "\"\nterm = { en = \"n\", zh = \"名\" }\ntext = { en = \"t\", zh = \"文\" }\nsee = \"map\"\n" + more;
}

TEST_F(Glossary, IsReadInItsOrder) {
    const auto terms = read(term("warp", "pmpp = \"w\"\n") + term("bank"));
    ASSERT_TRUE(terms) << terms.error().sentence();
    ASSERT_EQ(terms->size(), 2u);
    EXPECT_EQ((*terms)[0].id, "warp");
    EXPECT_EQ((*terms)[0].pmpp, "w");
    EXPECT_EQ((*terms)[1].term.zh, "名");
}

TEST_F(Glossary, AMistakeIsNamedWithItsLine) {
    const auto fails = [&](const std::string& text, int line, const std::string& what) {
        const auto terms = read(text);
        ASSERT_FALSE(terms) << text;
        const std::string said = terms.error().sentence();
        EXPECT_NE(said.find(fmt::format(".toml:{}", line)), std::string::npos) << said;
        EXPECT_NE(said.find(what), std::string::npos) << said;
    };
    fails("[[term]]\nid = \"a\"\n", 1, "\"term\" is missing");
    fails(term("a", "also = \"b\"\n"), 6, "unknown key \"also\"");
    fails(term("a") + term("a"), 6, "two terms \"a\"");
    fails(term("a", "pmpp = 3\n"), 6, "\"pmpp\" should be a text");
    fails(term("a", "pmpp = \"" + std::string(401, 'x') + "\"\n"), 1, "more than 400 bytes");
    fails("[[term]]\nid = \n", 2, "");
}

TEST_F(Glossary, IsBounded) {
    std::string many;
    for (int i = 0; i < 257; ++i) many += term("t" + std::to_string(i));
    const auto terms = read(many);
    ASSERT_FALSE(terms);
    EXPECT_NE(terms.error().sentence().find("more than 256 terms"), std::string::npos);
    const auto long_file = read("# " + std::string(256 << 10, 'x') + "\n");
    ASSERT_FALSE(long_file);
    EXPECT_NE(long_file.error().sentence().find("bytes"), std::string::npos);
    EXPECT_FALSE(views::read_glossary("/nonexistent/glossary.toml"));
}

TEST_F(Glossary, IsSearchedByNameBeforeSentenceInBothLanguages) {
    const auto terms = views::read_glossary(fs::path(SOURCE_DIR) / "assets" / "glossary.toml");
    ASSERT_TRUE(terms) << terms.error().sentence();
    const auto first = [&](std::string_view words) {
        const auto found = views::find_terms(*terms, words);
        return found.empty() ? std::string() : found.front()->id;
    };
    EXPECT_EQ(first("COALESCING"), "coalescing") << "PMPP's name";
    EXPECT_EQ(first("存储体冲突"), "bank_conflict");
    EXPECT_EQ(first("ldgsts"), "cp_async") << "NVIDIA's name";
    EXPECT_EQ(first("no such word"), "");
    EXPECT_EQ(views::find_terms(*terms, "").size(), terms->size());
    const auto found = views::find_terms(*terms, "wavefront");
    ASSERT_GT(found.size(), 1u);
    EXPECT_EQ(found.front()->id, "wavefront") << "others only say the word";
}

} // namespace
