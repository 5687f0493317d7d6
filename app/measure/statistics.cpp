#include "measure/statistics.h"

#include <algorithm>
#include <cmath>

namespace measure {
namespace {

// The largest r for which the r-th smallest and the r-th largest of n samples enclose the median in at least 95 of 100 cases: the
// chance that the median lies below the r-th smallest is that of fewer than r heads in n throws. 0: there is none.
int order_statistic(int n) {
    double term = std::exp2(-n), below = 0; // chance of exactly r heads; of fewer than r + 1
    int r = 0;
    for (; r < n; ++r) {
        below += term;
        if (below > 0.025) break;
        term *= static_cast<double>(n - r) / (r + 1);
    }
    return r;
}

} // namespace

double median(std::vector<double> samples) {
    if (samples.empty()) return 0;
    std::sort(samples.begin(), samples.end());
    size_t half = samples.size() / 2;
    return samples.size() % 2 ? samples[half] : (samples[half - 1] + samples[half]) / 2;
}

double median_spread(const std::vector<double>& samples) {
    // Beyond 1000 samples 2^-n would underflow long before the interval matters.
    int r = order_statistic(static_cast<int>(std::min<size_t>(samples.size(), 1000)));
    double middle = median(samples);
    if (r == 0 || middle <= 0) return 1;
    std::vector<double> sorted = samples;
    std::sort(sorted.begin(), sorted.end());
    size_t low = static_cast<size_t>(r - 1);
    return (sorted[sorted.size() - 1 - low] - sorted[low]) / 2 / middle;
}

double half_range(const std::vector<double>& samples) {
    const double middle = median(samples);
    if (!(middle > 0)) return 1;
    const auto [least, most] = std::minmax_element(samples.begin(), samples.end());
    return (*most - *least) / 2 / middle;
}

std::optional<double> interquartile_spread(std::vector<double> samples) {
    if (samples.size() < 4) return {};
    std::sort(samples.begin(), samples.end());
    auto quantile = [&](double share) {
        double at = share * static_cast<double>(samples.size() - 1);
        auto below = static_cast<size_t>(at);
        size_t above = std::min(below + 1, samples.size() - 1);
        return samples[below] + (at - static_cast<double>(below)) * (samples[above] - samples[below]);
    };
    double middle = quantile(0.5);
    if (middle <= 0) return {};
    return (quantile(0.75) - quantile(0.25)) / middle;
}

Stop stop(const StopRule& rule, const std::vector<double>& first, const std::vector<double>& second, double elapsed_s) {
    auto settled = [&](const std::vector<double>& samples) { return median_spread(samples) <= rule.spread; };
    int taken = static_cast<int>(first.size());
    if (taken == 0) return Stop::not_yet;
    if (taken >= rule.in_any_case && second.empty() && median(first) >= rule.long_ms &&
        half_range(first) <= rule.spread / 2)
        return Stop::settled;
    if (taken >= rule.least && settled(first) && (second.empty() || settled(second))) return Stop::settled;
    if (taken >= rule.most) return Stop::sample_cap;
    if (taken >= rule.in_any_case && elapsed_s >= rule.time_limit_s) return Stop::time_up;
    return Stop::not_yet;
}

} // namespace measure
