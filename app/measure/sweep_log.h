// A sweep's record while it grows: what was killed is continued by the next run.
#pragma once

#include "base/process.h"
#include "measure/sweep_record.h"

namespace measure {

class SweepLog {
public:
    // Makes the file, its header and its folder where there is none. Half a last line is cut off. A record of other code is
    // moved aside and begun anew: see moved(). Errors: it cannot be read or written, holds something else, is of another
    // device, or another process sweeps into it.
    static base::Result<SweepLog> open(const std::filesystem::path&, const catalog::Kernel&, const std::string& device);

    // What the file held when it was opened.
    const SweepRecord& known() const { return *known_; }
    const std::filesystem::path& path() const { return path_; }
    const std::filesystem::path& moved() const {
        return moved_;
    } // where the record of the older code is now; empty: there was none

    // The line is the system's when this returns, and survives the process; sync(): the disk's.
    base::Status append(const catalog::Values&, SweepPoint, const SweepSource&);
    base::Status sync();
    // Sorted, each point once, in one step. The log takes no further points.
    base::Status finish();

private:
    SweepLog(std::filesystem::path path, base::Descriptor file) : path_(std::move(path)), file_(std::move(file)) {}
    base::Status begin(const catalog::Kernel&, const std::string& device);
    base::Status write(std::string_view);
    base::Error failed(base::Phrase action) const;

    std::filesystem::path path_, moved_;
    base::Descriptor file_; // locked
    std::shared_ptr<const SweepRecord> known_;
    std::vector<SweepSource> sources_;
};

} // namespace measure
