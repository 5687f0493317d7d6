#include "session/background.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace session {
namespace {

constexpr const char* count_job = "count";

Subject at_initial(const Subject& like, const catalog::Kernel& kernel) {
    Subject subject = like;
    subject.kernel = kernel.id;
    subject.parameters = catalog::initial_values(kernel);
    return subject;
}

std::vector<Subject> rungs_beside(const catalog::Catalog& catalog, const Subject& now) {
    std::vector<Subject> beside;
    for (const int direction : {1, -1})
        if (auto kernel = catalog.beside(now.kernel, direction)) beside.push_back(at_initial(now, *kernel));
    return beside;
}

std::optional<Counted> count(const catalog::Kernel& kernel, const Subject& subject, std::stop_token stop) {
    const auto job = resolve(kernel, subject);
    if (!job) return {};
    const auto prepared = prepare(*job, stop);
    if (!prepared.value || stop.stop_requested()) return {};
    const auto run = run_grid(*job, *prepared.value, 1, stop);
    if (!run.value || run.value->stopped) return {};
    return Counted{subject, run.value->totals};
}

} // namespace

std::vector<Subject> likely_next(const catalog::Catalog& catalog, const Subject& before, const Subject& now) {
    const auto kernel = catalog.find(now.kernel);
    if (!kernel) return {};
    struct Step {
        int turn;         // the rungs come second, the values beside those of other sliders third
        ptrdiff_t values; // from the present one
        Subject subject;
    };
    std::vector<Step> steps;
    const bool same_kernel = before.kernel == now.kernel;
    for (const auto& parameter : kernel->parameters) {
        const auto was = before.parameters.find(parameter.name), is = now.parameters.find(parameter.name);
        if (is == now.parameters.end()) continue;
        const bool moved = same_kernel && was != before.parameters.end() && was->second != is->second;
        const auto at = std::find(parameter.values.begin(), parameter.values.end(), is->second) - parameter.values.begin();
        const bool onwards = !moved || was->second < is->second;
        for (ptrdiff_t i = 0; i < std::ssize(parameter.values); ++i) {
            const auto other = onwards ? std::ssize(parameter.values) - 1 - i : i; // of two as far away the one ahead comes first
            auto legal = catalog::nearest_legal(*kernel, now.parameters, parameter.name, parameter.values[static_cast<size_t>(other)]);
            if (!legal || *legal == now.parameters) continue;
            const auto distance = std::abs(other - at);
            steps.push_back({moved ? 1 : distance == 1 ? 3 : 4, distance, now});
            steps.back().subject.parameters = std::move(*legal);
        }
    }
    for (Subject& rung : rungs_beside(catalog, now)) steps.push_back({same_kernel ? 2 : 0, 0, std::move(rung)});
    std::stable_sort(steps.begin(), steps.end(), [](const Step& x, const Step& y) { return std::pair(x.turn, x.values) < std::pair(y.turn, y.values); });
    std::vector<Subject> found;
    for (Step& step : steps)
        if (std::find(found.begin(), found.end(), step.subject) == found.end()) found.push_back(std::move(step.subject));
    return found;
}

Background::Background(const catalog::Catalog& catalog, std::function<void()> wake, bool interactive)
    : catalog_(catalog), jobs_(1, std::move(wake), interactive ? background_niceness : 0) {}

void Background::compile_ahead(const std::vector<Subject>& subjects) {
    std::vector<compile::Source> sources;
    for (const Subject& subject : subjects)
        if (auto job = resolve(catalog_, subject)) sources.push_back(std::move(job->source));
    auto work = [sources = std::move(sources)](std::stop_token stop) {
        for (const compile::Source& source : sources) {
            if (stop.stop_requested()) break;
            (void)compile::to_ptx(source, stop);
        }
        return base::Done{};
    };
    jobs_.start(ahead_job, std::move(work), [](base::Done&&) {});
}

void Background::stop_compiling_ahead() { jobs_.cancel(ahead_job); }

void Background::count_kernels(const std::vector<gpu::Series>& series, const std::string& arch) {
    if (std::exchange(asked_, true)) return;
    for (const auto& kernel : catalog_.kernels) {
        ask(*kernel, arch, {});
        for (const gpu::Series& measured : series) {
            if (measured.kernel != kernel->id) continue;
            ask(*kernel, arch, measured.parameters);
            for (const gpu::Sample& sample : measured.samples)
                if (sample.m == sample.n && sample.n == sample.k) ask(*kernel, arch, sample.parameters);
        }
    }
    count_next();
}

void Background::ask(const catalog::Kernel& kernel, const std::string& arch, const catalog::Values& parameters) {
    auto values = catalog::with(kernel, parameters);
    if (!values) return; // of an older kernel
    Subject subject;
    subject.arch = arch;
    subject.kernel = kernel.id;
    subject.parameters = std::move(*values);
    const auto is_it = [&](const Counted& one) { return one.subject == subject; };
    if (std::any_of(counted_.begin(), counted_.end(), is_it)) return;
    if (std::find(uncounted_.begin(), uncounted_.end(), subject) == uncounted_.end()) uncounted_.push_back(std::move(subject));
}

void Background::count_next() {
    if (uncounted_.empty()) return;
    auto work = [kernel = catalog_.find(uncounted_.front().kernel), subject = uncounted_.front()](
                    std::stop_token stop) { return kernel ? count(*kernel, subject, stop) : std::nullopt; };
    auto next = [this] {
        uncounted_.erase(uncounted_.begin());
        count_next();
    };
    auto done = [this, next](std::optional<Counted>&& counted) {
        if (counted) counted_.push_back(std::move(*counted));
        next();
    };
    jobs_.start(count_job, std::move(work), std::move(done), [next](base::Error) { next(); });
}

void Background::forget(const std::set<std::string>& kernels) {
    jobs_.cancel(count_job);
    uncounted_.clear();
    std::erase_if(counted_, [&](const Counted& one) { return kernels.contains(one.subject.kernel); });
    asked_ = false;
}

bool Background::collect() {
    const size_t before = counted_.size();
    jobs_.collect();
    return counted_.size() != before;
}

void Background::wait() {
    if (counting()) jobs_.wait();
}

} // namespace session
