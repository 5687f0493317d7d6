#include "session/launch_counts.h"

#include "session/sample.h"

#include <algorithm>

namespace session {
namespace {

constexpr const char* counts_job = "count a launch";
constexpr size_t most_launches = 128; // some kilobytes each

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
std::shared_ptr<const FullRun> counts_of(const FullRun& run) {
    auto kept = std::make_shared<FullRun>();
    kept->counts = run.counts;
    kept->totals = run.totals;
    kept->thread_instructions = run.thread_instructions;
    kept->wall_s = run.wall_s;
    kept->sample = run.sample;
    return kept;
}

} // namespace

base::Result<LaunchCounts> count_launch(const catalog::Kernel& kernel, const Subject& subject, int threads,
                                        std::stop_token stop) {
    LaunchCounts found{subject, nullptr};
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
    found.run = counts_of(**run);
    return found;
}

const CountsOfLaunches::Entry* CountsOfLaunches::entry(const Subject& subject) const {
    const auto found =
        std::find_if(entries_.begin(), entries_.end(), [&](const Entry& one) { return one.subject == subject; });
    return found == entries_.end() ? nullptr : &*found;
}

std::shared_ptr<const base::Result<LaunchCounts>> CountsOfLaunches::find(const Subject& subject) const {
    const Entry* const known = entry(subject);
    return known ? known->counts : nullptr;
}

void CountsOfLaunches::want(std::vector<LaunchWish> wishes) {
    wishes_ = std::move(wishes);
    if (!jobs_.busy()) count_next();
}

void CountsOfLaunches::count_next() {
    const auto open =
        std::find_if(wishes_.begin(), wishes_.end(), [&](const LaunchWish& wish) { return !entry(wish.subject); });
    if (open == wishes_.end()) return;
    auto work = [wish = *open, threads = threads_](std::stop_token stop) {
        return count_launch(*wish.kernel, wish.subject, threads, stop);
    };
    auto done = [this, subject = open->subject](base::Result<LaunchCounts>&& counts) {
        entries_.push_front({subject, std::make_shared<const base::Result<LaunchCounts>>(std::move(counts))});
        if (entries_.size() > most_launches) entries_.pop_back();
        count_next();
    };
    jobs_.start(counts_job, std::move(work), done, [done](base::Error error) { done(std::move(error)); });
}

void CountsOfLaunches::forget(const std::string& kernel) {
    jobs_.cancel(counts_job); // of whichever: who still wants it asks again in the next frame
    wishes_.clear();
    std::erase_if(entries_, [&](const Entry& one) { return one.subject.kernel == kernel; });
}

} // namespace session
