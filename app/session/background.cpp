#include "session/background.h"

#include <algorithm>

namespace session {
namespace {

constexpr const char* ahead_job = "compile ahead";
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

std::vector<Subject> neighbours(const catalog::Catalog& catalog, const Subject& before, const Subject& now) {
    const auto kernel = catalog.find(now.kernel);
    if (!kernel) return {};
    std::vector<Subject> found;
    if (before.kernel == now.kernel) {
        for (const auto& parameter : kernel->parameters) {
            const auto was = before.parameters.find(parameter.name), is = now.parameters.find(parameter.name);
            if (was == before.parameters.end() || is == now.parameters.end() || was->second == is->second) continue;
            const auto& values = parameter.values;
            const auto at = std::find(values.begin(), values.end(), is->second) - values.begin();
            for (const auto beside : {at + 1, at - 1}) { // first onwards: values mostly ascend while one explores
                if (beside < 0 || beside >= std::ssize(values)) continue;
                auto legal = catalog::nearest_legal(*kernel, now.parameters, parameter.name, values[static_cast<size_t>(beside)]);
                if (!legal || *legal == now.parameters) continue;
                found.push_back(now);
                found.back().parameters = std::move(*legal);
            }
        }
    }
    return found.empty() ? rungs_beside(catalog, now) : found;
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
