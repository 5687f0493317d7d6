// Every sentence that the sources say has its Chinese, and the table has no other: as xgettext does it, by reading the sources.
#include "views/strings.h"

#include "base/file.h"

#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <map>
#include <set>

namespace {

namespace fs = std::filesystem;

// Reads C++: comments and literals are what they are, and the rest is looked through for say("...") and phrase("...").
class Source {
public:
    explicit Source(std::string text) : text_(std::move(text)) {}

    // The patterns, as they are looked up.
    std::vector<std::string> patterns() {
        std::vector<std::string> found;
        while (at_ < text_.size()) {
            if (skip_comment()) continue;
            if (text_[at_] == '"') literal();
            else if (text_[at_] == '\'' && (at_ == 0 || !std::isalnum(byte(at_ - 1)))) character();
            else if (is_word(at_)) word(found);
            else ++at_;
        }
        return found;
    }

private:
    unsigned char byte(size_t at) const { return static_cast<unsigned char>(text_[at]); }
    bool is_word(size_t at) const { return at < text_.size() && (std::isalnum(byte(at)) || text_[at] == '_'); }

    bool skip_comment() {
        if (text_.compare(at_, 2, "//") != 0) return false;
        at_ = std::min(text_.find('\n', at_), text_.size());
        return true;
    }
    void skip_blanks() {
        while (at_ < text_.size() && (std::isspace(byte(at_)) || skip_comment())) at_ += std::isspace(byte(at_)) != 0;
    }
    void character() {
        for (++at_; at_ < text_.size() && text_[at_] != '\''; ++at_) at_ += text_[at_] == '\\';
        ++at_;
    }
    std::string literal() {
        std::string text;
        for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
            if (text_[at_] == '\\') text += text_[++at_] == 'n' ? '\n' : text_[at_];
            else text += text_[at_];
        }
        ++at_;
        return text;
    }
    void word(std::vector<std::string>& found) {
        const size_t start = at_;
        while (is_word(at_)) ++at_;
        const std::string_view name(text_.data() + start, at_ - start);
        if (name == "R" && text_[at_] == '"') { // R"delimiter(...)delimiter"
            const size_t open = text_.find('(', at_);
            const std::string end = ")" + text_.substr(at_ + 1, open - at_ - 1) + "\"";
            at_ = text_.find(end, open) + end.size();
            return;
        }
        if ((name != "say" && name != "phrase") || at_ == text_.size() || text_[at_] != '(') return;
        ++at_;
        std::string format;
        bool any = false;
        for (skip_blanks(); at_ < text_.size() && text_[at_] == '"'; skip_blanks()) format += literal(), any = true;
        if (any) found.push_back(name == "say" ? base::pattern_of(format) : format);
    }

    std::string text_;
    size_t at_ = 0;
};

// What the command line alone says is in English. Where each stands first.
std::map<std::string, std::string> said_by_the_sources() {
    std::map<std::string, std::string> said;
    const fs::path app = fs::path(SOURCE_DIR) / "app";
    for (const auto& entry : fs::recursive_directory_iterator(app)) {
        const std::string name = fs::relative(entry.path(), app).string();
        if ((entry.path().extension() != ".cpp" && entry.path().extension() != ".h") || name.starts_with("cli/"))
            continue;
        for (const std::string& pattern : Source(*base::read_file(entry.path())).patterns())
            said.emplace(pattern, name);
    }
    return said;
}

views::Strings chinese() {
    auto strings = views::Strings::load(fs::path(SOURCE_DIR) / "assets" / "i18n");
    EXPECT_TRUE(strings) << (strings ? "" : strings.error().sentence());
    strings->use(session::Language::zh);
    return *std::move(strings);
}

TEST(Sentences, AreFoundInSources) {
    const std::string source =
        "// say(\"no\")\nsay(\"a {:#x} \\\"{{\"\n    \"b\", x); // more\n'\"'; R\"(say(\"no\"))\"; f(\"say(\\\"no\\\")\"); "
        "base::phrase( \"c\"); essay(\"no\"); say(context, \"no\"); 1'000'000; say(\"d\")";
    EXPECT_EQ(Source(source).patterns(), (std::vector<std::string>{"a {} \"{b", "c", "d"}));
}

TEST(Sentences, EachHasItsChineseAndTheTableHasNoOther) {
    const views::Strings strings = chinese();
    const auto said = said_by_the_sources();
    EXPECT_GT(said.size(), 900u);
    for (const auto& [pattern, where] : said)
        EXPECT_TRUE(strings.sentences().contains(pattern)) << where << " says, and zh.toml lacks: " << pattern;
    const std::set<std::string> of_lists = {", ", "; "};
    for (const auto& [pattern, translation] : strings.sentences())
        EXPECT_TRUE(said.contains(pattern) || of_lists.contains(pattern)) << "no source says: " << pattern;
}

// Each place of the English once, in whatever order.
TEST(Sentences, HaveTheSamePlacesInChinese) {
    const views::Strings strings = chinese();
    for (const auto& [pattern, translation] : strings.sentences()) {
        std::vector<std::string> parts;
        for (size_t at = pattern.find("{}"); at != pattern.npos; at = pattern.find("{}", at + 2))
            parts.push_back("<" + std::to_string(parts.size()) + ">");
        const std::string filled = base::joined(base::pieces_of(translation, parts));
        for (const std::string& part : parts) {
            EXPECT_NE(filled.find(part), filled.npos) << pattern << " = " << translation;
            EXPECT_EQ(filled.find(part), filled.rfind(part)) << pattern << " = " << translation;
        }
        if (parts.empty()) continue;
        EXPECT_EQ(filled.find("{}"), filled.npos) << pattern << " = " << translation;
    }
}

TEST(Sentences, AreSaidWithAllThatFillsThem) {
    views::Strings strings = chinese();
    const base::Error none{base::Failure::missing,
                           base::say("no NVIDIA driver: {}", base::verbatim("libcuda.so.1: cannot open it")),
                           {},
                           base::say("install NVIDIA's driver to run on a GPU; everything else works without")};
    EXPECT_EQ(
        strings(none),
        "没有 NVIDIA 驱动：“libcuda.so.1: cannot open it”；安装 NVIDIA 驱动后即可在 GPU 上运行；其余功能不需要它");
    EXPECT_EQ(strings(base::say("choose {} among {}", "BM", base::names(std::vector{8, 16}))), "请从 8、16 中选择 BM");
    EXPECT_EQ(strings(base::verbatim("expected a \";\"")), "expected a \";\"");
    EXPECT_EQ(strings(base::Sentence(base::Sentence::Kind::pattern, "of a later version: {}", {base::say("reads")})),
              "of a later version: 读取");
    EXPECT_EQ(strings(base::Sentence()), "");
    // A space between Chinese and Latin letters, none between Chinese characters, whatever fills the place.
    EXPECT_EQ(strings(base::say("executing {} takes {}, and this machine has {} left", base::say("one block"), "2 GiB",
                                "1 GiB")),
              "执行一个线程块需要 2 GiB，本机只剩 1 GiB");
    EXPECT_EQ(
        strings(base::say("lane {} reads {}, which nothing has written", 3, base::say("element {} of {}", 7, "As"))),
        "lane 3 读取 As 的第 7 个元素，而该处从未写入");
    EXPECT_EQ(strings(base::say("{} of warp {} of {} ends here, and what the block lacks without it is not reported",
                                base::say("lane {}", 3), 1, base::say("block ({}, {}, {})", 0, 1, 0))),
              "线程块 (0, 1, 0) 的 warp 1 的 lane 3 在此结束，线程块因此缺少的操作不再报告");
    EXPECT_EQ(
        strings(base::say("lane {} reads {}, which nothing has written", 0, base::say("{} (padding)", "A[1][9]"))),
        "lane 0 读取 A[1][9]（填充），而该处从未写入");
    EXPECT_EQ(strings(base::say("{} is not a kernel", "我的 内核")), "我的 内核不是内核") << "what others wrote stays";
    strings.use(session::Language::en);
    EXPECT_EQ(strings(none), none.sentence());
}

} // namespace
