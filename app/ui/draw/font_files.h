// The system's fonts, found by fontconfig.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace ui {

// What fontconfig has: the files of text and mono and of the Chinese glyphs; empty where there is none. From any thread.
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
