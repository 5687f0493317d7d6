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
    Counting(BankRule rule, size_t instructions);
    ~Counting();
    trace::Observer* observer(); // a new one, owned here; call from any thread
    // Adds wavefronts and sectors of all observers to `counts`, which has one entry per instruction.
    void add_to(trace::Counts& counts) const;

private:
    class PerThread;
    BankRule rule_;
    size_t instructions_;
    std::mutex mutex_;
    std::vector<std::unique_ptr<PerThread>> per_thread_;
};

} // namespace analysis
