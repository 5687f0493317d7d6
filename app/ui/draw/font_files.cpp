#include "ui/draw/font_files.h"

#include <fontconfig/fontconfig.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <initializer_list>
#include <memory>

namespace ui {

namespace {

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

} // namespace ui
