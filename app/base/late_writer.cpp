#include "base/late_writer.h"

#include "base/caught.h"
#include "base/file.h"

#include <chrono>
#include <system_error>
#include <utility>

namespace base {

using namespace std::chrono_literals;
using SteadyClock = std::chrono::steady_clock;

LateWriter::LateWriter(std::function<void()> trouble) : trouble_(std::move(trouble)) {}

LateWriter::~LateWriter() = default;

void LateWriter::write(std::filesystem::path file, std::function<std::string()> bytes) {
    want(std::move(file), std::move(bytes));
}

void LateWriter::remove(std::filesystem::path file) { want(std::move(file), {}); }

void LateWriter::want(std::filesystem::path file, std::function<std::string()> bytes) {
    {
        std::lock_guard lock(mutex_);
        wanted_[std::move(file)] = std::move(bytes);
        ++changes_;
    }
    changed_.notify_one();
    if (!thread_.joinable()) thread_ = std::jthread([this](std::stop_token stop) { run(stop); });
}

std::optional<Error> LateWriter::take_problem() {
    std::lock_guard lock(mutex_);
    return std::exchange(problem_, std::nullopt);
}

void LateWriter::run(std::stop_token stop) {
    std::unique_lock lock(mutex_);
    while (true) {
        changed_.wait(lock, stop, [this] { return !wanted_.empty(); });
        if (wanted_.empty()) return; // stopped, and nothing left to write
        const std::exception_ptr thrown = caught([&] { work(lock, stop); });
        if (!thrown) continue;
        if (!lock.owns_lock()) lock.lock();
        wanted_.clear(); // the next change is written, and why this one was not is told
        (void)caught([&] { tell(lock, error_of(thrown)); });
    }
}

void LateWriter::work(std::unique_lock<std::mutex>& lock, std::stop_token stop) {
    // Let a drag or a word settle, but not for ever.
    const auto latest = SteadyClock::now() + 1s;
    while (!stop.stop_requested() && SteadyClock::now() < latest) {
        const uint64_t seen = changes_;
        const auto until = std::min(latest, SteadyClock::now() + 200ms);
        if (!changed_.wait_until(lock, stop, until, [&] { return changes_ != seen; })) break;
    }
    auto all = std::exchange(wanted_, {});
    lock.unlock();
    std::optional<Error> problem;
    for (const auto& [file, bytes] : all) {
        std::error_code ignored;
        if (!bytes) std::filesystem::remove(file, ignored);
        else if (auto written = write_file(file, bytes()); !written) problem = written.error();
    }
    lock.lock();
    if (problem) tell(lock, *problem);
}

void LateWriter::tell(std::unique_lock<std::mutex>& lock, const Error& problem) {
    problem_ = problem;
    if (!trouble_) return;
    lock.unlock();
    trouble_();
    lock.lock();
}

} // namespace base
