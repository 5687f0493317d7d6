// NVRTC and ptxas, fetched from PyPI while the window is open.
#pragma once

#include "base/job.h"
#include "compile/fetch.h"
#include "session/session.h"

#include <memory>
#include <mutex>

namespace session {

// All from the owner's thread.
class CompilerFetch {
public:
    explicit CompilerFetch(std::function<void()> wake) : wake_(wake), jobs_(1, std::move(wake)) {}

    const FetchState& state() const { return state_; }
    // Whether a kernel cannot be compiled for want of them.
    void offer(bool wanted);
    void start(); // ignored while it is under way
    void stop() { stop_.request_stop(); }
    bool update();    // true if something has changed
    bool take_done(); // whether they have come since the last call

private:
    struct Shared { // with the job
        std::mutex mutex;
        compile::Fetching now;
    };

    FetchState state_;
    std::vector<compile::Wheel> wheels_;
    std::shared_ptr<Shared> shared_;
    std::stop_source stop_;
    bool done_ = false;
    std::function<void()> wake_;
    base::Jobs jobs_;
};

} // namespace session
