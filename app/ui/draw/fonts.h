// The type of the window: the system's fonts in one atlas that holds only the characters in use.
#pragma once

#include "ui/draw/glyph_sheet.h"
#include "ui/style.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ui {

// Of text that is shown. ImGui's type: a bit for each.
class CharacterSet {
public:
    void add(std::string_view utf8);
    void add(const CharacterSet&);
    bool holds(const CharacterSet&) const; // all of those
    std::vector<uint32_t> list() const;    // ascending

private:
    ImFontGlyphRangesBuilder builder_;
};

// What type is to be made. `characters`: everything that will be shown beyond Latin; `headings`: what of it headings, captions and
// titles show.
struct TypeWish {
    float type = 1, density = 1; // Style's
    bool stage = false;          // likewise
    std::vector<uint32_t> characters, headings;
};

// Style's fonts, which share a sheet.
enum class FontUse { text, heading, mono, figure, caption, title, poster };
constexpr size_t font_uses = 7;

struct Type {
    float type = 1, density = 1;
    bool stage = false;
    GlyphSheet sheet;
    std::array<size_t, font_uses> face{}; // of the sheet, by FontUse
    const char* notice = nullptr;         // key of what to tell the user: a font that is missing; nullptr: nothing
};

// From any thread: some tens of milliseconds. Asked to stop, it returns anything.
Type make_type(const TypeWish&, const std::stop_token& = {});

// Replaces the atlas's fonts, and sets them, their size and what belongs to it in `style`. Without any font file ImGui's own font stands in.
void use_type(const Type&, ImFontAtlas&, Style&);

} // namespace ui
