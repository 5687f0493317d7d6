// Keeps the newest view on disk, so that a crash or a kill loses nothing.
#pragma once

#include "session/view.h"

#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <optional>
#include <thread>

namespace session {

// Writes from a thread of its own, a moment after the last change and at least every second while changes go on.
class Autosave {
public:
    explicit Autosave(std::filesystem::path file); // empty: nothing is written
    ~Autosave();                                   // writes what is left
    void keep(const View&);
    std::optional<base::Error> take_problem(); // why the last write failed; told once

private:
    void run(std::stop_token);
    void save(std::unique_lock<std::mutex>&, std::stop_token); // the newest view

    std::filesystem::path file_;
    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::optional<View> newest_;
    std::optional<base::Error> problem_;
    std::jthread thread_; // last: joined first
};

} // namespace session
