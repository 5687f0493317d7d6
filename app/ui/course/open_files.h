// Files that the user chooses or drops on the window.
#pragma once

#include "ui/panel.h"

#include <filesystem>
#include <vector>

namespace ui {

// A lesson begins; a kernel or a kept view goes to the session, as do several files at once, which it refuses. Each comes first among
// the recent files.
void open_files(Context&, const std::vector<std::filesystem::path>&);

// Recent files, folders and what can be opened: of a folder of thousands the first.
FolderListing read_folder(const std::filesystem::path& folder, const std::filesystem::path& recent_files);

} // namespace ui
