#include "session/launch_counts.h"

#include "session/sample.h"

namespace session {
namespace {

constexpr size_t most_launches = 128; // a kilobyte or two each

base::Result<std::shared_ptr<const FullRun>> counted(const catalog::Kernel& kernel, Subject& subject,
                                                     const Prepared& prepared, int threads, std::stop_token stop) {
    if (const auto job = resolve(kernel, subject)) {
        const auto sample = run_sample(*job, prepared, threads, stop);
        if (sample.value) return sample.value;
        if (sample.failed->error.failure != base::Failure::missing) return sample.failed->error;
    }
    subject.problem = {};
    const auto small = resolve(kernel, subject);
    if (!small) return small.error();
    const auto run = run_grid(*small, prepared, threads, stop);
    if (run.failed) return run.failed->error;
    return run.value;
}

// Without what takes room.
std::shared_ptr<const FullRun> totals_of(const FullRun& run) {
    auto kept = std::make_shared<FullRun>();
    kept->totals = run.totals;
    kept->thread_instructions = run.thread_instructions;
    kept->wall_s = run.wall_s;
    return kept;
}

} // namespace

base::Result<LaunchCounts> count_launch(const catalog::Kernel& kernel, const Subject& subject, int threads,
                                        std::stop_token stop) {
    LaunchCounts found;
    found.subject = subject;
    Subject small = subject; // the program is the same at every size
    small.problem = {};
    const auto job = resolve(kernel, small);
    if (!job) return job.error();
    const auto prepared = prepare(*job, stop);
    if (prepared.failed) return prepared.failed->error;
    const auto run = counted(kernel, found.subject, *prepared.value, threads, stop);
    if (!run) return run.error();
    if ((*run)->stopped || stop.stop_requested())
        return base::Error{base::Failure::check_failed, base::say("stopped before it was counted"), kernel.id, {}};
    found.run = totals_of(**run);
    const auto counted_job = resolve(kernel, found.subject);
    if (!counted_job) return counted_job.error();
    found.blocks = counted_job->shape.grid.count();
    found.executed = (*run)->sample ? (*run)->sample->executed() : found.blocks;
    return found;
}

CountsOfLaunches::CountsOfLaunches(std::function<void()> wake, int threads, bool interactive)
    : Wishes([threads](const Wish& wish,
                       std::stop_token stop) { return count_launch(*wish.kernel, wish.key, threads, std::move(stop)); },
             most_launches, std::move(wake), interactive) {}

} // namespace session
