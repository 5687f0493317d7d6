// Counters of launches that nobody traces: of the kernels on the roofline and of both sides of a comparison, at the size of speeds.
#pragma once

#include "base/job.h"
#include "session/stages.h"

#include <deque>
#include <functional>
#include <memory>
#include <vector>

namespace session {

struct LaunchCounts {
    Subject subject;                    // of the size that was counted
    std::shared_ptr<const FullRun> run; // what it counted; neither memory nor reference
};

// From one block of each kind where that can be; else of all blocks at 256 cubed, whatever the size. Errors: it does not compile, does not
// fit or does not come to an end; stopped.
base::Result<LaunchCounts> count_launch(const catalog::Kernel&, const Subject&, int threads, std::stop_token = {});

struct LaunchWish {
    std::shared_ptr<const catalog::Kernel> kernel;
    Subject subject; // of it, with all its parameters
};

// Those of recent launches, counted in the background one after the other.
class CountsOfLaunches {
public:
    // `interactive`: someone is at the window, whose other jobs go first; a command waits for these alone.
    CountsOfLaunches(std::function<void()> wake, int threads, bool interactive)
        : threads_(threads), jobs_(1, std::move(wake), interactive ? base::background_niceness : 0) {}

    // What is shown now, the most urgent first; what was wanted before is forgotten, but for what is being counted.
    void want(std::vector<LaunchWish>);
    // nullptr: not yet.
    std::shared_ptr<const base::Result<LaunchCounts>> find(const Subject&) const;
    void forget(const std::string& kernel); // its file has changed

    bool collect() { return jobs_.collect(); } // true if some have come
    bool busy() const { return jobs_.busy(); }
    void wait() { jobs_.wait(); }

private:
    struct Entry {
        Subject subject;
        std::shared_ptr<const base::Result<LaunchCounts>> counts;
    };
    const Entry* entry(const Subject&) const;
    void count_next();

    int threads_;
    std::vector<LaunchWish> wishes_;
    std::deque<Entry> entries_; // the latest first
    base::Jobs jobs_;
};

} // namespace session
