// How the error of a kernel's C grows with its size: executed and verified on the CPU, size after size.
#pragma once

#include "base/job.h"
#include "session/stages.h"
#include "session/view.h"

#include <array>
#include <memory>
#include <optional>
#include <vector>

namespace session {

struct ErrorPoint {
    int edge = 0;         // M = N = K
    double error = 0;     // the largest, over the largest element of C
    double tolerance = 0; // of the verification, likewise
};

struct ErrorCurve {
    std::shared_ptr<const catalog::Kernel> kernel;
    catalog::Values parameters;        // all of them
    std::vector<ErrorPoint> points;    // ascending
    std::optional<base::Error> failed; // why there are no more
    bool is_whole() const;
};

// All functions are called from one thread, the owner's.
class ErrorGrowth {
public:
    // `interactive`: someone is at the window, and nobody waits: one thread, below all others. A command waits for these alone.
    ErrorGrowth(std::function<void()> wake, int threads, bool interactive);

    // The last is a second or so of most kernels.
    static constexpr std::array edges{16, 32, 64, 128, 256, 512, 1024};
    static constexpr size_t most_curves = 8; // the oldest goes

    // Begins the curve of the subject's kernel and parameters, and behind it those of the other values of
    // what its rounding depends on (Kernel::rounding: Strassen's levels), unless they are there; the
    // subject's size plays no part. Drops the unfinished curves of other kernels and parameters, and the curves of
    // a kernel whose file has changed. Drops every curve if alpha, beta, the seed or the architecture has changed.
    void want(const catalog::Catalog&, const Subject&);

    // In the order in which they were asked for.
    const std::vector<ErrorCurve>& curves() const { return curves_; }
    const ErrorCurve* wanted() const; // nullptr: no such kernel

    bool collect(); // true if a curve has grown
    bool busy() const { return jobs_.busy(); }
    void wait();

private:
    void measure_next();

    int threads_;
    Subject wanted_; // with all parameters, without size and schedule
    std::vector<ErrorCurve> curves_;
    base::Jobs jobs_;
};

} // namespace session
