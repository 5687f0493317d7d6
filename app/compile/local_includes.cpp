#include "compile/local_includes.h"

#include "base/file.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

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

class Collector {
public:
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
    constexpr int most_levels = 4;
    std::error_code ignored;
    fs::path up = folder.empty() ? fs::path(".") : folder;
    for (int level = 0; level < most_levels; ++level, up /= "..") {
        const fs::path there = fs::weakly_canonical(up, ignored);
        if (level > 0 && (there == "/" || there == "/usr" || there == "/usr/local"))
            break; // the system's own headers are not the user's
        for (const char* place : {"", "include", "inc", "common", "Common", "src", "utils"}) {
            const fs::path path = (up / place / name).lexically_normal();
            if (fs::is_regular_file(path, ignored)) return folder.empty() && level == 0 ? fs::path(place) / name : path;
        }
    }
    return {};
}

base::Result<std::vector<IncludedFile>> local_includes(std::string_view text, const fs::path& file) {
    Collector collector;
    if (auto collected = collector.collect(text, file); !collected) return collected.error();
    return std::move(collector.files);
}

} // namespace compile
