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
        fs::path path = (folder / name).lexically_normal();
        if (!seen.insert(path).second) continue;
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

std::vector<IncludedFile> local_includes(std::string_view text, const fs::path& folder) {
    std::set<fs::path> seen;
    std::vector<IncludedFile> files;
    collect(text, folder, seen, files);
    return files;
}

} // namespace compile
