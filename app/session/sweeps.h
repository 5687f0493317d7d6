// The sweeps that this program knows: those that come with it, and those of its user, who sweeps with `gemmscope sweep`.
#pragma once

#include "measure/sweep_record.h"

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace session {

// Where `gemmscope sweep` keeps what it measures unless it is told otherwise.
std::filesystem::path own_sweeps();

struct KernelSweep {
    std::shared_ptr<const measure::SweepRecord> record;
    bool own = false;   // measured by this user, not recorded elsewhere
    bool stale = false; // of other code than the kernel has now: its speeds are not this kernel's
};

// Reads a kernel's files when they are asked for, unless somebody still holds what was read of them and they are as they were: they are
// megabytes, of which a window shows few at a time. Any thread.
class Sweeps {
public:
    // FOLDER/<device>/<kernel>.txt of both
    Sweeps(std::filesystem::path recorded, std::filesystem::path own)
        : recorded_(std::move(recorded)), own_(std::move(own)) {}

    // The user's own first, then by device. To be asked when the kernel changes, not in each frame: its source is hashed. `look_again`:
    // whether there are others now, or they have changed.
    std::vector<KernelSweep> of(const catalog::Kernel&, bool look_again = false);
    std::vector<base::Error> problems(); // of the files that could not be read

private:
    struct File {
        std::filesystem::path path;
        std::filesystem::file_time_type changed;
        uintmax_t bytes = 0;
        bool own = false;
        std::weak_ptr<const measure::SweepRecord> record;
        std::optional<base::Error> error; // it cannot be read
    };
    std::vector<File> files_of(const std::string& kernel) const;
    std::vector<File>& known(const std::string& kernel, bool look_again);

    const std::filesystem::path recorded_, own_;
    std::mutex mutex_;
    std::map<std::string, std::vector<File>> known_; // by kernel
};

} // namespace session
