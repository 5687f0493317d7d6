#include "ui/draw/glyph_sheet.h"

#include <algorithm>
#include <cmath>
#include <fcntl.h>
#include <map>
#include <optional>
#include <stb/stb_truetype.h>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ui {

namespace {

constexpr uint32_t sheet_width = 2048, between = 1; // texels; between glyphs, for the linear filter
constexpr float large = 128;                        // texels of a line that is smooth without oversampling

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

    // Nothing: it cannot be read, or is no font.
    std::optional<stbtt_fontinfo> font(const FontFiles::File& file) {
        const std::span<unsigned char> bytes = of(file.path);
        stbtt_fontinfo font{};
        const int at = bytes.empty() ? -1 : stbtt_GetFontOffsetForIndex(bytes.data(), file.index);
        if (at < 0 || !stbtt_InitFont(&font, bytes.data(), at)) return std::nullopt;
        return font;
    }

private:
    static constexpr off_t least = 100, most = 1 << 30; // bytes of a font

    std::span<unsigned char> of(const std::string& path) {
        if (const auto known = files_.find(path); known != files_.end()) return known->second;
        const int file = path.empty() ? -1 : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
        if (file < 0) return {};
        struct stat about {};
        const bool is_font = ::fstat(file, &about) == 0 && about.st_size > least && about.st_size < most;
        const auto size = static_cast<size_t>(about.st_size);
        void* const at = is_font ? ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;
        ::close(file);
        if (at == MAP_FAILED) return {};
        return files_[path] = {static_cast<unsigned char*>(at), size};
    }

    std::map<std::string, std::span<unsigned char>> files_; // by path
};

// A font at a size: what is drawn, as a glyph of which the sheet has the picture.
struct Cut {
    stbtt_fontinfo font;
    float scale = 0;    // pixels of ImGui's to a unit of the font
    int oversample = 1; // texels across one of the screen
};

struct Drawn {
    Cut* cut;
    int index; // of the glyph in the font
    Glyph* glyph;
};

// A Chinese font's size for which its em is a little larger than the Latin one's: its strokes need the room.
float chinese_pixels(const FaceWish& wish) {
    const auto latin = line_height(wish.main.path, wish.main.index),
               other = line_height(wish.chinese.path, wish.chinese.index);
    return latin && other ? std::round(wish.pixels / *latin * 1.08f * *other) : wish.pixels;
}

void set_metrics(Face& face, const Cut& cut) {
    int ascent = 0, descent = 0, gap = 0;
    stbtt_GetFontVMetrics(&cut.font, &ascent, &descent, &gap);
    const auto whole = [&](int units) { // away from the line
        return std::trunc(static_cast<float>(units) * cut.scale + (units > 0 ? 1.0f : -1.0f));
    };
    face.ascent = whole(ascent), face.descent = whole(descent);
}

// Where the glyph is drawn, from the pen; how many texels it takes.
void measure(const Drawn& drawn, const Face& face, float density) {
    const Cut& cut = *drawn.cut;
    Glyph& glyph = *drawn.glyph;
    int x0 = 0, y0 = 0, x1 = 0, y1 = 0, advance = 0, bearing = 0;
    const float scale = cut.scale * density;
    const auto across = static_cast<float>(cut.oversample);
    stbtt_GetGlyphBitmapBoxSubpixel(&cut.font, drawn.index, scale * across, scale, 0, 0, &x0, &y0, &x1, &y1);
    stbtt_GetGlyphHMetrics(&cut.font, drawn.index, &advance, &bearing);
    glyph.advance = cut.scale * static_cast<float>(advance);
    if (x1 <= x0 || y1 <= y0) return; // a space
    glyph.width = static_cast<uint32_t>(x1 - x0 + cut.oversample - 1);
    glyph.height = static_cast<uint32_t>(y1 - y0);
    const float shift = (1 - across) / (2 * across); // by which the filter of oversampling moves it
    glyph.left = (static_cast<float>(x0) / across + shift) / density;
    glyph.right = glyph.left + static_cast<float>(glyph.width) / across / density;
    glyph.top = std::round(face.ascent) + static_cast<float>(y0) / density;
    glyph.bottom = glyph.top + static_cast<float>(glyph.height) / density;
}

// Shelves: the highest first, each as high as its first.
uint32_t put_on_shelves(std::vector<Drawn>& all) {
    std::stable_sort(all.begin(), all.end(),
                     [](const Drawn& a, const Drawn& b) { return a.glyph->height > b.glyph->height; });
    uint32_t x = between, y = between, shelf = 0;
    for (const Drawn& drawn : all) {
        Glyph& glyph = *drawn.glyph;
        glyph.width = std::min(glyph.width, sheet_width - 2 * between); // whatever a font file says
        if (x + glyph.width + between > sheet_width) x = between, y += shelf + between, shelf = 0;
        glyph.x = x, glyph.y = y;
        x += glyph.width + between;
        shelf = std::max(shelf, glyph.height);
    }
    return y + shelf + between;
}

void draw(const Drawn& drawn, float density, GlyphSheet& sheet) {
    const Cut& cut = *drawn.cut;
    const Glyph& glyph = *drawn.glyph;
    if (glyph.width == 0) return;
    float ignored_x = 0, ignored_y = 0; // the shift, which measure() knows
    const float scale = cut.scale * density;
    stbtt_MakeGlyphBitmapSubpixelPrefilter(&cut.font, sheet.coverage.data() + glyph.y * sheet.width + glyph.x,
                                           static_cast<int>(glyph.width), static_cast<int>(glyph.height),
                                           static_cast<int>(sheet.width), scale * static_cast<float>(cut.oversample),
                                           scale, 0, 0, cut.oversample, 1, &ignored_x, &ignored_y, drawn.index);
}

} // namespace

GlyphSheet make_sheet(std::span<const FaceWish> wishes, float density, uint32_t rows, const std::stop_token& stop) {
    Mapped files;
    GlyphSheet sheet;
    std::vector<Cut> cuts;
    std::vector<Drawn> all;
    cuts.reserve(2 * wishes.size()); // they stay where they are
    for (const FaceWish& wish : wishes) {
        Face& face = sheet.faces.emplace_back();
        face.pixels = wish.pixels;
        face.glyphs.reserve(wish.characters.size());
    }
    for (size_t i = 0; i < wishes.size(); ++i) {
        const FaceWish& wish = wishes[i];
        Face& face = sheet.faces[i];
        const auto main = files.font(wish.main), chinese = files.font(wish.chinese);
        if (!main) continue;
        Cut& latin = cuts.emplace_back(
            Cut{*main, stbtt_ScaleForPixelHeight(&*main, wish.pixels), wish.pixels * density < large ? 2 : 1});
        Cut* other = nullptr;
        if (chinese) // many strokes on whole pixels; and a third of the sheet
            other = &cuts.emplace_back(Cut{*chinese, stbtt_ScaleForPixelHeight(&*chinese, chinese_pixels(wish)), 1});
        set_metrics(face, latin);
        for (const uint32_t character : wish.characters) {
            Cut* cut = &latin;
            int index = stbtt_FindGlyphIndex(&cut->font, static_cast<int>(character));
            if (!index && other) cut = other, index = stbtt_FindGlyphIndex(&cut->font, static_cast<int>(character));
            if (!index) continue;
            all.push_back({cut, index, &face.glyphs.emplace_back(Glyph{character})});
            measure(all.back(), face, density);
        }
    }
    sheet.width = sheet_width;
    sheet.height = put_on_shelves(all) + rows;
    sheet.coverage.resize(size_t{sheet.width} * sheet.height);
    for (const Drawn& drawn : all) {
        if (stop.stop_requested()) break;
        draw(drawn, density, sheet);
    }
    return sheet;
}

} // namespace ui
