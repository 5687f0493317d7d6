#include "session/own_kernels.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/text.h"
#include "catalog/catalog.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <unistd.h>

namespace session {

namespace fs = std::filesystem;

namespace {

constexpr size_t most_kernel_bytes = size_t{1} << 20; // as edit::most_bytes: what the window can edit
constexpr int most_copies = 999;

std::optional<std::string> read_small(const fs::path& file) {
    std::error_code failed;
    if (!fs::is_regular_file(file, failed) || fs::file_size(file, failed) > most_kernel_bytes || failed) return {};
    auto text = base::read_file(file);
    return text ? std::optional(std::move(*text)) : std::nullopt;
}

// A power cut just after start() may leave an empty file: it is as if there were none.
bool is_kept(const fs::path& file) {
    std::error_code failed;
    return fs::exists(file, failed) && (!fs::is_regular_file(file, failed) || fs::file_size(file, failed) > 0);
}

// By name where the folder is not there yet.
bool lies_in(const fs::path& file, const fs::path& folder) {
    std::error_code ignored;
    if (folder.empty()) return false;
    const fs::path around = fs::absolute(file, ignored).lexically_normal().parent_path();
    return around == fs::absolute(folder / "x", ignored).lexically_normal().parent_path() ||
           fs::equivalent(around, folder, ignored);
}

// `title = { en = "Tile", zh = "..." }` with words behind each title.
std::string with_own_title(std::string line) {
    for (const auto& [language, words] : {std::pair{"en = \"", ", my copy"}, {"zh = \"", "（我的副本）"}}) {
        const size_t begin = line.find(language);
        if (begin == std::string::npos || line.find(words) != std::string::npos) continue;
        const size_t end = line.find('"', begin + std::string_view(language).size());
        if (end != std::string::npos) line.insert(end, words);
    }
    return line;
}

bool is_version(const fs::path& file) {
    const std::string name = file.filename().string();
    return file.extension() == ".cu" && !name.empty() && name[0] >= '0' && name[0] <= '9';
}

// By name, which is by time.
std::vector<fs::path> version_files(const fs::path& history) {
    std::vector<fs::path> found;
    std::error_code failed;
    for (fs::directory_iterator at(history, failed), end; !failed && at != end; at.increment(failed))
        if (is_version(at->path())) found.push_back(at->path());
    std::sort(found.begin(), found.end());
    return found;
}

void forget_oldest(const std::vector<fs::path>& files) {
    size_t count = 0;
    uintmax_t bytes = 0;
    std::error_code ignored;
    for (auto file = files.rbegin(); file != files.rend(); ++file) {
        const uintmax_t size = fs::file_size(*file, ignored);
        bytes += ignored ? 0 : size;
        if (++count > OwnKernels::most_versions || (count > 1 && bytes > OwnKernels::most_version_bytes))
            fs::remove(*file, ignored);
    }
}

// "20261124-031520-000.cu" -> "2026-11-24 03:15:20".
std::string time_of(const std::string& stem) {
    if (stem.size() < 15) return stem;
    return fmt::format("{}-{}-{} {}:{}:{}", stem.substr(0, 4), stem.substr(4, 2), stem.substr(6, 2), stem.substr(9, 2),
                       stem.substr(11, 2), stem.substr(13, 2));
}

} // namespace

fs::path own_kernels() { return base::state_folder() / "kernels"; }

bool OwnKernels::is_sample(const fs::path& file) const {
    return lies_in(file, samples_) || ::access(file.c_str(), W_OK) != 0;
}

fs::path OwnKernels::history(const fs::path& kernel) const {
    if (lies_in(kernel, folder_)) return folder_ / kernel.stem();
    std::error_code ignored;
    const std::string place = fs::absolute(kernel, ignored).lexically_normal().string();
    return folder_ / "elsewhere" / (kernel.stem().string() + "-" + base::hash(place).substr(0, 16));
}

fs::path OwnKernels::draft_file(const fs::path& kernel) const { return history(kernel) / "draft.cu"; }

base::Result<fs::path> OwnKernels::copy(const catalog::Kernel& sample) const {
    const std::string first = sample.id.starts_with("my_") ? sample.id : "my_" + sample.id;
    for (int number = 1; number <= most_copies; ++number) {
        const std::string id = number == 1 ? first : fmt::format("{}_{}", first, number);
        std::error_code ignored;
        const fs::path file = folder_ / (id + ".cu");
        if (fs::exists(file, ignored) || fs::exists(history(file), ignored)) continue;
        const std::string text = as_own(sample);
        if (auto kernel = catalog::parse(text, file); !kernel) return kernel.error();
        return start(id, text);
    }
    return base::Error{base::Failure::usage, base::say("there are {} copies of this kernel already", most_copies),
                       folder_.string(), base::say("delete those that you do not need")};
}

base::Result<fs::path> OwnKernels::start(const std::string& name, const std::string& text) const {
    const bool is_name = !name.empty() && name.size() <= 100 && name.find('/') == std::string::npos && name[0] != '.';
    if (!is_name)
        return base::Error{base::Failure::usage,
                           base::say("\"{}\" is not the name of a kernel file", name),
                           {},
                           base::say("use letters, digits and underscores")};
    if (text.size() > most_kernel_bytes)
        return base::Error{base::Failure::usage,
                           base::say("the kernel file is larger than {} bytes", most_kernel_bytes), name,
                           base::say("choose a smaller one")};
    const fs::path file = folder_ / (name + ".cu");
    if (is_kept(file)) return file;
    // A kernel has a sample from its first moment. Nothing of it is the user's yet: the disk is not waited for.
    for (const fs::path& each : {history(file) / "sample.cu", file})
        if (auto written = base::write_file(each, text, base::Survives::crash); !written) return written.error();
    return file;
}

std::optional<OwnKernels::Draft> OwnKernels::draft(const fs::path& kernel) const {
    const fs::path file = draft_file(kernel);
    auto text = read_small(file);
    if (!text) return {};
    std::error_code failed;
    const auto typed = fs::last_write_time(file, failed);
    if (failed) return Draft{std::move(*text), false};
    const auto written = fs::last_write_time(kernel, failed);
    return Draft{std::move(*text), !failed && written > typed};
}

base::Status OwnKernels::compile(const fs::path& kernel, const std::string& text, const std::string& before) const {
    if (const fs::path sample = history(kernel) / "sample.cu"; !is_kept(sample))
        if (auto kept = base::write_file(sample, before); !kept) return kept;
    if (auto kept = keep_version(kernel, text); !kept) return kept;
    return base::write_file(kernel, text);
}

std::vector<OwnKernels::Version> OwnKernels::versions(const fs::path& kernel) const {
    std::vector<Version> found;
    for (const fs::path& file : version_files(history(kernel))) found.push_back({file, time_of(file.stem().string())});
    std::reverse(found.begin(), found.end());
    return found;
}

base::Status OwnKernels::keep_version(const fs::path& kernel, const std::string& text) const {
    std::vector<fs::path> files = version_files(history(kernel));
    if (!files.empty() && read_small(files.back()) == text) return base::Done{};
    const std::string now = fmt::format("{:%Y%m%d-%H%M%S}", fmt::localtime(std::time(nullptr)));
    // Several of a second, or a clock that was set back: still behind all others.
    const std::string last = files.empty() ? std::string() : files.back().stem().string();
    std::string name = now + "-000";
    if (!last.empty() && name <= last) {
        const auto number = last.size() == name.size() ? std::atoi(last.c_str() + 16) + 1 : 1;
        name = fmt::format("{}-{:03}", last.substr(0, 15), number);
    }
    files.push_back(history(kernel) / (name + ".cu"));
    if (auto written = base::write_file(files.back(), text); !written) return written;
    forget_oldest(files);
    return base::Done{};
}

base::Result<std::string> OwnKernels::text_of(const Version& version) const {
    if (auto text = read_small(version.file)) return std::move(*text);
    return base::Error{base::Failure::usage, base::say("this version cannot be read"), version.file.string(),
                       base::say("choose another one")};
}

std::optional<std::string> OwnKernels::sample(const fs::path& kernel) const {
    const fs::path file = history(kernel) / "sample.cu";
    return is_kept(file) ? read_small(file) : std::nullopt;
}

std::string as_own(const catalog::Kernel& sample) {
    const std::vector<std::string_view> lines = base::lines(sample.source);
    const auto ends_head = [](std::string_view line) { return line.starts_with('[') || line.starts_with("*/"); };
    const auto end = std::find_if(lines.begin(), lines.end(), ends_head);
    const auto has = [&](std::string_view key) {
        return std::any_of(lines.begin(), end, [&](std::string_view line) { return line.starts_with(key); });
    };
    const std::string family = "family = \"own\"", function = "function = \"" + sample.function + "\"";
    const bool has_function = has("function ="), has_rung = has("rung =");
    std::string text;
    for (auto line = lines.begin(); line != lines.end(); ++line) {
        const bool in_head = line < end;
        if (line == end && !has("family =")) text += family + "\n";
        if (line == end && !has_function && !has_rung) text += function + "\n";
        if (in_head && line->starts_with("family =")) text += family;
        else if (in_head && line->starts_with("rung =") && !has_function) text += function;
        else if (in_head && line->starts_with("title =")) text += with_own_title(std::string(*line));
        else text += *line;
        text += '\n';
    }
    if (!sample.source.ends_with('\n') && !text.empty()) text.pop_back();
    return text;
}

} // namespace session
