// Counters of launches that nobody traces: of the kernels on the roofline and of both sides of a comparison, at the size of speeds.
#pragma once

#include "session/stages.h"
#include "session/wishes.h"

#include <functional>
#include <memory>

namespace session {

struct LaunchCounts {
    Subject subject; // of the size that was counted
    std::shared_ptr<const FullRun>
        run; // its totals and what it took, not each instruction's: of a long program that is 200 KB
    uint64_t executed = 0, blocks = 0; // blocks: of those of the launch so many were executed
};

// From one block of each kind where that can be; else of all blocks at 256 cubed, whatever the size. Errors: it does not compile, does not
// fit or does not come to an end; stopped.
base::Result<LaunchCounts> count_launch(const catalog::Kernel&, const Subject&, int threads, std::stop_token = {});

// Those of recent launches.
class CountsOfLaunches : public Wishes<Subject, LaunchCounts> {
public:
    CountsOfLaunches(std::function<void()> wake, int threads, bool interactive);
};
using LaunchWish = CountsOfLaunches::Wish;

} // namespace session
