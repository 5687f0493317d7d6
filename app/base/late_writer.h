// Keeps on disk what changes all the time, so that a crash or a kill loses nothing but the last second.
#pragma once

#include "base/result.h"

#include <condition_variable>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace base {

// Writes from a thread of its own, a moment after the last change and at least every second while changes go on.
class LateWriter {
public:
    // `trouble` is called from the writer's thread when there is a problem to take.
    explicit LateWriter(std::function<void()> trouble = {});
    ~LateWriter(); // writes what is left
    LateWriter(const LateWriter&) = delete;
    LateWriter& operator=(const LateWriter&) = delete;

    // `bytes` is called from the writer's thread. Of a file only what was asked for last is done.
    void write(std::filesystem::path, std::function<std::string()> bytes);
    void remove(std::filesystem::path);
    std::optional<Error> take_problem(); // why the last write failed; told once

private:
    void want(std::filesystem::path, std::function<std::string()>);
    void run(std::stop_token);
    void work(std::unique_lock<std::mutex>&, std::stop_token);
    void tell(std::unique_lock<std::mutex>&, const Error& problem);

    const std::function<void()> trouble_;
    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::map<std::filesystem::path, std::function<std::string()>> wanted_; // empty: to be removed
    uint64_t changes_ = 0;
    std::optional<Error> problem_;
    std::jthread thread_; // last: joined first
};

} // namespace base
