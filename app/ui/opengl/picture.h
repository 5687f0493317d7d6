// Pictures as files.
#pragma once

#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace ui {

struct Picture {
    int width = 0, height = 0;
    std::vector<uint8_t> rgb; // rows from the top, 3 bytes a pixel
};

// `lower` joins it at its lower edge; both are equally wide.
void append(Picture& picture, const Picture& lower);

// The colour buffer that is bound for reading, from its lower left corner. Errors: opengl_status() of what was drawn.
base::Result<Picture> read_pixels(int width, int height);

// The bytes of a PNG file. `channels`: 3, or 4 with how opaque a pixel is; `pixels`: rows from the top.
base::Result<std::string> encode_png(int width, int height, int channels, const std::vector<uint8_t>& pixels);
// `view`: as JSON, which the file then carries; empty: none.
base::Result<std::string> encode_png(const Picture&, const std::string& view = {});
base::Status write_png(const Picture&, const std::filesystem::path&, const std::string& view = {});

} // namespace ui
