#include "ui/standing.h"

#include <tuple>

namespace ui {

namespace {

// The share of every kernel of the group that was measured at this size.
Standing standing_at(const SeriesGroup& group, const catalog::Problem& size) {
    Standing out;
    out.origin = group.origin;
    out.device = group.device;
    out.problem = size;
    for (const gpu::Series* series : group.series) {
        const auto found = series->kernel.empty() ? std::nullopt : figure(group, series->kernel, size);
        const double reference = found ? reference_of(group, *found->series, found->sample) : 0;
        if (reference <= 0) continue;
        const bool added = out.share.emplace(series->kernel, found->sample.gflops / reference).second;
        if (added && found->series->origin == gpu::Origin::live) ++out.live;
    }
    const bool live_alone = out.live == static_cast<int>(out.share.size());
    if (live_alone)
        out.live = 0;
    else if (out.live > 0)
        out.origin = gpu::Origin::recorded;
    return out;
}

} // namespace

Standing standing(const std::vector<SeriesGroup>& groups, catalog::Problem problem) {
    Standing best;
    const SeriesGroup* its_group = nullptr;
    const auto rank = [](const Standing& s) {
        const auto size = static_cast<double>(s.problem.m) * s.problem.n * s.problem.k;
        return std::tuple(!s.share.empty(), s.exact, -static_cast<int>(s.origin), s.share.size(), size);
    };
    for (const SeriesGroup& group : groups) {
        for (const catalog::Problem& size : sizes(group)) {
            Standing candidate = standing_at(group, size);
            candidate.exact =
                std::tuple(size.m, size.n, size.k) == std::tuple(problem.m, problem.n, problem.k);
            if (rank(candidate) > rank(best)) best = std::move(candidate), its_group = &group;
        }
    }
    if (!its_group) return best;
    const bool exact = best.exact;
    best = standing_at(completed(*its_group, groups), best.problem);
    best.exact = exact;
    return best;
}

} // namespace ui
