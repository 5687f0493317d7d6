// What a list of timings says, and when to stop taking more. Pure; the units are the samples'.
#pragma once

#include <limits>
#include <optional>
#include <vector>

namespace measure {

inline constexpr double warm_up_s = 0.3; // of work before any sample: clocks rise, threads wake
// Of the same launches before samples that are compared with another's. At its power limit a GPU gives a launch the clock that the last
// tens of milliseconds have left: launch for launch in turn, the frugal kernel runs at the clock of the hungry one, and the other way round.
inline constexpr double settle_s = 0.1;
// The same where the clock is then below the highest, and there is time for it. Its control swings: an H200 ran cuBLAS 8192 cubed in 1.58 ms at first, in 1.70 ms
// after half a second, and in 1.63 ms from 0.9 s on (bf16, driver 580.159.04, medians of 0.05 s, 2026-11-27). Samples then lie a tenth of this apart: five in a row may all meet one swing.
inline constexpr double settle_at_limit_s = 1;

double median(std::vector<double> samples); // 0 of none; the mean of the middle two of an even number

// How far the median may be off, as a share of it: half the width of its 95% confidence interval from order statistics
// (binomial, so no shape of the distribution is assumed), over the median. 1 for fewer than 6 samples, of which no
// such interval exists.
double median_spread(const std::vector<double>& samples);

// The same of samples too few for an interval: half their range over the median, which holds it less surely. 1 of none.
double half_range(const std::vector<double>& samples);

// How far the samples scatter: the distance of the quartiles (interpolated between samples) over the median.
// Nothing of fewer than four.
std::optional<double> interquartile_spread(std::vector<double> samples);

struct StopRule {
    int least = 10; // samples taken in any case (unless the time is up after one)
    int most = 100;
    double spread = 0.005;    // of the median: small enough
    double time_limit_s = 20; // of sampling
    int in_any_case = 1;      // samples taken even when the time is up
    double long_ms =
        std::numeric_limits<double>::infinity(); // of a launch that takes so long, as few will do if they lie close
};

// Of a sweep, which measures by the thousand: six samples are the fewest from whose order follows a 95% interval of the median
// (Hahn, Meeker: Statistical Intervals, 5.2: all on one side of it happens twice in 64), and it is to be known to 1%. A launch
// that takes long scatters little (of 3,500 points of 2 ms and more on an H200 half were known to 0.2%): three that lie close will do.
inline constexpr StopRule sweep_rule{
    .least = 6, .most = 30, .spread = 0.01, .time_limit_s = 0.15, .in_any_case = 3, .long_ms = 2};

enum class Stop { not_yet, settled, sample_cap, time_up };

// Both series have settled, or a cap is met. `second` may be empty (nothing to compare with).
Stop stop(const StopRule&, const std::vector<double>& first, const std::vector<double>& second, double elapsed_s);

} // namespace measure
