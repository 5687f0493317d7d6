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

// The colour buffer that is bound for reading, from its lower left corner. Errors: opengl_status() of what was drawn.
base::Result<Picture> read_pixels(int width, int height);

base::Result<std::string> encode_png(const Picture&);
base::Status write_png(const Picture&, const std::filesystem::path&);

} // namespace ui
