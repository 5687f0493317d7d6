#include "base/memory.h"

#include "base/file.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <sstream>
#include <string_view>
#include <sys/resource.h>
#include <unistd.h>

namespace base {
namespace {

namespace fs = std::filesystem;

constexpr double no_limit = std::numeric_limits<double>::infinity();

// The number that the file of the system starts with, or that follows `key`; `otherwise` if there is none ("max").
double number_in(const fs::path& path, std::string_view key, double otherwise) {
    const auto text = read_file(path);
    const size_t at = text ? text->find(key) : std::string::npos;
    if (at == std::string::npos) return otherwise;
    const char* const digits = text->c_str() + at + key.size();
    char* end = nullptr;
    const double number = std::strtod(digits, &end);
    return end == digits ? otherwise : number;
}

// The names that the two versions of control groups have for the same numbers.
struct GroupFiles {
    const char *limit, *usage, *reclaimable;
};
constexpr GroupFiles version_1{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file "};
constexpr GroupFiles version_2{"memory.max", "memory.current", "\ninactive_file "};

// What the group in `folder` and those that it lies in leave. Cached files count as used and are given back when they must be: what
// is used without those that nobody has read for a while is known as the working set.
double left_by_groups(const fs::path& mount, const fs::path& group, const GroupFiles& files) {
    double left = no_limit;
    for (fs::path relative = group.relative_path();; relative = relative.parent_path()) {
        const fs::path folder = mount / relative;
        const double limit = number_in(folder / files.limit, "", no_limit);
        if (limit < no_limit) {
            const double reclaimable = number_in(folder / "memory.stat", files.reclaimable, 0);
            const double used = number_in(folder / files.usage, "", 0) - reclaimable;
            left = std::min(left, std::max(0.0, limit - std::max(0.0, used)));
        }
        if (relative.empty()) return left;
    }
}

// /proc/self/cgroup has a line "0::/path" for version 2 and one "number:memory,...:/path" for version 1.
double left_by_all_groups(const fs::path& root) {
    const auto text = read_file(root / "proc/self/cgroup");
    if (!text) return no_limit;
    double left = no_limit;
    std::istringstream lines(*text);
    for (std::string line; std::getline(lines, line);) {
        const size_t first = line.find(':'), second = line.find(':', first + 1);
        if (second == std::string::npos) continue;
        const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",",
                          group = line.substr(second + 1);
        const fs::path mount = root / "sys/fs/cgroup";
        if (controllers == ",,") left = std::min(left, left_by_groups(mount, group, version_2));
        if (controllers.find(",memory,") != std::string::npos)
            left = std::min(left, left_by_groups(mount / "memory", group, version_1));
    }
    return left;
}

double left_by_address_space(const fs::path& root) {
    rlimit limit{};
    if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return no_limit;
    const double used = number_in(root / "proc/self/statm", "", 0) * static_cast<double>(::sysconf(_SC_PAGESIZE));
    return std::max(0.0, static_cast<double>(limit.rlim_cur) - used);
}

} // namespace

double memory_available(const fs::path& root) {
    const double all = static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
    const double kibibytes = number_in(root / "proc/meminfo", "MemAvailable:", all / 1024);
    return std::min({kibibytes * 1024, left_by_all_groups(root), left_by_address_space(root)});
}

Status fits_memory(double bytes, const Sentence& for_what) {
    const double available = memory_available();
    if (bytes <= available) return Done{};
    return Error{Failure::usage,
                 say("{} needs {:.3g} GiB of memory and this machine has {:.3g} GiB left", for_what, bytes / 0x1p30,
                     available / 0x1p30),
                 {},
                 say("choose a smaller size")};
}

} // namespace base
