#include "base/file_watch.h"

#include "base/caught.h"

#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

namespace base {

namespace fs = std::filesystem;

namespace {

void add(Look& look, const fs::path& file) {
    std::error_code failed;
    const auto time = fs::last_write_time(file, failed);
    if (failed) return;
    const auto size = fs::file_size(file, failed);
    if (!failed) look[file] = {time, size};
}

} // namespace

Look look_at(const std::vector<fs::path>& places) {
    Look look;
    for (const fs::path& place : places) {
        std::error_code failed;
        fs::directory_iterator entries(place, failed);
        if (failed) {
            add(look, place);
            continue;
        }
        for (; !failed && entries != fs::directory_iterator(); entries.increment(failed)) add(look, entries->path());
    }
    return look;
}

struct FileWatch::Impl {
    std::function<void()> changed;
    std::chrono::milliseconds between;
    std::mutex mutex;
    std::condition_variable_any stirred;
    std::vector<fs::path> places;
    uint64_t watches = 0; // how often other places were asked for
    Look told, last;      // what was known when a change was last told, and at the last look
    bool news = false;
    std::jthread thread; // last: joined first

    void run(std::stop_token stop) {
        std::unique_lock lock(mutex);
        while (!stirred.wait_for(lock, stop, between, [&] { return stop.stop_requested(); })) {
            bool tell = false;
            (void)caught([&] { tell = look(lock); }); // where memory ran out, the next look finds it
            if (!lock.owns_lock()) lock.lock();
            if (!tell || !changed) continue;
            lock.unlock();
            (void)caught(changed);
            lock.lock();
        }
    }

    // Whether there is news. Looks without the mutex: a disk may take its time, and who asks for changes draws frames.
    bool look(std::unique_lock<std::mutex>& lock) {
        const std::vector<fs::path> where = places;
        const uint64_t watch = watches;
        lock.unlock();
        Look now = look_at(where);
        lock.lock();
        if (watch != watches) return false;
        const bool rests = now == last;
        last = std::move(now);
        if (!rests || last == told) return false;
        told = last;
        return news = true;
    }
};

FileWatch::FileWatch(std::function<void()> changed, std::chrono::milliseconds between)
    : impl_(std::make_unique<Impl>()) {
    impl_->changed = std::move(changed);
    impl_->between = between;
    impl_->thread = std::jthread([impl = impl_.get()](std::stop_token stop) { impl->run(stop); });
}

FileWatch::~FileWatch() = default;

void FileWatch::watch(std::vector<fs::path> places, Look known) {
    std::lock_guard lock(impl_->mutex);
    impl_->places = std::move(places);
    impl_->told = impl_->last = std::move(known);
    ++impl_->watches;
}

bool FileWatch::take_change() {
    std::lock_guard lock(impl_->mutex);
    return std::exchange(impl_->news, false);
}

} // namespace base
