#include "base/shared_library.h"

#include <dlfcn.h>
#include <link.h>

namespace base {
namespace {

// dlopen's words for a file that is not there; any other reason is worth more to the reader.
bool says_absent(const std::string& reason) { return reason.find("No such file") != std::string::npos; }

std::string loaded_path(void* handle, const std::string& asked) {
    link_map* map = nullptr;
    if (::dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map && map->l_name && *map->l_name) return map->l_name;
    return asked;
}

} // namespace

Result<SharedLibrary> SharedLibrary::open(const std::vector<std::string>& candidates) {
    std::string reason;
    for (const std::string& candidate : candidates) {
        if (void* handle = ::dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE))
            return SharedLibrary(handle, loaded_path(handle, candidate));
        std::string said = ::dlerror();
        if (&candidate == &candidates.front() || (says_absent(reason) && !says_absent(said))) reason = said;
    }
    return Error{Failure::missing, candidates.empty() ? say("no name given") : verbatim(reason), {}, {}};
}

void* SharedLibrary::symbol(const char* name) const { return ::dlsym(handle_, name); }

} // namespace base
