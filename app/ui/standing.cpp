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

bool together(const gpu::Series& a, const gpu::Series& b) {
    return a.origin == b.origin && a.device == b.device;
}

// Adds the shares of every kernel that was measured beside `reference`, which multiplies as they do.
void add_beside(Standing& out, const std::vector<gpu::Series>& all, const gpu::Series& reference,
                const gpu::Sample& at) {
    for (const gpu::Series& series : all) {
        if (series.kernel.empty() || series.operands != reference.operands || !together(series, reference))
            continue;
        const gpu::Sample* sample = sample_at(series, shape(at));
        if (sample && at.gflops > 0) out.share[series.kernel] = std::max(out.share[series.kernel], sample->gflops / at.gflops);
    }
}

// The shares of every kernel where `one`, a cuBLAS, has been measured: each beside the cuBLAS of its
// operands.
Standing where_measured(const std::vector<gpu::Series>& all, const gpu::Series& one, const Shape& size) {
    Standing out;
    out.origin = one.origin;
    out.device = one.device;
    std::tie(out.problem.m, out.problem.n, out.problem.k) = size;
    for (const gpu::Series& reference : all)
        if (gpu::is_cublas(reference) && together(reference, one))
            if (const gpu::Sample* at = sample_at(reference, size)) add_beside(out, all, reference, *at);
    return out;
}

// What was measured here, and for the other kernels what was recorded on the same device at the same size.
Standing completed(Standing live, const std::vector<gpu::Series>& all) {
    if (live.origin != gpu::Origin::live) return live;
    const catalog::Problem& p = live.problem;
    for (const gpu::Series& reference : all) {
        const bool other = reference.origin == gpu::Origin::recorded && reference.device == live.device;
        if (!other || !gpu::is_cublas(reference) || !sample_at(reference, {p.m, p.n, p.k})) continue;
        Standing recorded = where_measured(all, reference, {p.m, p.n, p.k});
        recorded.exact = live.exact;
        recorded.live = static_cast<int>(live.share.size());
        for (const auto& [kernel, share] : live.share) recorded.share[kernel] = share;
        return static_cast<int>(recorded.share.size()) > recorded.live ? recorded : live;
    }
    return live;
}

} // namespace

Standing standing(const std::vector<gpu::Series>& all, catalog::Problem problem) {
    Standing best;
    const auto rank = [](const Standing& s) {
        const auto size = static_cast<double>(s.problem.m) * s.problem.n * s.problem.k;
        return std::tuple(!s.share.empty(), s.exact, -static_cast<int>(s.origin), s.share.size(), size);
    };
    for (const gpu::Series& reference : all) {
        if (!gpu::is_cublas(reference)) continue;
        for (const gpu::Sample& at : reference.samples) {
            Standing candidate = where_measured(all, reference, shape(at));
            candidate.exact = shape(at) == Shape{problem.m, problem.n, problem.k};
            if (rank(candidate) > rank(best)) best = std::move(candidate);
        }
    }
    return completed(std::move(best), all);
}

} // namespace ui
