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

// The name in `# include "name"`; empty for any other line.
std::string_view included_name(std::string_view line) {
    line = without_space(line);
    for (std::string_view expected : {"#", "include", "\""}) {
        if (!line.starts_with(expected)) return {};
        line.remove_prefix(expected.size());
        if (expected != "\"") line = without_space(line);
    }
    return line.substr(0, line.find('"'));
}

void collect(std::string_view text, const fs::path& folder, std::set<fs::path>& seen, std::vector<std::string>& contents) {
    while (!text.empty()) {
        size_t end = std::min(text.find('\n'), text.size());
        std::string_view name = included_name(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        if (name.empty()) continue;
        fs::path path = (folder / name).lexically_normal();
        if (!seen.insert(path).second) continue;
        auto included = base::read_file(path);
        if (!included) continue;
        contents.push_back(*included);
        collect(*included, path.parent_path(), seen, contents);
    }
}

} // namespace

std::vector<std::string> local_includes(std::string_view text, const fs::path& folder) {
    std::set<fs::path> seen;
    std::vector<std::string> contents;
    collect(text, folder, seen, contents);
    return contents;
}

} // namespace compile
