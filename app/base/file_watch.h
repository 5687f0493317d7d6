// Tells that files have changed: written, added, taken away.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

namespace base {

// Looks twice a second, from a thread of its own, at sizes and times of change: notices of the system do not come from a
// file server, where a class keeps its folders.
class FileWatch {
public:
    // `changed` is called from the watch's thread.
    explicit FileWatch(std::function<void()> changed,
                       std::chrono::milliseconds between = std::chrono::milliseconds(500));
    ~FileWatch();

    // Files, and folders whose files count, too, but not those of folders within. Instead of those watched before; what they are now
    // is what later changes are compared with.
    void watch(std::vector<std::filesystem::path> places);

    // Whether something has changed since the last call, and has then been at rest from one look to the next: a file half
    // written is not news yet.
    bool take_change();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace base
