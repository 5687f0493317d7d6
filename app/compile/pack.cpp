#include "compile/pack.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/number.h"
#include "compile/cache.h"
#include "compile/wire.h"

#include <fstream>

namespace compile {
namespace {

// The file is the hash of its list, 32 digits, the length of the list, 8 bytes, the list, and the cache's files one behind the
// other. The list has what made them, how many are kernels, and of each its key and its length.
constexpr std::string_view format = "gemmscope pack 1";
constexpr size_t hash_length = 32, least_fields = 4;
constexpr uint64_t most_of_list = uint64_t{4} << 20, most_of_file = uint64_t{128} << 20;

base::Error damaged(const std::filesystem::path& path) {
    return {base::Failure::missing, base::say("the pack of compiled kernels is damaged"), path.string(),
            base::say("install gemmscope again")};
}

std::optional<std::string> bytes_at(std::ifstream& file, uint64_t start, uint64_t count) {
    std::string bytes(count, '\0');
    file.seekg(static_cast<std::streamoff>(start));
    file.read(bytes.data(), static_cast<std::streamsize>(count));
    return file ? std::optional(std::move(bytes)) : std::nullopt;
}

std::optional<uint64_t> number_of(const std::string& text, uint64_t most) {
    const auto value = base::parse_integer(text, "number", 0, static_cast<int64_t>(most));
    return value ? std::optional(static_cast<uint64_t>(*value)) : std::nullopt;
}

} // namespace

base::Result<Pack> Pack::open(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    constexpr size_t start = hash_length + wire::head_bytes;
    const auto head = file ? bytes_at(file, 0, start) : std::nullopt;
    const uint64_t length = head ? wire::length_of(std::string_view(*head).substr(hash_length)) : 0;
    const auto list = head && length <= most_of_list ? bytes_at(file, start, length) : std::nullopt;
    if (!list || base::hash(*list) != std::string_view(*head).substr(0, hash_length)) return damaged(path);

    const auto fields = wire::unpacked(*list);
    if (!fields || fields->size() < least_fields || (*fields)[0] != format) return damaged(path);
    const auto nvrtc_fields = wire::unpacked((*fields)[1]);
    const auto nvrtc = nvrtc_fields ? wire::facts_of(*nvrtc_fields) : std::nullopt;
    const auto kernels = number_of((*fields)[3], most_of_list);
    if (!nvrtc || !kernels) return damaged(path);
    Pack pack;
    pack.path_ = path;
    pack.nvrtc_ = *nvrtc;
    pack.ptxas_.version = (*fields)[2];
    pack.kernels_ = *kernels;
    uint64_t at = start + length;
    for (size_t i = least_fields; i + 1 < fields->size(); i += 2) {
        const auto bytes = number_of((*fields)[i + 1], wire::most_bytes);
        if (!bytes || at + *bytes > most_of_file) return damaged(path);
        pack.entries_[(*fields)[i]] = {at, *bytes};
        at += *bytes;
    }
    return pack;
}

std::optional<std::vector<std::string>> Pack::find(const std::string& key) const {
    const auto entry = entries_.find(key);
    if (entry == entries_.end()) return {};
    std::ifstream file(path_, std::ios::binary);
    const auto bytes = file ? bytes_at(file, entry->second.start, entry->second.bytes) : std::nullopt;
    return bytes ? cache::contents(key, *bytes) : std::nullopt;
}

base::Result<size_t> write_pack(const std::filesystem::path& path, const NvrtcFacts& nvrtc, const PtxasFacts& ptxas) {
    NvrtcFacts facts = nvrtc;
    facts.path.clear();
    std::string files;
    size_t kernels = 0;
    wire::Fields entries;
    for (const std::string& key : cache::keys()) {
        const auto file = cache::file(key);
        const auto fields = file ? cache::contents(key, *file) : std::nullopt;
        if (!fields) continue;
        kernels += !wire::machine_code_of(*fields);
        entries.insert(entries.end(), {key, std::to_string(file->size())});
        files += *file;
        if (files.size() > most_of_file / 2)
            return base::Error{base::Failure::usage, base::say("the cache holds more than {} MB", most_of_file >> 21),
                               base::cache_folder().string(), base::say("let $GEMMSCOPE_CACHE name an empty folder")};
    }
    if (kernels == 0)
        return base::Error{base::Failure::usage, base::say("the cache holds no compiled kernel"),
                           base::cache_folder().string(), base::say("compile what the pack is to hold")};
    wire::Fields fields = {std::string(format), wire::packed(wire::to_fields(facts)), ptxas.version,
                           std::to_string(kernels)};
    fields.insert(fields.end(), entries.begin(), entries.end());
    const std::string list = wire::packed(fields);
    if (auto written = base::write_file(path, base::hash(list) + wire::message(fields) + files); !written)
        return written.error();
    return kernels;
}

} // namespace compile
