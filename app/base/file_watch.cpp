#include "base/file_watch.h"

#include "base/caught.h"

#include <algorithm>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <sys/stat.h>
#include <thread>
#include <utility>

namespace base {

namespace fs = std::filesystem;

namespace {

std::optional<Seen> see(const char* path) {
    struct stat about {};
    const bool is_there = ::stat(path, &about) == 0 && (S_ISREG(about.st_mode) || S_ISDIR(about.st_mode));
    if (!is_there) return {};
    return Seen{int64_t{about.st_mtim.tv_sec} * 1'000'000'000 + about.st_mtim.tv_nsec, about.st_size,
                S_ISDIR(about.st_mode)};
}

// A folder that has just changed may change again in the same tick of its clock, as Git says of a "racily clean" file.
constexpr int64_t tick_ns = 2'000'000'000;

// Whether another look would find the same. Lists no folder and allocates nothing: a window at rest does little else.
bool is_still(const Look& look, const std::vector<fs::path>& places) {
    const auto is_new = [&](const fs::path& place) { return !look.contains(place.native()) && see(place.c_str()); };
    if (std::any_of(places.begin(), places.end(), is_new)) return false;
    const int64_t now_ns = std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
    return std::all_of(look.begin(), look.end(), [&](const auto& entry) {
        const auto now = see(entry.first.c_str());
        const Seen& then = entry.second;
        if (!now || !(*now == then)) return false;
        return !then.is_folder || (now->changed_ns == then.changed_ns && now_ns - then.changed_ns > tick_ns);
    });
}

} // namespace

Look look_at(const std::vector<fs::path>& places) {
    Look look;
    for (const fs::path& place : places) {
        const auto seen = see(place.c_str());
        if (!seen) continue;
        look[place.native()] = *seen; // before its files are listed: one that comes meanwhile makes it another
        if (!seen->is_folder) continue;
        std::error_code failed;
        fs::directory_iterator entries(place, failed);
        for (; !failed && entries != fs::directory_iterator(); entries.increment(failed))
            if (const auto file = see(entries->path().c_str()); file && !file->is_folder)
                look[entries->path().native()] = *file;
    }
    return look;
}

struct FileWatch::Impl {
    std::function<void()> changed;
    std::chrono::milliseconds between;
    std::mutex mutex;
    std::condition_variable_any stirred;
    std::shared_ptr<const std::vector<fs::path>> places = std::make_shared<const std::vector<fs::path>>();
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

    // Whether there is news. Looks without the mutex: a disk may take its time, and who asks for changes draws frames. At rest it
    // allocates nothing: in a heap of many free pieces that took more than all else.
    bool look(std::unique_lock<std::mutex>& lock) {
        const auto where = places;
        const uint64_t watch = watches;
        Look before = std::exchange(last, {});
        lock.unlock();
        const bool still = is_still(before, *where);
        Look now = still ? Look{} : look_at(*where);
        lock.lock();
        if (watch != watches) return false;
        const bool rests = still || now == before;
        last = std::move(still ? before : now);
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
    impl_->places = std::make_shared<const std::vector<fs::path>>(std::move(places));
    impl_->told = impl_->last = std::move(known);
    ++impl_->watches;
}

bool FileWatch::take_change() {
    std::lock_guard lock(impl_->mutex);
    return std::exchange(impl_->news, false);
}

} // namespace base
