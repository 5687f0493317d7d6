#include "ui/strings.h"

#include "base/file.h"
#include "ui/keys.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>

namespace ui {
namespace {

namespace fs = std::filesystem;

Strings load() {
    auto strings = Strings::load(fs::path(SOURCE_DIR) / "assets" / "i18n");
    EXPECT_TRUE(strings) << (strings ? "" : strings.error().sentence());
    return strings ? *std::move(strings) : Strings();
}

TEST(Strings, BothLanguagesHaveTheSameKeys) {
    const Strings strings = load();
    const auto english = strings.keys(session::Language::en), chinese = strings.keys(session::Language::zh);
    std::vector<std::string> only_one;
    std::set_symmetric_difference(english.begin(), english.end(), chinese.begin(), chinese.end(), std::back_inserter(only_one));
    EXPECT_EQ(only_one, std::vector<std::string>());
    EXPECT_GT(english.size(), 100u);
}

// Every literal "panel.key" that is handed to tr() in the sources, and those of the tables of keys and panels.
TEST(Strings, EveryKeyThatTheSourcesUseIsThere) {
    Strings strings = load();
    const std::regex call(R"re(\btr\(\s*"([a-z_]+\.[a-z_0-9]+)"\))re");
    for (const auto& entry : fs::directory_iterator(fs::path(SOURCE_DIR) / "app" / "ui")) {
        if (entry.path().extension() != ".cpp") continue; // headers show examples
        const auto text = base::read_file(entry.path());
        ASSERT_TRUE(text);
        for (auto match = std::sregex_iterator(text->begin(), text->end(), call); match != std::sregex_iterator(); ++match)
            strings((*match)[1].str());
    }
    for (const KeyRow& row : key_table()) strings(row.help);
    for (int i = 0; i < panel_count; ++i) strings(panels[i].title);
    EXPECT_EQ(strings.missing(), std::set<std::string>());
}

TEST(Strings, FallBackToEnglishThenToTheKey) {
    Strings strings = load();
    strings.use(session::Language::zh);
    EXPECT_STREQ(strings(catalog::Text{"only English", ""}), "only English");
    EXPECT_STREQ(strings("no.such_key"), "no.such_key");
    EXPECT_EQ(strings.missing(), std::set<std::string>{"no.such_key"});
}

TEST(Strings, AMissingFolderIsAnErrorThatNamesTheFile) {
    const auto none = Strings::load("/nonexistent");
    ASSERT_FALSE(none);
    EXPECT_NE(none.error().sentence().find("en.toml"), std::string::npos);
}

} // namespace
} // namespace ui
