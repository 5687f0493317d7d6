#include "views/strings.h"

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
    std::set_symmetric_difference(english.begin(), english.end(), chinese.begin(), chinese.end(),
                                  std::back_inserter(only_one));
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
        for (auto match = std::sregex_iterator(text->begin(), text->end(), call); match != std::sregex_iterator();
             ++match)
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

TEST(Strings, ReasonsAreTranslatedAndTheDriversOwnWordsStay) {
    Strings strings = load();
    const std::string none =
        "no NVIDIA driver: libcuda.so.1: cannot open it; install NVIDIA's driver to run on a GPU; everything else works without";
    EXPECT_EQ(strings.reason(none), none);
    strings.use(session::Language::zh);
    EXPECT_EQ(
        strings.reason(none),
        "没有 NVIDIA 驱动：“libcuda.so.1: cannot open it”；安装 NVIDIA 驱动后即可在 GPU 上运行；其余功能不需要它");
    EXPECT_EQ(strings.reason("the window is drawn by llvmpipe (LLVM 15, 256 bits), not by an NVIDIA GPU"),
              "窗口由 llvmpipe (LLVM 15, 256 bits) 绘制，而不是由 NVIDIA GPU 绘制");
    EXPECT_EQ(strings.reason("the NVIDIA driver libcuda.so.1 has no cuInit"), "NVIDIA 驱动 libcuda.so.1 没有 cuInit");
    EXPECT_EQ(strings.reason("something that nobody has foreseen"), "something that nobody has foreseen");
    EXPECT_EQ(strings.reason(""), "");
}

// A pattern that no source says any more would never match.
TEST(Strings, EveryReasonIsSaidByASource) {
    std::string sources;
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(SOURCE_DIR) / "app" / "gpu"))
        if (entry.path().extension() == ".cpp") sources += *base::read_file(entry.path());
    const Strings strings = load();
    for (const std::string& key : strings.keys(session::Language::en)) {
        if (!key.starts_with("reason.")) continue;
        std::string rest = strings(key);
        for (size_t gap = rest.find("{}"); !rest.empty();
             gap = rest.find("{}")) { // the pieces between what is filled in
            std::string piece = rest.substr(0, gap);
            while (piece.ends_with(' ') || piece.ends_with(':')) piece.pop_back();
            EXPECT_NE(sources.find(piece), std::string::npos) << key << ": " << piece;
            rest = gap == std::string::npos ? "" : rest.substr(gap + 2);
        }
    }
}

TEST(Strings, AMissingFolderIsAnErrorThatNamesTheFile) {
    const auto none = Strings::load("/nonexistent");
    ASSERT_FALSE(none);
    EXPECT_NE(none.error().sentence().find("en.toml"), std::string::npos);
}

} // namespace
} // namespace ui
