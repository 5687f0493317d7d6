// The kernel files, lessons and kept views that the user opened last, in a file of one path a line.
#pragma once

#include "base/result.h"

#include <filesystem>
#include <vector>

namespace session {

constexpr size_t most_recent_files = 8;

// FOLDER/recent of base::state_folder().
std::filesystem::path own_recent_files();

// The latest first; those that are still there. A file that cannot be read holds none.
std::vector<std::filesystem::path> recent_files(const std::filesystem::path& list);

// Puts `file` first. Errors: the list cannot be written.
base::Status remember_file(const std::filesystem::path& list, const std::filesystem::path& file);

} // namespace session
