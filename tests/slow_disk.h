// A disk that answers when a test lets it. For one file of a test program: it takes the place of the C library's open().
#pragma once

#include <condition_variable>
#include <cstdarg>
#include <fcntl.h>
#include <mutex>
#include <string_view>

class SlowDisk {
public:
    void answer() {
        std::unique_lock lock(mutex_);
        asked_ |= hangs_;
        changed_.notify_all();
        changed_.wait(lock, [&] { return !hangs_; });
    }
    void hang(bool on) {
        std::lock_guard lock(mutex_);
        hangs_ = on;
        asked_ = false;
        changed_.notify_all();
    }
    bool asked() {
        std::lock_guard lock(mutex_);
        return asked_;
    }
    void wait_until_asked() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return asked_; });
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool hangs_ = false, asked_ = false;
};

inline SlowDisk slow_disk;

// Of files of these names.
inline bool is_slow(std::string_view path) { return path.ends_with("/slow.cu") || path.ends_with("/slow.md"); }

extern "C" int open(const char* path, int flags, ...) {
    mode_t mode = 0;
    if ((flags & (O_CREAT | O_TMPFILE)) != 0) {
        va_list rest;
        va_start(rest, flags);
        mode = va_arg(rest, mode_t);
        va_end(rest);
    }
    if (is_slow(path)) slow_disk.answer();
    return ::openat(AT_FDCWD, path, flags, mode);
}
