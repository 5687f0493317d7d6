#include "ui/window/free_name.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

namespace ui {

std::filesystem::path free_name(const std::filesystem::path& folder, std::string_view kernel, const std::tm& now) {
    const std::string stem = fmt::format("{}-{:%Y%m%d-%H%M%S}", std::filesystem::path(kernel).filename().string(), now);
    std::error_code error;
    std::filesystem::path path = folder / "pictures" / (stem + ".png");
    for (int i = 2; std::filesystem::exists(path, error); ++i) path.replace_filename(fmt::format("{}-{}.png", stem, i));
    return path;
}

} // namespace ui
