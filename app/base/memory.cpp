#include "base/memory.h"

#include "base/file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <unistd.h>

namespace base {
namespace {

// A number of bytes from a file of the system that starts with it, or after `key`.
double bytes_in(const char* path, std::string_view key, double unit) {
    auto text = read_file(path);
    if (!text) return 0;
    size_t at = text->find(key);
    return at == std::string::npos ? 0 : unit * std::strtod(text->c_str() + at + key.size(), nullptr);
}

double memory_available() {
    double available = bytes_in("/proc/meminfo", "MemAvailable:", 1024);
    if (available == 0)
        available = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
    double limit = bytes_in("/sys/fs/cgroup/memory.max", "", 1); // "max" reads as 0: no limit
    return limit > 0 ? std::min(available, limit) : available;
}

} // namespace

Status fits_memory(double bytes, const std::string& for_what) {
    double available = memory_available();
    if (bytes <= available) return Done{};
    return Error{Failure::usage,
                 fmt::format("{} needs {:.3g} GiB of memory and this machine has {:.3g} GiB left", for_what,
                             bytes / 0x1p30, available / 0x1p30),
                 {},
                 "choose a smaller size"};
}

} // namespace base
