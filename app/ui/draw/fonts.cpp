#include "ui/draw/fonts.h"

#include <fontconfig/fontconfig.h>

#include <algorithm>
#include <cmath>
#include <fcntl.h>
#include <fstream>
#include <map>
#include <memory>
#include <span>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ui {

namespace {

constexpr float type_size = 14; // of text and mono at 1x, in pixels
// Big-endian numbers of a font file, at an offset; 0 beyond its end.
struct Bytes {
    std::ifstream file;
    uint32_t read(uint32_t at, int count) {
        uint32_t value = 0;
        file.clear();
        file.seekg(at);
        for (int i = 0; i < count; ++i) value = value << 8 | static_cast<uint32_t>(std::max(file.get(), 0));
        return value;
    }
};

constexpr uint32_t tag(const char (&name)[5]) {
    return static_cast<uint32_t>(name[0]) << 24 | static_cast<uint32_t>(name[1]) << 16 |
           static_cast<uint32_t>(name[2]) << 8 | static_cast<uint32_t>(name[3]);
}

constexpr FcChar32 chinese_probe = 0x7EBF; // "线", in every simplified Chinese font

struct DestroyPattern {
    void operator()(FcPattern* pattern) const { FcPatternDestroy(pattern); }
};
using Pattern = std::unique_ptr<FcPattern, DestroyPattern>;

FontFiles::File describe(FcPattern* match) {
    FcChar8* path = nullptr;
    FcChar8* family = nullptr;
    int index = 0;
    if (FcPatternGetString(match, FC_FILE, 0, &path) != FcResultMatch) return {};
    FcPatternGetString(match, FC_FAMILY, 0, &family);
    FcPatternGetInteger(match, FC_INDEX, 0, &index);
    // The high half selects an instance of a variable font, which neither rasteriser reads.
    return {reinterpret_cast<const char*>(path), family ? reinterpret_cast<const char*>(family) : "", index & 0xFFFF};
}

// The font of exactly this family, or whatever fontconfig thinks nearest if `exact` is false.
FontFiles::File find(const char* family, int weight, FcChar32 needed, bool exact) {
    const Pattern wanted(FcPatternCreate());
    FcPatternAddString(wanted.get(), FC_FAMILY, reinterpret_cast<const FcChar8*>(family));
    FcPatternAddInteger(wanted.get(), FC_WEIGHT, weight);
    FcPatternAddBool(wanted.get(), FC_SCALABLE, FcTrue);
    FcConfigSubstitute(nullptr, wanted.get(), FcMatchPattern);
    FcDefaultSubstitute(wanted.get());
    FcResult result = FcResultNoMatch;
    const Pattern match(FcFontMatch(nullptr, wanted.get(), &result));
    if (!match) return {};
    FcCharSet* characters = nullptr;
    if (FcPatternGetCharSet(match.get(), FC_CHARSET, 0, &characters) != FcResultMatch ||
        !FcCharSetHasChar(characters, needed))
        return {};
    FontFiles::File file = describe(match.get());
    return exact && file.family.find(family) == std::string::npos ? FontFiles::File{} : file;
}

FontFiles::File first_of(std::initializer_list<const char*> families, int weight, FcChar32 needed) {
    for (const char* family : families)
        if (FontFiles::File file = find(family, weight, needed, true); !file.path.empty()) return file;
    return find(*(families.end() - 1), weight, needed, false);
}

// A Chinese font's size for which its em is a little larger than the Latin one's: its strokes need the room.
float chinese_pixels(const FontFiles::File& main, const FontFiles::File& chinese, float pixels) {
    const auto latin = line_height(main.path, main.index), other = line_height(chinese.path, chinese.index);
    return latin && other ? std::round(pixels / *latin * 1.08f * *other) : pixels;
}

// Font files as they lie in the system's cache. A Chinese one has 20 MB, of which the pages of its glyphs are read: to read all of it
// for every size cost a third of what a new size of type takes.
class Mapped {
public:
    Mapped() = default;
    ~Mapped() {
        for (const auto& [path, bytes] : files_) ::munmap(bytes.data(), bytes.size());
    }
    Mapped(const Mapped&) = delete;
    Mapped& operator=(const Mapped&) = delete;

    // nullptr: it cannot be read.
    ImFont* add_to(ImFontAtlas& atlas, const FontFiles::File& file, ImFontConfig config) {
        const std::span<char> bytes = of(file.path);
        if (bytes.empty()) return nullptr;
        config.FontNo = file.index;
        // What it does not own the atlas copies, which took half of the time. It must not free it either.
        ImFont* const font =
            atlas.AddFontFromMemoryTTF(bytes.data(), static_cast<int>(bytes.size()), config.SizePixels, &config);
        atlas.ConfigData.back().FontDataOwnedByAtlas = false;
        return font;
    }

private:
    static constexpr off_t least = 100, most = 1 << 30; // bytes of a font

    std::span<char> of(const std::string& path) {
        if (const auto known = files_.find(path); known != files_.end()) return known->second;
        const int file = path.empty() ? -1 : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
        if (file < 0) return {};
        struct stat about {};
        const bool is_font = ::fstat(file, &about) == 0 && about.st_size > least && about.st_size < most;
        const auto size = static_cast<size_t>(about.st_size);
        void* const at = is_font ? ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;
        ::close(file);
        if (at == MAP_FAILED) return {};
        return files_[path] = {static_cast<char*>(at), size};
    }

    std::map<std::string, std::span<char>> files_; // by path
};

// Adds `main` and, into the same font, the Chinese glyphs.
ImFont* add(ImFontAtlas& atlas, Mapped& files, const FontFiles::File& main, const FontFiles::File& chinese,
            float pixels, const ImWchar* ranges, float density) {
    ImFontConfig config;
#if IMGUI_VERSION_NUM >= 19000
    config.RasterizerDensity = density;
#else
    (void)density; // the type of its window is blurred
#endif
    config.SizePixels = pixels;
    config.OversampleH = 2;
    config.GlyphRanges = ranges;
    ImFont* font = files.add_to(atlas, main, config);
    if (!font) {
        ImFontConfig standard;
        standard.SizePixels = pixels;
        font = atlas.AddFontDefault(&standard);
    }
    if (chinese.path.empty()) return font;
    config.MergeMode = true;
    config.OversampleH = 1; // many strokes on whole pixels; and a third of the atlas
    config.SizePixels = chinese_pixels(main, chinese, pixels);
    files.add_to(atlas, chinese, config);
    return font;
}

// What `from` has and `to` has not, from the same places of the atlas, with the middle where smaller characters on the line of `to` have it.
void lend_glyphs(const ImFont& from, ImFont& to) {
    constexpr float middle = 0.35f; // of a Chinese character's size above the line
    const float down =
        std::round(to.Ascent) - std::round(from.Ascent) + std::round(middle * (from.FontSize - to.FontSize));
    for (const ImFontGlyph& g : from.Glyphs) {
        const auto character = static_cast<ImWchar>(g.Codepoint);
        if (to.FindGlyphNoFallback(character)) continue;
        to.AddGlyph(nullptr, character, g.X0, g.Y0 + down, g.X1, g.Y1 + down, g.U0, g.V0, g.U1, g.V1, g.AdvanceX);
    }
    to.BuildLookupTable();
}

} // namespace

std::optional<float> line_height(const std::filesystem::path& path, int index) {
    Bytes bytes{std::ifstream(path, std::ios::binary)};
    if (!bytes.file) return std::nullopt;
    // OpenType: a collection lists the offsets of its fonts; a font lists its tables, 16 bytes each.
    const uint32_t font = bytes.read(0, 4) == tag("ttcf") ? bytes.read(12 + 4 * static_cast<uint32_t>(index), 4) : 0;
    uint32_t head = 0, hhea = 0;
    for (uint32_t i = 0, count = bytes.read(font + 4, 2); i < count; ++i) {
        const uint32_t entry = font + 12 + 16 * i, name = bytes.read(entry, 4);
        if (name == tag("head")) head = bytes.read(entry + 8, 4);
        if (name == tag("hhea")) hhea = bytes.read(entry + 8, 4);
    }
    if (!head || !hhea) return std::nullopt;
    const uint32_t em = bytes.read(head + 18, 2);
    const auto ascender = static_cast<int16_t>(bytes.read(hhea + 4, 2)),
               descender = static_cast<int16_t>(bytes.read(hhea + 6, 2));
    if (em == 0 || ascender <= descender) return std::nullopt;
    return static_cast<float>(ascender - descender) / static_cast<float>(em);
}

FontFiles find_fonts() {
    FontFiles found;
    if (!FcInit()) return found;
    const auto text = {"Noto Sans", "DejaVu Sans", "Liberation Sans", "sans-serif"};
    const auto chinese = {"Noto Sans CJK SC", "Source Han Sans SC", "WenQuanYi Micro Hei", "WenQuanYi Zen Hei",
                          "sans-serif"};
    found.text = first_of(text, FC_WEIGHT_REGULAR, 'a');
    found.heading = first_of(text, FC_WEIGHT_BOLD, 'a');
    found.mono =
        first_of({"DejaVu Sans Mono", "Noto Sans Mono", "Liberation Mono", "monospace"}, FC_WEIGHT_REGULAR, 'a');
    found.chinese = first_of(chinese, FC_WEIGHT_REGULAR, chinese_probe);
    found.chinese_heading = first_of(chinese, FC_WEIGHT_BOLD, chinese_probe);
    return found;
}

void CharacterSet::add(std::string_view utf8) {
    if (!utf8.empty()) builder_.AddText(utf8.data(), utf8.data() + utf8.size());
}

void CharacterSet::add(const ImWchar* ranges) { builder_.AddRanges(ranges); }

void CharacterSet::add(const CharacterSet& other) {
    for (int i = 0; i < builder_.UsedChars.Size; ++i) builder_.UsedChars[i] |= other.builder_.UsedChars[i];
}

bool CharacterSet::holds(const CharacterSet& other) const {
    for (int i = 0; i < builder_.UsedChars.Size; ++i)
        if (other.builder_.UsedChars[i] & ~builder_.UsedChars[i]) return false;
    return true;
}

ImVector<ImWchar> CharacterSet::ranges() const {
    ImFontGlyphRangesBuilder builder = builder_;
    ImVector<ImWchar> ranges;
    builder.BuildRanges(&ranges);
    return ranges;
}

std::vector<std::string> load_fonts(ImFontAtlas& atlas, Style& style, CharacterSet characters, CharacterSet headings,
                                    const Strings& tr) {
    const FontFiles files = find_fonts();
    Mapped mapped;
    for (CharacterSet* set : {&characters, &headings}) {
        set->add(atlas.GetGlyphRangesDefault());
        set->add("\u2026\u00d7\u00b7\u2013\u2014\u2190\u2191\u2192\u2193\u2264\u2265\u25b2\u25bc\u25cf\u25cb\ufffd");
    }
    const ImVector<ImWchar> ranges = characters.ranges(), heading_ranges = headings.ranges();

    atlas.Clear();
    atlas.Flags |= ImFontAtlasFlags_NoPowerOfTwoHeight;
    atlas.TexDesiredWidth = 2048;
    const float pixels = std::round(type_size * style.type);
    style.text = add(atlas, mapped, files.text, files.chinese, pixels, ranges.Data, style.density);
    style.heading =
        add(atlas, mapped, files.heading, files.chinese_heading, pixels, heading_ranges.Data, style.density);
    style.mono = add(atlas, mapped, files.mono, {}, std::round(pixels * 0.93f), ranges.Data, style.density);
    const ImWchar ascii[] = {' ', '~', 0};
    style.figure = add(atlas, mapped, files.heading, {}, std::round(pixels * 1.7f), ascii, style.density);
    style.caption = style.text, style.title = style.heading, style.poster = style.figure;
    if (style.stage) { // at 1280 x 720, where type is 22 pixels high: 26, 28 and 72
        style.caption = add(atlas, mapped, files.text, files.chinese, std::round(pixels * 1.18f), heading_ranges.Data,
                            style.density);
        style.title = add(atlas, mapped, files.heading, files.chinese_heading, std::round(pixels * 1.27f),
                          heading_ranges.Data, style.density);
        style.poster = add(atlas, mapped, files.heading, {}, std::round(pixels * 3.27f), ascii, style.density);
    }
    atlas.Build();                         // while the ranges live
    atlas.ClearInputData();                // points into the files
    lend_glyphs(*style.text, *style.mono); // thousands of Chinese ones, of nearly its size: made once

    std::vector<std::string> notices;
    if (files.text.path.empty() || files.mono.path.empty()) notices.emplace_back(tr("fonts.none"));
    else if (files.chinese.path.empty()) notices.emplace_back(tr("fonts.no_chinese"));
    return notices;
}

} // namespace ui
