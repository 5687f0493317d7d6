// What the user may look at next is compiled while nobody waits, so that a slider's picture is there at once.
#pragma once

#include "base/job.h"
#include "session/stages.h"

#include <functional>
#include <vector>

namespace session {

// Where one slider or one step on the ladder leads from `now`, the likeliest first: of the slider that has led from `before` to here
// every other value, the nearest first; the rungs beside, which come before all else where the kernel is another; of the other
// sliders the values beside the present ones, then the rest.
std::vector<Subject> likely_next(const catalog::Catalog&, const Subject& before, const Subject& now);

class CompileAhead {
public:
    CompileAhead(const catalog::Catalog& catalog, std::function<void()> wake)
        : catalog_(catalog), jobs_(1, std::move(wake), base::background_niceness) {}

    // To PTX, into the cache on disk, one after the other for twenty seconds. Replaces what was asked for before.
    void compile(const std::vector<Subject>&);
    void stop() { jobs_.cancel(job); }
    bool busy() const { return jobs_.busy(job); }
    void collect() { jobs_.collect(); }

private:
    static constexpr const char* job = "compile ahead";

    const catalog::Catalog& catalog_;
    base::Jobs jobs_;
};

} // namespace session
