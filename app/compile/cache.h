// Compiled code on disk, by the hash of everything it depends on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace compile::cache {

// The fields stored under `key` (32 hexadecimal digits), or nothing: not there, cut short, damaged, of another key or
// another user.
std::optional<std::vector<std::string>> find(const std::string& key);

// What lies on disk, for a pack (pack.h): every key, ascending; the file of one, and the fields that a file holds if it is whole
// and of this key.
std::vector<std::string> keys();
std::optional<std::string> file(const std::string& key);
std::optional<std::vector<std::string>> contents(const std::string& key, std::string_view file);

// Stores fields under a key, and now and then trims. A full disk or a folder that cannot be written costs the next compilation time, nothing
// else, so failing is not reported; so does one that belongs to another user. Safe under several processes.
void store(const std::string& key, const std::vector<std::string>& fields);

// Removes the entries that were stored longest ago until half of `most_bytes` remains, if there are more than that. Other files
// stay.
void trim(uint64_t most_bytes = uint64_t{1} << 30);

} // namespace compile::cache
