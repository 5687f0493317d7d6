// What a stranger's source may read of the user's files.
#pragma once

#include <filesystem>
#include <functional>
#include <vector>

namespace compile {

// Does `work` on a thread of its own that opens no file but those in `readable` and of the system (/usr, /lib); other folders'
// files are to it as if they could not be read. What it throws is thrown here. Where the system has no Landlock (Linux before
// 5.13) it opens what it likes.
void confined(const std::vector<std::filesystem::path>& readable, const std::function<void()>& work);

} // namespace compile
