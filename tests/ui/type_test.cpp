// The sheet of glyphs against the one that ImGui's own builder makes of the same files; type that is made beside the frames.
#include "stage.h"

#include "ui/draw/fonts.h"

#include <atomic>
#include <cmath>
#include <fstream>

namespace {

using ui::FontFiles;
using ui::Glyph;

std::vector<uint32_t> ascii() {
    std::vector<uint32_t> all;
    for (uint32_t c = ' '; c <= '~'; ++c) all.push_back(c);
    return all;
}

// The coverage of a glyph, row by row, without what is empty around it.
std::vector<uint8_t> cut_out(const uint8_t* sheet, uint32_t width, uint32_t x, uint32_t y, uint32_t across,
                             uint32_t down) {
    std::vector<uint8_t> texels;
    for (uint32_t row = 0; row < down; ++row)
        texels.insert(texels.end(), sheet + (y + row) * width + x, sheet + (y + row) * width + x + across);
    return texels;
}

void expect_imguis(const FontFiles::File& file, float pixels, int oversample, const std::vector<uint32_t>& characters,
                   const ui::Face& face, const ui::GlyphSheet& sheet) {
    ImVector<ImWchar> ranges;
    for (const uint32_t c : characters)
        ranges.push_back(static_cast<ImWchar>(c)), ranges.push_back(static_cast<ImWchar>(c));
    ranges.push_back(0);
    ImFontAtlas atlas;
    ImFontConfig config;
    config.OversampleH = oversample;
    config.OversampleV = 1;
    config.FontNo = file.index;
    const ImFont* const font = atlas.AddFontFromFileTTF(file.path.c_str(), pixels, &config, ranges.Data);
    ASSERT_TRUE(font);
    unsigned char* coverage = nullptr;
    int width = 0, height = 0;
    atlas.GetTexDataAsAlpha8(&coverage, &width, &height);
    size_t compared = 0;
    for (const Glyph& ours : face.glyphs) {
        const ImFontGlyph* theirs = font->FindGlyphNoFallback(static_cast<ImWchar>(ours.character));
        if (!theirs) continue;
        EXPECT_FLOAT_EQ(ours.advance, theirs->AdvanceX) << ours.character;
        if (!theirs->Visible) continue;
        EXPECT_NEAR(ours.left, theirs->X0, 1e-3) << ours.character;
        EXPECT_NEAR(ours.right, theirs->X1, 1e-3) << ours.character;
        EXPECT_NEAR(ours.top - std::round(face.ascent), theirs->Y0 - std::round(font->Ascent), 1e-3) << ours.character;
        EXPECT_NEAR(ours.bottom - ours.top, theirs->Y1 - theirs->Y0, 1e-3) << ours.character;
        const auto x = static_cast<uint32_t>(std::lround(theirs->U0 * static_cast<float>(width))),
                   y = static_cast<uint32_t>(std::lround(theirs->V0 * static_cast<float>(height)));
        EXPECT_EQ(cut_out(sheet.coverage.data(), sheet.width, ours.x, ours.y, ours.width, ours.height),
                  cut_out(coverage, static_cast<uint32_t>(width), x, y, ours.width, ours.height))
            << ours.character;
        ++compared;
    }
    EXPECT_GT(compared, characters.size() / 2);
}

TEST(GlyphSheet, HasTheTexelsOfImGuisOwnBuilder) {
    const FontFiles files = ui::find_fonts();
    if (files.text.path.empty()) GTEST_SKIP() << "no font";
    for (const float pixels : {14.0f, 22.0f, 45.0f}) {
        const std::vector<uint32_t> characters = ascii();
        const std::vector<ui::FaceWish> wishes{{files.text, {}, pixels, characters},
                                               {files.mono, {}, pixels, characters}};
        const ui::GlyphSheet sheet = ui::make_sheet(wishes, 1, 0);
        expect_imguis(files.text, pixels, 2, characters, sheet.faces[0], sheet);
        expect_imguis(files.mono, pixels, 2, characters, sheet.faces[1], sheet);
    }
}

TEST(GlyphSheet, TakesFromTheChineseFontWhatTheOtherHasNot) {
    const FontFiles files = ui::find_fonts();
    if (files.text.path.empty() || files.chinese.path.empty()) GTEST_SKIP() << "no Chinese font";
    const std::vector<uint32_t> characters{'A', 0x5206, 0x5757, 0x7EBF, 0x7A0B};
    const ui::GlyphSheet sheet =
        ui::make_sheet(std::vector<ui::FaceWish>{{files.text, files.chinese, 20, characters}}, 1, 0);
    ASSERT_EQ(sheet.faces[0].glyphs.size(), characters.size());
    const auto height = ui::line_height(files.chinese.path, files.chinese.index),
               latin = ui::line_height(files.text.path, files.text.index);
    ASSERT_TRUE(height && latin);
    const std::vector<uint32_t> chinese(characters.begin() + 1, characters.end());
    expect_imguis(
        files.chinese, std::round(20 / *latin * 1.08f * *height), 1, chinese,
        [&] {
            ui::Face only = sheet.faces[0]; // without the Latin one; its top is that of the Chinese font's own line
            only.glyphs.erase(only.glyphs.begin());
            return only;
        }(),
        sheet);
}

TEST(GlyphSheet, GlyphsDoNotTouch) {
    const FontFiles files = ui::find_fonts();
    if (files.text.path.empty()) GTEST_SKIP() << "no font";
    const std::vector<uint32_t> characters = ascii();
    const std::vector<ui::FaceWish> wishes{{files.text, {}, 15, characters}, {files.mono, {}, 60, characters}};
    const uint32_t rows = 9;
    const ui::GlyphSheet sheet = ui::make_sheet(wishes, 1.5f, rows);
    ASSERT_EQ(sheet.coverage.size(), size_t{sheet.width} * sheet.height);
    std::vector<uint8_t> taken(sheet.coverage.size());
    for (const ui::Face& face : sheet.faces)
        for (const Glyph& g : face.glyphs) {
            if (g.width == 0) continue;
            ASSERT_LE(g.x + g.width + 1, sheet.width);
            ASSERT_LE(g.y + g.height + 1, sheet.height - rows);
            for (uint32_t y = g.y; y < g.y + g.height + 1; ++y) // with the gap to the right and below
                for (uint32_t x = g.x; x < g.x + g.width + 1; ++x)
                    ASSERT_EQ(taken[y * sheet.width + x]++, 0) << "at " << x << ", " << y << " by " << g.character;
        }
}

TEST(GlyphSheet, OfFilesThatAreNoFontsIsEmpty) {
    const std::string path = testing::TempDir() + "/no_font.ttf";
    std::ofstream(path) << std::string(4096, 'x');
    const std::vector<uint32_t> characters = ascii();
    const std::vector<ui::FaceWish> wishes{{{path, "", 0}, {}, 14, characters},
                                           {{"/nowhere.ttf", "", 3}, {}, 14, characters}};
    const ui::GlyphSheet sheet = ui::make_sheet(wishes, 1, 4);
    for (const ui::Face& face : sheet.faces) EXPECT_TRUE(face.glyphs.empty());
    EXPECT_GE(sheet.height, 4u);
}

// Where no font is found at all.
TEST(Type, WithoutFontsIsImGuisOwn) {
    const Stage stage(view_of("naive"));
    ui::Type none;
    for (int i = 0; i < 4; ++i) none.sheet.faces.push_back({14, 0, 0, {}});
    none.face = {0, 1, 2, 3, 0, 1, 3};
    ImFontAtlas atlas;
    ui::Style style;
    ui::use_type(none, atlas, style);
    unsigned char* texels = nullptr;
    int width = 0, height = 0;
    atlas.GetTexDataAsAlpha8(&texels, &width, &height);
    for (const ImFont* font :
         {style.text, style.heading, style.mono, style.figure, style.caption, style.title, style.poster}) {
        ASSERT_TRUE(font);
        EXPECT_TRUE(font->FindGlyphNoFallback('g'));
    }
}

TEST(Type, IsMadeBesideTheFrames) {
    std::atomic<int> woken = 0;
    auto strings = ui::Strings::load(std::filesystem::path(SOURCE_DIR) / "assets" / "i18n");
    ASSERT_TRUE(strings.ok());
    ui::Gui gui(*std::move(strings), {}, std::make_shared<ui::Pictures>(), [&] { ++woken, woken.notify_all(); });
    session::View view;
    ASSERT_TRUE(gui.prepare(view, 1)) << "the first is waited for";
    const float before = gui.style().text->FontSize;
    EXPECT_FALSE(gui.makes_type());

    int wakes = 1;                       // who waited for the first may be on before its wake
    const auto make = [&](float scale) { // until it is made, not yet taken
        EXPECT_FALSE(gui.prepare(view, scale));
        EXPECT_TRUE(gui.makes_type());
        ++wakes;
        for (int n = woken; n < wakes; n = woken) woken.wait(n);
    };
    view.language = session::Language::zh;
    make(2);
    EXPECT_EQ(gui.style().text->FontSize, before);
    EXPECT_EQ(gui.strings().language(), session::Language::en) << "its headings have no Chinese glyphs yet";
    EXPECT_TRUE(gui.type_came());
    EXPECT_TRUE(gui.makes_type()) << "until the next frame has it";
    EXPECT_TRUE(gui.prepare(view, 2));
    EXPECT_EQ(gui.style().text->FontSize, 2 * before);
    EXPECT_EQ(gui.strings().language(), session::Language::zh);
    EXPECT_FALSE(gui.makes_type());
    EXPECT_FALSE(gui.prepare(view, 2));

    make(3); // and nobody wants it any more
    EXPECT_TRUE(gui.type_came());
    EXPECT_FALSE(gui.prepare(view, 2));
    EXPECT_EQ(gui.style().text->FontSize, 2 * before);
    EXPECT_FALSE(gui.makes_type());

    make(4); // and another size is wanted before it came
    EXPECT_FALSE(gui.prepare(view, 1) && gui.style().text->FontSize != before);
    while (gui.makes_type()) {
        gui.type_came();
        gui.prepare(view, 1);
    }
    EXPECT_EQ(gui.style().text->FontSize, before);
}

} // namespace
