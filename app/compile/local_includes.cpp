#include "compile/local_includes.h"

#include "base/file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <sstream>
#include <sys/stat.h>

namespace compile {
namespace {
namespace fs = std::filesystem;

std::string_view without_space(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    return text;
}

base::Error error(base::Sentence what, const fs::path& file, int line, base::Sentence todo) {
    return {base::Failure::usage, std::move(what), fmt::format("{}:{}", file.string(), line), std::move(todo)};
}

// A device, a pipe or a socket: reading it may never end, or wait for ever.
bool is_stream(const fs::path& path) {
    std::error_code ignored;
    return fs::is_other(fs::status(path, ignored));
}

// As $PATH names folders.
std::vector<fs::path> named_folders() {
    std::vector<fs::path> all;
    const char* const given = std::getenv("GEMMSCOPE_INCLUDE");
    std::istringstream names(given ? given : "");
    for (std::string name; std::getline(names, name, ':');)
        if (!name.empty()) all.emplace_back(name);
    return all;
}

bool others_can_write(const struct stat& folder) { return (folder.st_mode & S_IWOTH) != 0; }

// How many folders from `folder` upwards may be of the project of what is in it. The system's are not, nor is a home, nor those
// that belong to somebody else or that others can write into.
int levels_of_project(const fs::path& folder) {
    constexpr int most_levels = 4;
    std::error_code ignored;
    const char* const home = std::getenv("HOME");
    fs::path up = fs::weakly_canonical(folder.empty() ? fs::path(".") : folder, ignored);
    struct stat own {
    }, status{};
    if (::stat(up.c_str(), &own) != 0) return 1;
    for (int level = 1; level < most_levels; ++level) {
        up = up.parent_path();
        const bool is_of_the_system = up == "/" || up == "/usr" || up == "/usr/local" || up == "/home";
        if (is_of_the_system || (home && up == fs::weakly_canonical(home, ignored))) return level;
        if (::stat(up.c_str(), &status) != 0 || status.st_uid != own.st_uid || others_can_write(status)) return level;
    }
    return most_levels;
}

// Whether `path` is `folder` or lies in it. Both are without links and "..".
bool is_within(const fs::path& path, const fs::path& folder) {
    return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first == folder.end();
}

class Collector {
public:
    explicit Collector(const fs::path& file) : readable_(readable_folders(file)) {}

    base::Status collect(std::string_view text, const fs::path& file) {
        for (int line = 1; !text.empty(); ++line) {
            const size_t end = std::min(text.find('\n'), text.size());
            const std::string_view name = included_name(text.substr(0, end));
            text.remove_prefix(std::min(end + 1, text.size()));
            if (name.empty()) continue;
            if (auto taken = take(name, file, line); !taken) return taken.error();
        }
        return base::Done{};
    }

    std::vector<IncludedFile> files;

private:
    // More than any program has. Files may include each other by ever new names, through links.
    static constexpr int most_lines = 10'000;
    static constexpr size_t most_files = 1000, most_bytes = size_t{64} << 20;

    const std::vector<fs::path> readable_;
    std::set<fs::path> seen_; // without links
    int lines_ = 0;
    size_t bytes_ = 0;

    base::Status take(std::string_view name, const fs::path& file, int line) {
        constexpr base::Phrase fewer = base::phrase("include fewer");
        if (++lines_ > most_lines)
            return error(base::say("there are more than {} #include lines", most_lines), file, line, fewer);
        const fs::path folder = file.parent_path();
        if (is_stream(folder / name))
            return error(base::say("{} is a device or a pipe, which is not read as source", name), file, line,
                         base::say("include a regular file"));
        const fs::path path = find_included(name, folder);
        std::error_code failed;
        for (const fs::path& found : {folder / name, path})
            if (fs::exists(found, failed) && !may_read(found))
                return error(
                    base::say("{} lies neither in the folders of this file nor in the CUDA Toolkit, and is not read",
                              name),
                    file, line, base::say("copy it beside the file, or let $GEMMSCOPE_INCLUDE name its folder"));
        if (path.empty() || !seen_.insert(fs::canonical(path, failed)).second || failed) return base::Done{};
        const auto size = fs::file_size(path, failed);
        if (failed) return base::Done{};
        if (files.size() == most_files)
            return error(base::say("more than {} files are included", most_files), file, line, fewer);
        if (size > most_bytes - bytes_)
            return error(base::say("the included files have more than {} MB", most_bytes >> 20), file, line, fewer);
        auto included = base::read_file(path);
        if (!included) return base::Done{};
        bytes_ = std::min(bytes_ + included->size(), most_bytes); // it may have grown
        files.push_back({path.string(), *included});
        return collect(*included, path);
    }

    bool may_read(const fs::path& path) const {
        std::error_code failed;
        const fs::path place = fs::canonical(path, failed);
        return !failed && std::any_of(readable_.begin(), readable_.end(),
                                      [&](const fs::path& folder) { return is_within(place, folder); });
    }
};

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
    std::error_code ignored;
    fs::path up = folder.empty() ? fs::path(".") : folder;
    for (int level = 0; level < levels_of_project(folder); ++level, up /= "..") {
        for (const char* place : {"", "include", "inc", "common", "Common", "src", "utils"}) {
            const fs::path path = (up / place / name).lexically_normal();
            if (fs::is_regular_file(path, ignored)) return folder.empty() && level == 0 ? fs::path(place) / name : path;
        }
    }
    for (const fs::path& named : named_folders())
        if (fs::is_regular_file(named / name, ignored)) return (named / name).lexically_normal();
    return {};
}

std::vector<fs::path> readable_folders(const fs::path& file) {
    std::error_code ignored;
    const fs::path folder = file.parent_path();
    fs::path up = folder.empty() ? fs::path(".") : folder;
    for (int level = 1; level < levels_of_project(folder); ++level) up /= "..";
    std::vector<fs::path> all = named_folders();
    all.push_back(up);
    for (fs::path& one : all) one = fs::weakly_canonical(one, ignored);
    return all;
}

base::Result<std::vector<IncludedFile>> local_includes(std::string_view text, const fs::path& file) {
    Collector collector(file);
    if (auto collected = collector.collect(text, file); !collected) return collected.error();
    return std::move(collector.files);
}

} // namespace compile
