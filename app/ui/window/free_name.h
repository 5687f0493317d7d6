// Names for what is saved without being asked for one.
#pragma once

#include <ctime>
#include <filesystem>
#include <string_view>

namespace ui {

// FOLDER/pictures/double_buffer-20261120-104500.png, or with a number behind: never a file that exists. `kernel` may come from a
// file that somebody else made; what of it would lead out of the folder is left away.
std::filesystem::path free_name(const std::filesystem::path& folder, std::string_view kernel, const std::tm& now);

} // namespace ui
