#include "ui/standing.h"

#include <algorithm>
#include <tuple>

namespace ui {

namespace {

using Shape = std::tuple<int, int, int>;
Shape shape(const gpu::Sample& sample) { return {sample.m, sample.n, sample.k}; }

const gpu::Sample* sample_at(const gpu::Series& series, const Shape& wanted) {
    for (const gpu::Sample& sample : series.samples)
        if (shape(sample) == wanted) return &sample;
    return nullptr;
}

// The shares of every kernel that was measured at `wanted` beside `reference`.
Standing beside(const std::vector<gpu::Series>& all, const gpu::Series& reference, const gpu::Sample& at) {
    Standing out;
    out.origin = reference.origin;
    out.device = reference.device;
    out.problem = {at.m, at.n, at.k};
    for (const gpu::Series& series : all) {
        if (series.kernel.empty() || series.origin != reference.origin || series.device != reference.device) continue;
        const gpu::Sample* sample = sample_at(series, shape(at));
        if (sample && at.gflops > 0) out.share[series.kernel] = std::max(out.share[series.kernel], sample->gflops / at.gflops);
    }
    return out;
}

} // namespace

Standing standing(const std::vector<gpu::Series>& all, catalog::Problem problem) {
    Standing best;
    const auto rank = [](const Standing& s) {
        const auto size = static_cast<double>(s.problem.m) * s.problem.n * s.problem.k;
        return std::tuple(!s.share.empty(), s.exact, -static_cast<int>(s.origin), s.share.size(), size);
    };
    for (const gpu::Series& reference : all) {
        if (!reference.kernel.empty() || !reference.name.starts_with("cublas")) continue;
        for (const gpu::Sample& at : reference.samples) {
            Standing candidate = beside(all, reference, at);
            candidate.exact = shape(at) == Shape{problem.m, problem.n, problem.k};
            if (rank(candidate) > rank(best)) best = std::move(candidate);
        }
    }
    return best;
}

} // namespace ui
