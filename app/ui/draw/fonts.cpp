#include "ui/draw/fonts.h"

#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace ui {

namespace {

constexpr float type_size = 14; // of text and mono at 1x, in pixels
// At the sheet's end, for what ImGui draws into an atlas for itself: its white texel, lines and mouse cursors.
constexpr uint32_t rows_of_imgui = 72;

// What `from` has and `to` has not, from the same places of the sheet, with the middle where smaller characters on the line of `to` have it.
void lend_glyphs(const Face& from, Face& to) {
    constexpr float middle = 0.35f; // of a Chinese character's size above the line
    const float down = std::round(to.ascent) - std::round(from.ascent) + std::round(middle * (from.pixels - to.pixels));
    const std::vector<Glyph> own = to.glyphs;
    for (Glyph glyph : from.glyphs) {
        const auto at = std::lower_bound(own.begin(), own.end(), glyph.character,
                                         [](const Glyph& a, uint32_t character) { return a.character < character; });
        if (at != own.end() && at->character == glyph.character) continue;
        glyph.top += down, glyph.bottom += down;
        to.glyphs.push_back(glyph);
    }
}

// ImGui asks a builder for an atlas's pixels and glyphs.
struct Builder : ImFontBuilderIO {
    const Type* type;
};

// One below the other in the last rows of the sheet; they are lower than those.
void place_own_rectangles(ImFontAtlas& atlas, const GlyphSheet& sheet) {
    int x = 1;
    for (ImFontAtlasCustomRect& one : atlas.CustomRects) {
        one.X = static_cast<unsigned short>(x);
        one.Y = static_cast<unsigned short>(sheet.height - rows_of_imgui);
        x += one.Width + 1;
    }
}

void add_glyphs(ImFont& font, const Face& face, const GlyphSheet& sheet) {
    const float u = 1.0f / static_cast<float>(sheet.width), v = 1.0f / static_cast<float>(sheet.height);
    for (const Glyph& g : face.glyphs) {
        const auto x = static_cast<float>(g.x), y = static_cast<float>(g.y);
        font.AddGlyph(nullptr, static_cast<ImWchar>(g.character), g.left, g.top, g.right, g.bottom, x * u, y * v,
                      (x + static_cast<float>(g.width)) * u, (y + static_cast<float>(g.height)) * v, g.advance);
    }
}

bool build(ImFontAtlas* atlas) {
    const Type& type = *static_cast<const Builder*>(atlas->FontBuilderIO)->type;
    const GlyphSheet& sheet = type.sheet;
    ImFontAtlasBuildInit(atlas);
    atlas->TexID = {};
    atlas->TexWidth = static_cast<int>(sheet.width);
    atlas->TexHeight = static_cast<int>(sheet.height);
    atlas->TexUvScale = {1.0f / static_cast<float>(sheet.width), 1.0f / static_cast<float>(sheet.height)};
    atlas->TexPixelsAlpha8 = static_cast<unsigned char*>(IM_ALLOC(sheet.coverage.size()));
    std::memcpy(atlas->TexPixelsAlpha8, sheet.coverage.data(), sheet.coverage.size());
    place_own_rectangles(*atlas, sheet);
    for (int i = 0; i < atlas->Fonts.Size; ++i) {
        const Face& face = sheet.faces[static_cast<size_t>(i)];
        ImFont* const font = atlas->Fonts[i];
        ImFontAtlasBuildSetupFont(atlas, font, &atlas->ConfigData[i], face.ascent, face.descent);
        add_glyphs(*font, face, sheet);
    }
    ImFontAtlasBuildFinish(atlas);
    return true;
}

void add_font(ImFontAtlas& atlas, float pixels) {
    ImFontConfig config;
    config.SizePixels = pixels;
    config.FontData = IM_ALLOC(1); // ImGui wants a file, which our builder does not read
    config.FontDataSize = 1;
    atlas.AddFont(&config);
}

} // namespace

void CharacterSet::add(std::string_view utf8) {
    if (!utf8.empty()) builder_.AddText(utf8.data(), utf8.data() + utf8.size());
}

void CharacterSet::add(const CharacterSet& other) {
    for (int i = 0; i < builder_.UsedChars.Size; ++i) builder_.UsedChars[i] |= other.builder_.UsedChars[i];
}

bool CharacterSet::holds(const CharacterSet& other) const {
    for (int i = 0; i < builder_.UsedChars.Size; ++i)
        if (other.builder_.UsedChars[i] & ~builder_.UsedChars[i]) return false;
    return true;
}

std::vector<uint32_t> CharacterSet::list() const {
    CharacterSet all = *this;
    for (uint32_t latin = 0x20; latin <= 0xFF; ++latin) all.builder_.SetBit(latin);
    all.add("\u2026\u00d7\u00b7\u2013\u2014\u2190\u2191\u2192\u2193\u2194\u2264\u2265\u25b2\u25bc\u25cf\u25cb\ufffd");
    std::vector<uint32_t> list;
    for (int word = 0; word < all.builder_.UsedChars.Size; ++word)
        for (uint32_t bit = 0, bits = all.builder_.UsedChars[word]; bits; ++bit, bits >>= 1)
            if (bits & 1) list.push_back(static_cast<uint32_t>(word) * 32 + bit);
    return list;
}

Type make_type(const TypeWish& wish, const std::stop_token& stop) {
    const FontFiles files = find_fonts();
    const float pixels = std::round(type_size * wish.type);
    std::vector<uint32_t> ascii;
    for (uint32_t character = ' '; character <= '~'; ++character) ascii.push_back(character);
    Type made{wish.type, wish.density, wish.stage, {}, {0, 1, 2, 3, 0, 1, 3}, nullptr};
    std::vector<FaceWish> faces{{files.text, files.chinese, pixels, wish.characters},
                                {files.heading, files.chinese_heading, pixels, wish.headings},
                                {files.mono, {}, std::round(pixels * 0.93f), wish.characters},
                                {files.heading, {}, std::round(pixels * 1.7f), ascii}};
    if (wish.stage) { // at 1280 x 720, where type is 22 pixels high: 26, 28 and 72
        made.face = {0, 1, 2, 3, 4, 5, 6};
        faces.push_back({files.text, files.chinese, std::round(pixels * 1.18f), wish.headings});
        faces.push_back({files.heading, files.chinese_heading, std::round(pixels * 1.27f), wish.headings});
        faces.push_back({files.heading, {}, std::round(pixels * 3.27f), ascii});
    }
    made.sheet = make_sheet(faces, wish.density, rows_of_imgui, stop);
    lend_glyphs(made.sheet.faces[0], made.sheet.faces[2]); // thousands of Chinese ones, of nearly its size: made once
    if (files.text.path.empty() || files.mono.path.empty()) made.notice = "fonts.none";
    else if (files.chinese.path.empty()) made.notice = "fonts.no_chinese";
    return made;
}

void use_type(const Type& type, ImFontAtlas& atlas, Style& style) {
    const auto& faces = type.sheet.faces;
    const bool complete =
        std::none_of(faces.begin(), faces.end(), [](const Face& face) { return face.glyphs.empty(); });
    const Builder builder{{build}, &type};
    atlas.Clear();
    for (const Face& face : faces) {
        ImFontConfig standard;
        standard.SizePixels = face.pixels;
        complete ? add_font(atlas, face.pixels) : static_cast<void>(atlas.AddFontDefault(&standard));
    }
    if (complete) atlas.FontBuilderIO = &builder;
    atlas.Build();
    atlas.FontBuilderIO = nullptr; // ImGui's own, for whoever builds without asking
    atlas.ClearInputData();
    style.type = type.type, style.density = type.density, style.stage = type.stage;
    const auto font = [&](FontUse use) { return atlas.Fonts[static_cast<int>(type.face[static_cast<size_t>(use)])]; };
    style.text = font(FontUse::text), style.heading = font(FontUse::heading), style.mono = font(FontUse::mono);
    style.figure = font(FontUse::figure), style.caption = font(FontUse::caption);
    style.title = font(FontUse::title), style.poster = font(FontUse::poster);
}

} // namespace ui
