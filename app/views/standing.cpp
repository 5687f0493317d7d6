#include "views/standing.h"

#include <algorithm>
#include <tuple>

namespace views {

namespace {

// The share of every kernel of the group that was measured at this size.
Standing standing_at(const SeriesGroup& group, const catalog::Problem& size) {
    Standing out;
    out.origin = group.origin;
    out.device = group.device;
    out.problem = size;
    for (const measure::Series* series : group.series) {
        if (series->kernel.empty() || series->operation != catalog::Operation::product) continue;
        const auto found = figure(group, series->kernel, size);
        const double reference = found ? reference_of(group, *found->series, found->sample) : 0;
        if (reference <= 0) continue;
        const bool added = out.share.emplace(series->kernel, found->sample.gflops / reference).second;
        out.gflops.emplace(series->kernel, found->sample.gflops);
        if (added && found->series->origin == measure::Origin::live) ++out.live;
    }
    const bool live_alone = out.live == static_cast<int>(out.share.size());
    if (live_alone) out.live = 0;
    else if (out.live > 0) out.origin = measure::Origin::recorded;
    return out;
}

// At the nearest size at which anything stands beside cuBLAS.
Standing nearest_standing(const SeriesGroup& group, const catalog::Problem& problem) {
    std::vector<catalog::Problem> all = sizes(group);
    std::stable_sort(all.begin(), all.end(),
                     [&](const auto& a, const auto& b) { return distance(a, problem) < distance(b, problem); });
    for (const catalog::Problem& size : all)
        if (Standing found = standing_at(group, size); !found.share.empty()) return found;
    return {};
}

} // namespace

Standing standing(const std::vector<SeriesGroup>& groups, const catalog::Problem& problem) {
    Standing best;
    const SeriesGroup* its_group = nullptr;
    const auto before = [&](const Standing& a, const Standing& b) {
        const auto rank = [&](const Standing& s) {
            return std::tuple(distance(s.problem, problem), s.origin, -static_cast<int>(s.share.size()));
        };
        return rank(a) < rank(b);
    };
    for (const SeriesGroup& group : groups) {
        Standing candidate = nearest_standing(group, problem);
        if (candidate.share.empty() || (its_group && !before(candidate, best))) continue;
        best = std::move(candidate), its_group = &group;
    }
    if (!its_group) return best;
    const SeriesGroup whole = completed(*its_group, groups);
    best = standing_at(whole, best.problem);
    best.exact = best.problem == problem;
    for (const catalog::Problem& size : sizes(whole))
        if (size.m == size.n && size.n == size.k) best.cubes.push_back(size);
    return best;
}

Yardstick yardstick(const std::vector<std::shared_ptr<const catalog::Kernel>>& family, const catalog::Kernel& kernel,
                    const Standing& now) {
    const auto first = std::find_if(family.begin(), family.end(),
                                    [](const auto& each) { return each->operation == catalog::Operation::product; });
    Yardstick found;
    found.operands = kernel.operands;
    found.beside_cublas = catalog::cublas_operands(kernel.operands) == kernel.operands;
    found.percent = found.beside_cublas && (first == family.end() || (*first)->operands == kernel.operands);
    if (!found.beside_cublas) found.longest = 0;
    const auto& figures = found.beside_cublas ? now.share : now.gflops;
    for (const auto& each : family)
        if (const auto measured = figures.find(each->id);
            measured != figures.end() && each->operands == kernel.operands)
            found.longest = std::max(found.longest, measured->second);
    return found;
}

std::optional<double> bar_length(const Yardstick& stick, const Standing& now, const std::string& kernel) {
    const auto& figures = stick.beside_cublas ? now.share : now.gflops;
    const auto found = figures.find(kernel);
    if (found == figures.end() || stick.longest <= 0) return std::nullopt;
    return found->second / stick.longest;
}

} // namespace views
