#include "compile/local_includes.h"

#include "base/file.h"

#include <algorithm>
#include <set>

namespace compile {
namespace {
namespace fs = std::filesystem;

std::string_view without_space(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    return text;
}

void collect(std::string_view text, const fs::path& folder, std::set<fs::path>& seen, std::vector<IncludedFile>& files) {
    while (!text.empty()) {
        size_t end = std::min(text.find('\n'), text.size());
        std::string_view name = included_name(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        if (name.empty()) continue;
        fs::path path = find_included(name, folder);
        if (path.empty() || !seen.insert(path).second) continue;
        auto included = base::read_file(path);
        if (!included) continue;
        files.push_back({path.string(), *included});
        collect(*included, path.parent_path(), seen, files);
    }
}

} // namespace

std::string_view included_name(std::string_view line) {
    line = without_space(line);
    for (std::string_view expected : {"#", "include"}) {
        if (!line.starts_with(expected)) return {};
        line = without_space(line.substr(expected.size()));
    }
    if (!line.starts_with('"') && !line.starts_with('<')) return {};
    const char close = line.front() == '<' ? '>' : '"';
    line.remove_prefix(1);
    return line.substr(0, std::min(line.find(close), line.size()));
}

fs::path find_included(std::string_view name, const fs::path& folder) {
    constexpr int most_levels = 4;
    std::error_code ignored;
    fs::path up = folder.empty() ? fs::path(".") : folder;
    for (int level = 0; level < most_levels; ++level, up /= "..") {
        const fs::path there = fs::weakly_canonical(up, ignored);
        if (level > 0 && (there == "/" || there == "/usr" || there == "/usr/local")) break; // the system's own headers are not the user's
        for (const char* place : {"", "include", "inc", "common", "Common", "src", "utils"}) {
            const fs::path path = (up / place / name).lexically_normal();
            if (fs::is_regular_file(path, ignored)) return folder.empty() && level == 0 ? fs::path(place) / name : path;
        }
    }
    return {};
}

std::vector<IncludedFile> local_includes(std::string_view text, const fs::path& folder) {
    std::set<fs::path> seen;
    std::vector<IncludedFile> files;
    collect(text, folder, seen, files);
    return files;
}

} // namespace compile
