// Tells that files have changed: written, added, taken away.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace base {

// A file, or a folder: of two looks at that only its files count.
struct Seen {
    int64_t changed_ns = 0; // since 1970; a folder's when one of its files came or went
    int64_t bytes = 0;
    bool is_folder = false;
    bool operator==(const Seen& other) const {
        return is_folder == other.is_folder && (is_folder || (changed_ns == other.changed_ns && bytes == other.bytes));
    }
};
// Places and the files of those that are folders, but not of folders within, by path.
using Look = std::map<std::string, Seen>;
Look look_at(const std::vector<std::filesystem::path>& places);

// Looks twice a second, from a thread of its own, at sizes and times of change: notices of the system do not come from a
// file server, where a class keeps its folders.
class FileWatch {
public:
    // `changed` is called from the watch's thread.
    explicit FileWatch(std::function<void()> changed,
                       std::chrono::milliseconds between = std::chrono::milliseconds(500));
    ~FileWatch();

    // As look_at() takes them, instead of those watched before. What differs from `known` is a change: who looks, and then reads the
    // files, misses none.
    void watch(std::vector<std::filesystem::path> places, Look known);

    // Whether something has changed since the last call, and has then been at rest from one look to the next: a file half
    // written is not news yet.
    bool take_change();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace base
