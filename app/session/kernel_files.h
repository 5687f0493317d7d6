// The kernel files: where they lie, what was read of them last, and what has changed there since.
#pragma once

#include "base/file_watch.h"
#include "base/job.h"
#include "catalog/catalog.h"
#include "session/open_file.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace session {

// What has come from the disk.
struct FileNews {
    std::set<std::string> changed;                 // kernels that are others now, or there no longer
    std::vector<base::Sentence> notices;           // what could not be read, and was not said before
    std::optional<View> view;                      // of a file that was opened
    std::shared_ptr<const catalog::Kernel> opened; // likewise; its folder, or the file alone, is among the places now
};

// All from the owner's thread. A thread of its own reads, so that no picture waits for a disk that does not answer.
class KernelFiles {
public:
    // `places`: folders and single files, read before this returns. `watches`: they are read again when they change.
    KernelFiles(std::vector<std::filesystem::path> places, bool watches, std::function<void()> wake, int niceness);

    const catalog::Catalog& catalog() const { return catalog_; } // stays where it is; another in take_news() alone
    uint64_t reads() const { return reads_; }                    // a new number means that it is another
    // Of its name, if it came from a file with the same text; nullptr: another file has taken its place, or it has a mistake.
    std::shared_ptr<const catalog::Kernel> find(const catalog::Kernel& read) const;

    void open(const std::filesystem::path& file); // a kernel, a view or a picture of one: FileNews
    // A kernel file that this program has just written, at once: its disk answers. nullopt: FileNews says why.
    std::optional<catalog::Kernel> read_written(const std::filesystem::path& file);

    void collect(); // what was read, and what the watch has seen
    bool has_news() const { return next_ || news_.view || !news_.notices.empty(); }
    FileNews take_news(); // and from now on the catalogue is that of the last reading

    bool busy() const { return disk_.busy(); }
    void wait() { disk_.wait(); } // until not busy()
    void cancel() { disk_.cancel_all(); }

private:
    struct OneFile;
    static OneFile open_one(const std::filesystem::path& file, const std::vector<std::filesystem::path>& places);
    const catalog::Catalog& newest() const { return next_ ? *next_ : catalog_; }
    void read_again();
    void take_opened(OneFile, const std::filesystem::path& file);

    std::vector<std::filesystem::path> places_;
    catalog::Catalog catalog_;
    std::optional<catalog::Catalog> next_;
    FileNews news_;
    std::optional<catalog::Kernel> opened_, arrived_; // to be read with the others; read with them
    uint64_t reads_ = 1;
    std::optional<base::FileWatch> watch_;
    base::Jobs disk_;
};

} // namespace session
