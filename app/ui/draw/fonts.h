// The system's fonts, found by fontconfig, in one atlas that holds only the characters in use.
#pragma once

#include "ui/style.h"
#include "ui/views.h"
#include "views/strings.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ui {

// Of text that is shown. ImGui's type: a bit for each.
class CharacterSet {
public:
    void add(std::string_view utf8);
    void add(const ImWchar* ranges); // as below
    void add(const CharacterSet&);
    bool holds(const CharacterSet&) const; // all of those
    ImVector<ImWchar> ranges() const;      // as ImFontConfig wants them

private:
    ImFontGlyphRangesBuilder builder_;
};

// Replaces the atlas's fonts by text, heading, mono and figure for type of `style.type` times 14 pixels and sets them in
// `style`. `characters`: everything that will be shown beyond ASCII; `headings`: what of it headings, captions and titles show. Returns
// what to tell the user: a font that is missing, and the package that brings it; ImGui's own font stands in.
std::vector<std::string> load_fonts(ImFontAtlas& atlas, Style& style, CharacterSet characters, CharacterSet headings,
                                    const Strings& tr);

// What fontconfig has: the files of text and mono and of the Chinese glyphs; empty where there is none.
struct FontFiles {
    struct File {
        std::string path, family;
        int index = 0; // in a collection
    };
    File text, heading, mono, chinese, chinese_heading;
};
FontFiles find_fonts();

// How high a line is in units of the em, from the file's head and hhea tables; nothing if the file is not a font.
// ImGui sizes fonts by their lines, and a Chinese font's lines are a quarter higher than a Latin one's.
std::optional<float> line_height(const std::filesystem::path&, int index);

} // namespace ui
