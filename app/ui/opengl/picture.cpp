#include "ui/opengl/picture.h"

#include "base/file.h"
#include "base/png.h"
#include "session/open_file.h"
#include "ui/opengl/opengl.h"

#include <glad/gl.h>
#include <stb_image_write.h>

#include <algorithm>
#include <string>

namespace ui {

base::Result<Picture> read_pixels(int width, int height) {
    Picture picture{width, height, std::vector<uint8_t>(static_cast<size_t>(width) * static_cast<size_t>(height) * 3)};
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, width, height, GL_RGB, GL_UNSIGNED_BYTE, picture.rgb.data());
    if (auto drawn = opengl_status(); !drawn) return drawn.error();
    const auto row = static_cast<std::ptrdiff_t>(width) * 3; // OpenGL counts rows from below
    for (std::ptrdiff_t low = 0, high = height - 1; low < high; ++low, --high)
        std::swap_ranges(picture.rgb.begin() + low * row, picture.rgb.begin() + (low + 1) * row,
                         picture.rgb.begin() + high * row);
    return picture;
}

void append(Picture& picture, const Picture& lower) {
    picture.height += lower.height;
    picture.rgb.insert(picture.rgb.end(), lower.rgb.begin(), lower.rgb.end());
}

base::Result<std::string> encode_png(int width, int height, int channels, const std::vector<uint8_t>& pixels) {
    std::string bytes;
    const auto append = [](void* target, void* data, int size) {
        static_cast<std::string*>(target)->append(static_cast<const char*>(data), static_cast<size_t>(size));
    };
    if (!stbi_write_png_to_func(append, &bytes, width, height, channels, pixels.data(), width * channels))
        return base::Error{base::Failure::usage,
                           base::say("the picture could not be encoded"),
                           {},
                           base::say("choose a smaller --size")};
    return bytes;
}

base::Result<std::string> encode_png(const Picture& picture, const std::string& view) {
    auto bytes = encode_png(picture.width, picture.height, 3, picture.rgb);
    if (!bytes || view.empty()) return bytes;
    return base::with_png_text(*bytes, session::picture_keyword, view);
}

base::Status write_png(const Picture& picture, const std::filesystem::path& path, const std::string& view) {
    auto bytes = encode_png(picture, view);
    if (bytes) return base::write_file(path, *bytes);
    base::Error error = bytes.error();
    error.where = path.string();
    return error;
}

} // namespace ui
