// Counts wavefronts and sectors of every access of a run, one observer per engine thread, summed at the end.
#pragma once

#include "analysis/banks.h"
#include "trace/counts.h"
#include "trace/observer.h"

#include <memory>
#include <mutex>

namespace analysis {

class Counting {
public:
    // Of those that `may_fuse` (fusible() of the listing; empty: none), what wider accesses would move is counted too.
    Counting(BankRule rule, size_t instructions, std::vector<bool> may_fuse = {});
    ~Counting();
    trace::Observer* observer(); // a new one, owned here; call from any thread
    // Adds wavefronts and sectors of all observers to `counts`, which has one entry per instruction.
    void add_to(trace::Counts& counts) const;

private:
    class PerThread;
    BankRule rule_;
    size_t instructions_;
    std::vector<bool> may_fuse_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<PerThread>> per_thread_;
};

} // namespace analysis
