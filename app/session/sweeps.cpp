#include "session/sweeps.h"

#include "base/file.h"
#include "catalog/code_hash.h"

#include <algorithm>

namespace session {

namespace fs = std::filesystem;

fs::path own_sweeps() { return base::state_folder() / "sweeps"; }

std::vector<Sweeps::File> Sweeps::files_of(const std::string& kernel) const {
    std::vector<File> files;
    for (const bool own : {true, false}) {
        const size_t first = files.size();
        std::error_code missing; // no folder: nothing was swept
        for (const auto& device : fs::directory_iterator(own ? own_ : recorded_, missing)) {
            File file{device.path() / (kernel + ".txt"), {}, 0, own, {}, {}};
            std::error_code absent;
            if (!fs::is_regular_file(file.path, absent)) continue;
            file.changed = fs::last_write_time(file.path, absent);
            file.bytes = fs::file_size(file.path, absent);
            files.push_back(std::move(file));
        }
        std::sort(files.begin() + static_cast<std::ptrdiff_t>(first), files.end(),
                  [](const File& a, const File& b) { return a.path < b.path; });
    }
    return files;
}

std::vector<Sweeps::File>& Sweeps::known(const std::string& kernel, bool look_again) {
    const auto at = known_.find(kernel);
    if (at != known_.end() && !look_again) return at->second;
    std::vector<File> files = files_of(kernel);
    for (File& file : files) {
        if (at == known_.end()) break;
        const auto same = std::find_if(at->second.begin(), at->second.end(), [&](const File& old) {
            return old.path == file.path && old.changed == file.changed && old.bytes == file.bytes;
        });
        if (same != at->second.end()) file = *same;
    }
    return known_[kernel] = std::move(files);
}

std::vector<KernelSweep> Sweeps::of(const catalog::Kernel& kernel, bool look_again) {
    std::vector<KernelSweep> all;
    const std::string code = catalog::code_hash(kernel);
    const std::lock_guard lock(mutex_);
    for (File& file : known(kernel.id, look_again)) {
        auto record = file.record.lock();
        if (!record && !file.error) {
            auto read = measure::SweepRecord::read(file.path);
            if (read) file.record = record = std::move(*read);
            else file.error = read.error();
        }
        if (record) all.push_back({record, file.own, record->kernel() != kernel.id || record->code() != code});
    }
    return all;
}

std::vector<base::Error> Sweeps::problems() {
    std::vector<base::Error> all;
    const std::lock_guard lock(mutex_);
    for (const auto& [kernel, files] : known_)
        for (const File& file : files)
            if (file.error) all.push_back(*file.error);
    return all;
}

} // namespace session
