#include "measure/sweep_log.h"

#include "base/file.h"
#include "base/system_reason.h"
#include "catalog/code_hash.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace measure {
namespace {

namespace fs = std::filesystem;
using base::Error;
using base::Failure;
using base::Status;

Error system_error(const fs::path& path, base::Phrase action, int number) {
    return {Failure::usage, base::say("{}: {}", base::Sentence(action), base::system_reason(number)), path.string(),
            base::say("give --output a folder that can be written")};
}

// Opened and locked. A file that another run replaced in between, by finish(), is opened again.
base::Result<base::Descriptor> locked(const fs::path& path) {
    for (int turn = 0; turn < 10; ++turn) {
        base::Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0666));
        if (!file) return system_error(path, base::phrase("cannot open"), errno);
        if (::flock(file.number(), LOCK_EX | LOCK_NB) != 0)
            return Error{Failure::usage, base::say("another gemmscope is sweeping into this file"), path.string(),
                         base::say("wait for it, or give --output")};
        struct stat mine {
        }, there{};
        if (::fstat(file.number(), &mine) != 0) return system_error(path, base::phrase("cannot open"), errno);
        if (!S_ISREG(mine.st_mode))
            return Error{Failure::usage, base::say("it is not a regular file"), path.string(),
                         base::say("give --output a folder")};
        if (::stat(path.c_str(), &there) == 0 && mine.st_ino == there.st_ino && mine.st_dev == there.st_dev)
            return file;
    }
    return Error{Failure::usage, base::say("it is replaced again and again"), path.string(),
                 base::say("end what does so")};
}

} // namespace

base::Result<SweepLog> SweepLog::open(const fs::path& path, const catalog::Kernel& kernel, const std::string& device) {
    std::error_code failed;
    fs::create_directories(path.parent_path(), failed);
    auto file = locked(path);
    if (!file) return file.error();
    SweepLog log(path, std::move(*file));
    if (auto begun = log.begin(kernel, device); !begun) return begun.error();
    if (!log.moved_.empty()) { // the lock went with the older file
        auto again = locked(path);
        if (!again) return again.error();
        log.file_ = std::move(*again);
        if (auto begun = log.begin(kernel, device); !begun) return begun.error();
    }
    log.sources_ = log.known_->sources();
    return log;
}

Status SweepLog::begin(const catalog::Kernel& kernel, const std::string& device) {
    auto text = base::read_file(path_);
    if (!text) return text.error();
    const std::string header = header_of(kernel, device);
    // Begun by a run that was killed before the header was whole.
    if (text->size() < header.size() && header.starts_with(*text)) {
        if (::ftruncate(file_.number(), 0) != 0) return failed(base::phrase("cannot write"));
        if (auto written = write(header); !written) return written;
        text = header;
    }
    auto record = SweepRecord::parse(*text, path_);
    if (!record) return record.error();
    if (!(*record)->is_of(kernel)) {
        moved_ = path_.parent_path() / fmt::format("{}.{}.txt", kernel.id, (*record)->code().substr(0, 8));
        if (::rename(path_.c_str(), moved_.c_str()) != 0)
            return failed(base::phrase("cannot move the older record aside"));
        return base::Done{};
    }
    if ((*record)->device() != device)
        return Error{Failure::usage, base::say("it is of an {}, not of an {}", (*record)->device(), device),
                     path_.string(), base::say("give another --output")};
    const size_t whole = text->rfind('\n') + 1;
    if (whole < text->size() && ::ftruncate(file_.number(), static_cast<off_t>(whole)) != 0)
        return failed(base::phrase("cannot write"));
    known_ = std::move(*record);
    return base::Done{};
}

Status SweepLog::append(const catalog::Values& values, SweepPoint point, const SweepSource& given) {
    const SweepSource source = bounded(given);
    std::vector<int> row;
    for (const std::string& name : known_->parameters()) row.push_back(values.at(name));
    std::string lines;
    auto at = std::find(sources_.begin(), sources_.end(), source);
    if (at == sources_.end()) {
        sources_.push_back(source);
        lines = line_of(source, sources_.size());
        at = sources_.end() - 1;
    }
    point.source = static_cast<int>(at - sources_.begin());
    return write(lines + line_of(row, point));
}

Status SweepLog::write(std::string_view text) {
    while (!text.empty()) {
        const ssize_t count = ::write(file_.number(), text.data(), text.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return failed(base::phrase("cannot write"));
        text.remove_prefix(static_cast<size_t>(count));
    }
    return base::Done{};
}

Status SweepLog::sync() {
    return ::fdatasync(file_.number()) == 0 ? Status(base::Done{}) : failed(base::phrase("cannot write"));
}

Status SweepLog::finish() {
    auto record = SweepRecord::read(path_);
    if (!record) return record.error();
    auto written = base::write_file(path_, text_of(**record));
    file_.close();
    return written;
}

Error SweepLog::failed(base::Phrase action) const { return system_error(path_, action, errno); }

} // namespace measure
