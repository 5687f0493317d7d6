// What is computed while nobody waits for it, one thing after the other.
#pragma once

#include "base/job.h"
#include "gpu/bench.h"
#include "session/stages.h"

#include <atomic>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace session {

// Of what nobody waits for alone: below the session's other jobs, and not at a standstill where other
// programs are busy.
constexpr int background_niceness = 13;

// Where one slider or one step on the ladder leads from `now`, the likeliest first: of the slider that has led from `before` to here
// every other value, the nearest first; the rungs beside, which come before all else where the kernel is another; of the other
// sliders the values beside the present ones, then the rest.
std::vector<Subject> likely_next(const catalog::Catalog&, const Subject& before, const Subject& now);

// A kernel's counters at a size that is quickly executed, for its place on the roofline.
struct Counted {
    Subject subject;          // with all its parameters
    analysis::Totals totals;
};

class Background {
public:
    // `interactive`: someone is at the window, whose own jobs go first; a command waits for these alone.
    Background(const catalog::Catalog&, std::function<void()> wake, bool interactive);

    // Compiles to PTX, into the cache on disk, so that the next step is quick. Replaces what was asked for before.
    void compile_ahead(const std::vector<Subject>&);
    void stop_compiling_ahead();
    bool compiling_ahead() const { return jobs_.busy(ahead_job); }
    // Counts each kernel with its initial parameters and with those that it was measured with, of a recorded one at the cubes. Once.
    void count_kernels(const std::vector<gpu::Series>&, const std::string& arch);

    // Those kernels' files have changed: they are counted again, with those that are new, when counting is next asked for.
    void forget(const std::set<std::string>& kernels);

    bool collect();           // true if counted() has grown
    void wait();              // until all kernels are counted
    bool counting() const { return !uncounted_.empty(); }
    const std::vector<Counted>& counted() const { return counted_; }

private:
    static constexpr const char* ahead_job = "compile ahead";

    void ask(const catalog::Kernel&, const std::string& arch, const catalog::Values& parameters);
    void count_next();

    const catalog::Catalog& catalog_;
    std::vector<Subject> uncounted_; // the first one is being counted
    std::vector<Counted> counted_;
    bool asked_ = false;
    base::Jobs jobs_;
};

} // namespace session
