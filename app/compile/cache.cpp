#include "compile/cache.h"

#include "base/file.h"
#include "base/hash.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>

namespace compile::cache {
namespace fs = std::filesystem;
namespace {

// A file is the hash of what follows it, 32 digits; then each field as its length, 8 bytes, and its bytes.
constexpr size_t hash_length = 32;

fs::path path_of(const std::string& key) { return base::cache_folder() / "compile" / key; }

} // namespace

std::optional<std::vector<std::string>> find(const std::string& key) {
    auto file = base::read_file(path_of(key));
    if (!file || file->size() < hash_length) return {};
    std::string_view rest = std::string_view(*file).substr(hash_length);
    if (base::hash(rest) != std::string_view(*file).substr(0, hash_length)) return {};
    std::vector<std::string> fields;
    while (!rest.empty()) {
        uint64_t length = 0;
        if (rest.size() < sizeof length) return {};
        std::memcpy(&length, rest.data(), sizeof length);
        rest.remove_prefix(sizeof length);
        if (rest.size() < length) return {};
        fields.emplace_back(rest.substr(0, length));
        rest.remove_prefix(length);
    }
    return fields;
}

void store(const std::string& key, const std::vector<std::string>& fields) {
    std::string contents;
    for (const std::string& field : fields) {
        uint64_t length = field.size();
        contents.append(reinterpret_cast<const char*>(&length), sizeof length);
        contents += field;
    }
    (void)base::write_file(path_of(key), base::hash(contents) + contents);
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
    fs::directory_iterator folder(base::cache_folder() / "compile", failed);
    for (; !failed && folder != fs::directory_iterator(); folder.increment(failed)) {
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
