// Glyphs of font files as one picture. Made without ImGui, whose functions belong to the window's thread.
#pragma once

#include "ui/draw/font_files.h"

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

namespace ui {

struct Glyph {
    uint32_t character = 0;
    float left = 0, top = 0, right = 0, bottom = 0; // from the pen and the top of the line, in ImGui's pixels
    float advance = 0;
    uint32_t x = 0, y = 0, width = 0, height = 0; // in the sheet, texels
};

// One font at one size.
struct Face {
    float pixels = 0;              // of a line
    float ascent = 0, descent = 0; // whole pixels; down is negative
    std::vector<Glyph> glyphs;     // by character
};

struct FaceWish {
    FontFiles::File main, chinese; // `chinese`: for the characters that `main` has not; no path: none
    float pixels = 0;
    std::span<const uint32_t> characters; // ascending
};

struct GlyphSheet {
    uint32_t width = 0, height = 0;
    std::vector<uint8_t> coverage; // width x height, row-major
    std::vector<Face> faces;       // one for each wish; without glyphs where its file cannot be read
};

// `density`: texels along one of ImGui's pixels. The last `rows` of the sheet stay empty. Takes some tens of milliseconds; from any
// thread. Asked to stop, it returns anything.
GlyphSheet make_sheet(std::span<const FaceWish>, float density, uint32_t rows, const std::stop_token& = {});

} // namespace ui
