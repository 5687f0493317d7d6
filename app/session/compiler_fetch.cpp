#include "session/compiler_fetch.h"

#include <utility>

namespace session {

void CompilerFetch::offer(bool wanted) {
    if (wanted && wheels_.empty())
        if (auto wheels = compile::wheels_to_compile_with()) wheels_ = std::move(*wheels);
    state_.offered = wanted && !wheels_.empty();
    state_.of = 0;
    for (const compile::Wheel& wheel : wheels_) state_.of += wheel.bytes;
}

void CompilerFetch::start() {
    if (state_.running || wheels_.empty()) return;
    state_.running = true;
    state_.fetched = state_.unpacked = 0;
    state_.failed.reset();
    stop_ = {};
    shared_ = std::make_shared<Shared>();
    auto work = [wheels = wheels_, wanted = stop_.get_token(), shared = shared_, wake = wake_](std::stop_token stop) {
        std::stop_source either;
        const auto give_up = [&] { either.request_stop(); };
        const std::stop_callback by_user(wanted, give_up), by_end(stop, give_up);
        return compile::fetch_wheels(wheels, either.get_token(), [&](const compile::Fetching& now) {
            {
                std::lock_guard lock(shared->mutex);
                shared->now = now;
            }
            if (wake) wake();
        });
    };
    const auto end = [this](base::Status fetched) {
        state_.running = false;
        done_ = fetched.ok();
        if (!fetched && !stop_.stop_requested()) state_.failed = fetched.error();
    };
    jobs_.start("fetch", std::move(work), end, [end](base::Error error) { end(std::move(error)); });
}

bool CompilerFetch::update() {
    bool changed = jobs_.collect();
    if (!state_.running) return changed;
    std::lock_guard lock(shared_->mutex);
    changed |= state_.fetched != shared_->now.fetched || state_.unpacked != shared_->now.unpacked;
    state_.fetched = shared_->now.fetched, state_.unpacked = shared_->now.unpacked;
    return changed;
}

bool CompilerFetch::take_done() { return std::exchange(done_, false); }

} // namespace session
