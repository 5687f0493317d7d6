// Two programs, or two windows, that change one file.
#pragma once

#include "base/process.h"

#include <filesystem>

namespace base {

// While it lives, others that lock the same folder wait: what is read, changed and written again meanwhile loses no change of
// theirs. Where a file system has no locks it does nothing.
class FolderLock {
public:
    explicit FolderLock(const std::filesystem::path&); // the folder is made where it is missing

private:
    Descriptor folder_;
};

} // namespace base
