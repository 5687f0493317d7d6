// What a user sees as a file that a test reads (--probe FILE).
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

namespace session {
struct View;
}
namespace ui {

struct Context;

// What a test reads: {"frame", "turns", "longest_ms", "longest_cpu_ms", "remembered_bytes", "settled", "busy", "faces", "gpu", "help", "field", "slider", "mouse", "editor", "notices", "view", "marks"}.
// Written when anything but the first five has changed, in one step, so that a reader never sees half.
class ProbeFile {
public:
    explicit ProbeFile(std::filesystem::path path) : path_(std::move(path)) {}
    // `settled`: nothing runs and no further frame is due.
    void write(const Context&, int frame, bool settled);
    // A turn of the window's loop, from an event to the frame that shows it: so long the window does not answer.
    // Both in seconds; `cpu`: what its thread computed meanwhile, the rest it waited.
    void turn_took(double seconds, double cpu);

private:
    std::filesystem::path path_;
    std::array<uint64_t, 16>
        turns_{}; // "turns": that took less than 2^n ms, and not less than 2^(n - 1); the last: or more
    double longest_ms_ = 0;
    double longest_cpu_ms_ = 0; // of the longest
    std::string last_;
};

// Adds views to FILE.views, one a line: what a window that is killed may have kept.
std::function<void(const session::View&)> log_of_views(const std::filesystem::path& probe_file);

} // namespace ui
