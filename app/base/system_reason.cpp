#include "base/system_reason.h"

#include <cerrno>
#include <cstring>

namespace base {

Sentence system_reason(int number) {
    switch (number) {
    case ENOENT: return say("No such file or directory");
    case EACCES: return say("Permission denied");
    case EISDIR: return say("Is a directory");
    case ENOTDIR: return say("Not a directory");
    case ENOSPC: return say("No space left on device");
    case EROFS: return say("Read-only file system");
    case EFBIG: return say("File too large");
    case ENOMEM: return say("Cannot allocate memory");
    default: return verbatim(std::strerror(number));
    }
}

} // namespace base
