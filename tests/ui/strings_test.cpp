#include "sentences.h"
#include "views/strings.h"

#include "base/file.h"
#include "ui/window/glossary.h"
#include "ui/window/keys.h"

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
    std::set_symmetric_difference(english.begin(), english.end(), chinese.begin(), chinese.end(),
                                  std::back_inserter(only_one));
    EXPECT_EQ(only_one, std::vector<std::string>());
    EXPECT_GT(english.size(), 100u);
}

TEST(Strings, SentencesAreShort) {
    EXPECT_EQ(longest_sentence("One two. Three four five six"), 4);
    EXPECT_EQ(longest_sentence("M × N × K"), 5); // × is beyond ASCII: counted
    const Strings strings = load();
    std::string sentence;
    for (const std::string& key : strings.keys(session::Language::en))
        EXPECT_LE(longest_sentence(strings(key), &sentence), most_words) << key << ": " << sentence;
    for (const auto& [english, chinese] : strings.sentences())
        EXPECT_LE(longest_sentence(english, &sentence), most_words) << sentence;
    for (const Term& term : strings.glossary())
        EXPECT_LE(longest_sentence(term.text.en, &sentence), most_words) << term.id << ": " << sentence;
}

// One sentence a term, in both languages, and a view that shows it.
TEST(Strings, TheGlossaryHasFortyTermsThatAreSeenSomewhere) {
    const Strings strings = load();
    EXPECT_GE(strings.glossary().size(), 40u);
    for (const Term& term : strings.glossary()) {
        EXPECT_TRUE(find_panel(term.see)) << term.id << " is seen in " << term.see;
        EXPECT_NE(term.text.en, term.text.zh) << term.id;
        EXPECT_TRUE(term.text.en.ends_with('.') && term.text.zh.ends_with("。")) << term.id;
        EXPECT_EQ(term.text.en.find(". "), std::string::npos) << term.id;
    }
}

// "What am I looking at", of every view, and short enough for a line of the stage.
TEST(Strings, EveryViewIsExplainedInASentence) {
    Strings strings = load();
    for (const auto language : {session::Language::en, session::Language::zh}) {
        strings.use(language);
        for (const PanelRow& row : panels()) strings("about." + std::string(row.id));
    }
    EXPECT_EQ(strings.missing(), std::set<std::string>());
}

// One Chinese word for one thing: CONTRIBUTING.md has the table. These are the other words, which must not come back.
TEST(Strings, ChineseHasOneWordForOneThing) {
    Strings strings = load();
    strings.use(session::Language::zh);
    for (const char* other : {"核函数", "线程束", "波前", "多处理器", "异步复制", "成块拷贝", "基准", "k 片",
                              "复制引擎", "尺寸", "局部内存", "线程小块", "预置", "植入"}) {
        for (const std::string& key : strings.keys(session::Language::zh))
            EXPECT_EQ(std::string_view(strings(key)).find(other), std::string_view::npos) << key << ": " << other;
        for (const auto& [english, chinese] : strings.sentences())
            EXPECT_EQ(chinese.find(other), std::string::npos) << chinese << ": " << other;
    }
}

// Every literal "panel.key" that is handed to tr() in the sources, and those of the tables of keys and panels.
TEST(Strings, EveryKeyThatTheSourcesUseIsThere) {
    Strings strings = load();
    const std::regex call(R"re(\btr\(\s*"([a-z_]+\.[a-z_0-9]+)"\))re");
    for (const auto& entry : fs::directory_iterator(fs::path(SOURCE_DIR) / "app" / "ui")) {
        if (entry.path().extension() != ".cpp") continue; // headers show examples
        const auto text = base::read_file(entry.path());
        ASSERT_TRUE(text);
        for (auto match = std::sregex_iterator(text->begin(), text->end(), call); match != std::sregex_iterator();
             ++match)
            strings((*match)[1].str());
    }
    for (const KeyRow& row : key_table()) strings(row.help);
    for (const PanelRow& row : panels()) strings(row.title);
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
