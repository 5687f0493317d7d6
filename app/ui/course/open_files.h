// Files that the user chooses or drops on the window.
#pragma once

#include "ui/panel.h"

#include <filesystem>
#include <vector>

namespace ui {

// Answer files, or folders of them, are the class from now on, whatever they are called. A lesson begins; a kernel or a kept view
// goes to the session, as do several files at once, which it refuses. Each of these comes first among the recent files.
void open_files(Context&, const std::vector<std::filesystem::path>&);
// The students' answers that lie there; what is left out is named.
void open_class(Context&, const std::vector<std::filesystem::path>&);

// Recent files, folders and what can be opened: of a folder of thousands the first.
FolderListing read_folder(const std::filesystem::path& folder, const std::filesystem::path& recent_files);

} // namespace ui
