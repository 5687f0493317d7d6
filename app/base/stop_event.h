// A stop token for poll().
#pragma once

#include "base/process.h"

#include <functional>
#include <stop_token>
#include <sys/eventfd.h>
#include <unistd.h>

namespace base {

class StopEvent {
public:
    explicit StopEvent(const std::stop_token& token)
        : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), callback_(token, [this] { set(); }) {}
    StopEvent(const StopEvent&) = delete;
    StopEvent& operator=(const StopEvent&) = delete;

    int descriptor() const { return event_.number(); } // readable once a stop was asked for

private:
    void set() const {
        const uint64_t one = 1;
        [[maybe_unused]] const ssize_t ignored = ::write(event_.number(), &one, sizeof one);
    }

    Descriptor event_;
    std::stop_callback<std::function<void()>> callback_; // last: it uses the event
};

} // namespace base
