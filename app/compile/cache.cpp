#include "compile/cache.h"

#include "base/file.h"
#include "base/hash.h"
#include "compile/wire.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace compile::cache {
namespace fs = std::filesystem;
namespace {

// The folder may hold what is not ours.
bool is_entry(const fs::path& file) {
    constexpr size_t key_length = 32;
    const std::string name = file.filename().string();
    return name.size() == key_length && name.find_first_not_of("0123456789abcdef") == name.npos;
}

// A file is the hash of its key and what follows, 32 digits; then the fields, packed.
constexpr size_t hash_length = 32;

fs::path own_folder() { return base::cache_folder() / "compile"; }

bool is_of_this_user(const fs::path& path, struct stat& status) {
    return ::lstat(path.c_str(), &status) == 0 && status.st_uid == ::geteuid();
}

// What lies here is executed. The hash tells damage, not malice: others must not write into the folder, nor own what is in
// it. One of ours that they may read or write, as some umasks make it, is closed to them.
bool is_private(const fs::path& path) {
    struct stat status {};
    if (!is_of_this_user(path, status) || !S_ISDIR(status.st_mode)) return false;
    return (status.st_mode & (S_IRWXG | S_IRWXO)) == 0 || ::chmod(path.c_str(), S_IRWXU) == 0;
}

bool make_private(const fs::path& path) {
    std::error_code ignored;
    fs::create_directories(path.parent_path(), ignored);
    (void)::mkdir(path.c_str(), S_IRWXU); // it may be there
    return is_private(path);
}

} // namespace

std::optional<std::vector<std::string>> find(const std::string& key) {
    const auto bytes = file(key);
    return bytes ? contents(key, *bytes) : std::nullopt;
}

std::optional<std::string> file(const std::string& key) {
    const fs::path path = own_folder() / key;
    struct stat status {};
    if (!is_private(own_folder()) || !is_of_this_user(path, status) || !S_ISREG(status.st_mode)) return {};
    auto bytes = base::read_file(path);
    return bytes ? std::optional(std::move(*bytes)) : std::nullopt;
}

std::optional<std::vector<std::string>> contents(const std::string& key, std::string_view file) {
    if (file.size() < hash_length) return {};
    const std::string_view rest = file.substr(hash_length);
    if (base::Hasher().add(key).add(rest).digest() != file.substr(0, hash_length)) return {};
    return wire::unpacked(rest);
}

std::vector<std::string> keys() {
    std::vector<std::string> found;
    std::error_code failed;
    fs::directory_iterator folder(own_folder(), failed);
    for (; !failed && folder != fs::directory_iterator(); folder.increment(failed))
        found.push_back(folder->path().filename().string());
    std::sort(found.begin(), found.end());
    return found;
}

void store(const std::string& key, const std::vector<std::string>& fields) {
    const std::string contents = wire::packed(fields);
    if (!make_private(own_folder())) return;
    (void)base::write_file(own_folder() / key, base::Hasher().add(key).add(contents).digest() + contents);
    // Keys are hashes: that is once in 256 times.
    if (key.starts_with("00")) trim();
}

void trim(uint64_t most_bytes) {
    struct Entry {
        fs::file_time_type time;
        uint64_t bytes;
        fs::path path;
    };
    std::vector<Entry> entries;
    uint64_t total = 0;
    std::error_code failed;
    fs::directory_iterator folder(own_folder(), failed);
    for (; !failed && folder != fs::directory_iterator(); folder.increment(failed)) {
        if (!is_entry(folder->path())) continue;
        std::error_code gone; // by another process
        Entry entry{folder->last_write_time(gone), folder->file_size(gone), folder->path()};
        if (gone) continue;
        total += entry.bytes;
        entries.push_back(std::move(entry));
    }
    if (total <= most_bytes) return;
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.time < b.time; });
    for (const Entry& entry : entries) {
        if (total <= most_bytes / 2) break;
        std::error_code ignored;
        if (fs::remove(entry.path, ignored)) total -= entry.bytes;
    }
}

} // namespace compile::cache
