#include "session/stand_in.h"

#include <algorithm>
#include <numeric>

namespace session {
namespace {

using base::Error;
using base::Failure;

// Rows (or columns) of C that one tile has: the most for which the grid is as small as for one.
int tile(int size, const std::function<bool(int)>& is_one) {
    int least = 1, most = size; // is_one(least) holds
    while (least < most) {
        const int middle = least + (most - least + 1) / 2;
        if (is_one(middle)) least = middle;
        else most = middle - 1;
    }
    return least;
}

int fewer(int size, int tile) {
    constexpr int vectors = 16;
    const int64_t period = std::lcm(int64_t{tile}, int64_t{vectors});
    return static_cast<int>(std::min<int64_t>(size, 2 * period + size % period));
}

} // namespace

bool executes_more(const trace::Counts& block, const trace::Counts& grid) {
    for (size_t pc = 0; pc < block.size(); ++pc)
        if (block[pc].executed > 0 && grid[pc].executed == 0) return true;
    return false;
}

bool has_error(const std::vector<trace::Finding>& findings) {
    return std::any_of(findings.begin(), findings.end(),
                       [](const auto& f) { return f.severity == trace::Severity::error; });
}

std::optional<catalog::Problem> stand_in_problem(const catalog::Kernel& kernel, const catalog::Values& values,
                                                 const catalog::Problem& problem) {
    const auto blocks = [&](int m, int n) {
        const auto shape = catalog::launch_shape(kernel, values, {m, n, problem.k});
        return shape ? shape->grid.count() : 0;
    };
    const uint64_t one = blocks(1, 1); // tile of C; several blocks may share its k
    if (one == 0) return {};
    const int rows = tile(problem.m, [&](int m) { return blocks(m, 1) == one; });
    const int columns = tile(problem.n, [&](int n) { return blocks(1, n) == one; });
    const catalog::Problem smaller{fewer(problem.m, rows), fewer(problem.n, columns), problem.k};
    if (smaller == problem) return {};
    return smaller;
}

Stage<StandIn> check_stand_in(const catalog::Kernel& kernel, const Subject& subject, const Job& job,
                              const Prepared& prepared, int threads, std::stop_token stop,
                              const std::function<void(float)>& progress) {
    const auto problem = stand_in_problem(kernel, job.parameters, subject.problem);
    if (!problem)
        return {nullptr, Failed{{Failure::missing, base::say("no smaller product has the same tiles"), job.kernel,
                                 base::say("count the whole grid")},
                                {}}};
    Subject small = subject;
    small.problem = *problem;
    auto small_job = resolve(kernel, small);
    if (!small_job) return {nullptr, Failed{small_job.error(), {}}};

    const base::Dim3 grid = job.shape.grid;
    StandIn result{*problem, {grid.x - 1, grid.y - 1, grid.z - 1}, StandIn::Verdict::passed};
    const auto block = run_block(job, prepared, result.last, stop);
    if (stop.stop_requested()) return {};
    if (!block.value) return {nullptr, block.failed};
    const auto whole = run_grid(*small_job, prepared, threads, stop, progress);
    if (stop.stop_requested()) return {};
    if (!whole.value) return {nullptr, whole.failed};

    const bool verified = whole.value->verification && whole.value->verification->passed;
    if (!verified || has_error(whole.value->findings) || has_error(block.value->findings))
        result.verdict = StandIn::Verdict::wrong;
    else if (executes_more(block.value->counts, whole.value->counts)) result.verdict = StandIn::Verdict::other_code;
    return {std::make_shared<const StandIn>(result), {}};
}

} // namespace session
