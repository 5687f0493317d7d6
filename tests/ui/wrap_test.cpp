#include "stage.h"

#include "ui/draw/draw.h"
#include "ui/draw/wrap.h"

#include <cctype>
#include <fstream>
#include <random>
#include <regex>

namespace {

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines{""};
    for (const char c : text)
        if (c == '\n') lines.emplace_back();
        else lines.back() += c;
    return lines;
}

class Wrap : public testing::Test {
protected:
    Wrap() {
        stage_.show([this](ui::Context& context) {
            font_ = context.style.text;
            if (then_) then_();
        });
    }
    // What f says while the fonts are there.
    void with_font(std::function<void()> f) {
        then_ = std::move(f);
        stage_.frame();
        then_ = {};
    }
    float width(std::string_view text) const { return ui::text_size(font_, text).x; }
    float height() const { return font_->FontSize; }
    ImFont* font() const { return font_; }
    std::string wrapped(float room, std::string_view text) const { return ui::wrapped(font_, room, text); }
    std::string first_lines(float room, float height, std::string_view lines) const {
        return ui::first_lines(font_, room, height, lines);
    }

private:
    Stage stage_{session::View{}};
    std::function<void()> then_;
    ImFont* font_ = nullptr;
};

TEST_F(Wrap, KeepsANumberWhole) {
    with_font([&] {
        const std::string text = "单位 TFLOPS，规模 4096³，颜色从 6.9 到 44.1，其余参数不变。";
        for (float room = width("TFLOPS，"); room < width(text); room += 3) {
            const auto lines = lines_of(wrapped(room, text));
            for (size_t i = 0; i < lines.size(); ++i) {
                EXPECT_LE(width(lines[i]), room) << lines[i];
                EXPECT_FALSE(i > 0 && std::isdigit(static_cast<unsigned char>(lines[i][0])) &&
                             std::regex_search(lines[i - 1], std::regex("[0-9.]$")))
                    << lines[i - 1];
            }
        }
    });
}

TEST_F(Wrap, WhatHasNoRoomIsCutWithAnEllipsis) {
    with_font([&] {
        const std::string text =
            "An exercise is a kernel that is not right yet, or not fast; the page says what is asked. 写完即判。";
        for (float room = width("exercise"); room < width(text); room += 7) {
            const std::string all = wrapped(room, text);
            const auto whole = lines_of(all);
            for (size_t kept = 1; kept <= whole.size() + 1; ++kept) {
                const std::string cut = first_lines(room, (static_cast<float>(kept) + 0.5f) * height(), all);
                const auto lines = lines_of(cut);
                if (kept >= whole.size()) {
                    EXPECT_EQ(cut, all);
                    continue;
                }
                ASSERT_EQ(lines.size(), kept);
                EXPECT_TRUE(lines.back().ends_with("\u2026")) << cut;
                for (size_t i = 0; i < kept; ++i) EXPECT_LE(width(lines[i]), room) << lines[i];
                for (size_t i = 0; i + 1 < kept; ++i) EXPECT_EQ(lines[i], whole[i]);
            }
            EXPECT_EQ(lines_of(first_lines(room, 0, all)).size(), 1u) << "the first at least";
        }
    });
}

TEST_F(Wrap, AnEllipsisStandsForAWholeNumber) {
    with_font([&] {
        const std::string text = "51.6 TFLOPS, 1.25 × cuBLAS, 2048";
        for (float room = 0; room < width(text); room += 1) {
            const std::string cut = ui::with_ellipsis(font(), room, text);
            const std::string kept = cut.substr(0, cut.size() - std::string_view("\u2026").size());
            EXPECT_TRUE(text.starts_with(kept)) << cut;
            if (!kept.empty())
                EXPECT_FALSE(std::regex_search(kept, std::regex("[0-9.]$")) &&
                             std::regex_search(text.substr(kept.size()), std::regex("^[0-9.]")))
                    << cut;
        }
        EXPECT_EQ(ui::with_ellipsis(font(), width("51.6 TFLOPS, 1.2\u2026") + 1, text), "51.6 TFLOPS, \u2026");
    });
}

TEST_F(Wrap, KeepsAPercentSignBesideItsNumber) {
    with_font([&] {
        const std::string text = "They take 9 % of the slots, or 91 % of them.";
        for (float room = width("slots, or"); room < width(text); room += 3)
            for (const std::string& line : lines_of(wrapped(room, text))) EXPECT_FALSE(line.starts_with('%')) << line;
    });
}

TEST_F(Wrap, BeginsNoLineWithWhatClosesAndEndsNoneWithWhatOpens) {
    with_font([&] {
        const std::string text = "灰色：不合法（见规则）。内框：图中最快，“爬山”按 H；其余参数不变！";
        for (float room = width("灰色：不"); room < width(text); room += 3) {
            const auto lines = lines_of(wrapped(room, text));
            for (size_t i = 0; i < lines.size(); ++i) {
                for (const char* closing : {"：", "）", "。", "，", "”", "；", "！"})
                    EXPECT_FALSE(i > 0 && lines[i].starts_with(closing)) << lines[i];
                for (const char* opening : {"（", "“"})
                    EXPECT_FALSE(i + 1 < lines.size() && lines[i].ends_with(opening)) << lines[i];
            }
        }
    });
}

TEST_F(Wrap, BreaksAtBlanksWhichGoAndKeepsItsOwnBreaks) {
    with_font([&] {
        EXPECT_EQ(wrapped(width("one two"), "one two three"), "one two\nthree");
        EXPECT_EQ(wrapped(width("one two"), "one two   three"), "one two\nthree");
        EXPECT_EQ(wrapped(width("one two three"), "one two three"), "one two three");
        EXPECT_EQ(wrapped(width("one two"), "one\ntwo three"), "one\ntwo\nthree");
        EXPECT_EQ(wrapped(width("one two"), ""), "");
    });
}

TEST_F(Wrap, CutsAWordThatIsWiderThanALine) {
    with_font([&] {
        const std::string path(60, 'm');
        const std::string text = "in " + path;
        std::string together;
        for (const std::string& line : lines_of(wrapped(width("mmmmm"), text))) {
            EXPECT_LE(width(line), width("mmmmm"));
            together += line;
        }
        EXPECT_EQ(together, "in" + path);
        for (const std::string& line :
             lines_of(wrapped(width("GB/s"), "\u6bcf\u79d2 GB/s\u3001"))) // the comma may begin no line
            EXPECT_LE(width(line), width("GB/s"));
        EXPECT_EQ(lines_of(wrapped(1, "abc")).size(), 3u) << "a character a line where there is no room for more";
    });
}

// Every sentence of both languages in every width: no line is too wide, and nothing but blanks is lost.
TEST_F(Wrap, LosesNothingOfAnySentence) {
    with_font([&] {
        std::mt19937 random(1);
        for (const char* language : {"en", "zh"}) {
            std::ifstream file(std::string(SOURCE_DIR "/assets/i18n/") + language + ".toml");
            for (std::string line; std::getline(file, line);) {
                const float room = width("三个字") + static_cast<float>(random() % 600);
                const std::string text = wrapped(room, line);
                for (const std::string& one : lines_of(text)) EXPECT_LE(width(one), room + 0.01f) << one;
                const auto without_blanks = [](std::string s) {
                    return std::regex_replace(s, std::regex("[ \n]"), "");
                };
                ASSERT_EQ(without_blanks(text), without_blanks(line));
            }
        }
    });
}

} // namespace
