#include "session/autosave.h"

#include "base/caught.h"
#include "base/file.h"
#include "session/session.h"

#include <chrono>

namespace session {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

Autosave::Autosave(std::filesystem::path file) : file_(std::move(file)) {
    if (!file_.empty()) thread_ = std::jthread([this](std::stop_token stop) { run(stop); });
}

Autosave::~Autosave() = default;

void Autosave::keep(const View& view) {
    if (file_.empty()) return;
    {
        std::lock_guard lock(mutex_);
        newest_ = view;
    }
    changed_.notify_one();
}

std::optional<base::Error> Autosave::take_problem() {
    std::lock_guard lock(mutex_);
    return std::exchange(problem_, std::nullopt);
}

void Autosave::run(std::stop_token stop) {
    std::unique_lock lock(mutex_);
    while (true) {
        changed_.wait(lock, stop, [this] { return newest_.has_value(); });
        if (!newest_) return; // stopped, and nothing left to write
        const std::exception_ptr thrown = base::caught([&] { save(lock, stop); });
        if (!thrown) continue;
        if (!lock.owns_lock()) lock.lock();
        newest_.reset(); // the next change is written, and why this one was not is told
        (void)base::caught([&] { problem_ = base::error_of(thrown); });
    }
}

void Autosave::save(std::unique_lock<std::mutex>& lock, std::stop_token stop) {
    // Let a drag settle, but not for ever.
    const auto latest = Clock::now() + 1s;
    while (!stop.stop_requested() && Clock::now() < latest) {
        View seen = *newest_;
        const auto until = std::min(latest, Clock::now() + 200ms);
        if (!changed_.wait_until(lock, stop, until, [&] { return *newest_ != seen; })) break;
    }
    View view = std::move(*newest_);
    newest_.reset();
    lock.unlock();
    auto written = base::write_file(file_, to_json(view));
    lock.lock();
    if (!written) problem_ = written.error();
}

Restored restore(const std::filesystem::path& state_file) {
    std::error_code ignored;
    if (state_file.empty() || !std::filesystem::exists(state_file, ignored)) return {};
    auto text = base::read_file(state_file);
    if (!text) return {{}, text.error().said()};
    auto view = view_from_json(*text);
    if (view) return {*view, {}};

    auto aside = state_file;
    aside += ".damaged";
    std::filesystem::rename(state_file, aside, ignored);
    return {{},
            base::say("{}: {}; the default view is shown, the old file is kept as {}", state_file.string(),
                      view.error().what, aside.string())};
}

} // namespace session
