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

// Sums over the instructions of a kind, named as in `trace --json`.
struct SharedTotals {
    uint64_t instructions = 0, wavefronts = 0, wavefronts_ideal = 0;
};
struct GlobalTotals {
    uint64_t instructions = 0, sectors = 0, sectors_ideal = 0;
};
struct Totals {
    uint64_t instructions_executed = 0, thread_instructions = 0, ffma_thread_instructions = 0;
    uint64_t dfma_thread_instructions = 0; // of doubles; as the PTX has them
    uint64_t tensor_core_flop = 0;         // two for each multiply-add
    SharedTotals shared_load, shared_store;
    GlobalTotals global_load, global_store, async_copy, bulk_copy; // bulk_copy: in either direction
};
Totals totals(const trace::Listing&, const trace::Counts&);

} // namespace analysis
