#include "base/folder_lock.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>

namespace base {

FolderLock::FolderLock(const std::filesystem::path& folder) {
    std::error_code ignored;
    if (!folder.empty()) std::filesystem::create_directories(folder, ignored);
    folder_ = Descriptor(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    while (folder_ && ::flock(folder_.number(), LOCK_EX) != 0 && errno == EINTR) {
    }
}

} // namespace base
