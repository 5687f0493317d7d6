#include "session/error_growth.h"

#include "catalog/expression.h"
#include "catalog/rules.h"
#include "catalog/tuned.h"

#include <algorithm>
#include <cmath>

namespace session {
namespace {

using base::Error;
using base::Failure;

constexpr const char* job_name = "errors";

base::Result<ErrorPoint> measured(const catalog::Kernel& kernel, const Subject& subject, int threads,
                                  const std::stop_token& stop) {
    auto job = resolve(kernel, subject);
    if (!job) return job.error();
    job->checks = false; // the map's and the findings' business
    const auto prepared = prepare(*job, stop);
    if (!prepared.value) return prepared.failed->error;
    const auto run = run_grid(*job, *prepared.value, threads, stop);
    if (!run.value) return run.failed->error;
    if (!run.value->verification) return Error{Failure::check_failed, base::say("stopped"), {}, {}};
    const Verification& v = *run.value->verification;
    if (std::isnan(v.max_rel_error))
        return Error{Failure::check_failed,
                     base::say("{0} x {0} x {0}: C holds values that are not numbers", subject.problem.m),
                     {},
                     base::say("see the findings")};
    const double largest = v.max_rel_error > 0 ? v.max_abs_error / v.max_rel_error : 1;
    return ErrorPoint{subject.problem.m, v.max_rel_error, v.tolerance / largest};
}

// `values`, and the settings that differ from them in a parameter that the kernel's rounding depends on.
std::vector<catalog::Values> that_round_otherwise(const catalog::Kernel& kernel, const catalog::Values& values) {
    std::vector<catalog::Values> settings{values};
    const auto names = catalog::parameter_names(kernel);
    const auto rounding = catalog::Expression::parse(kernel.rounding, names);
    if (!rounding) return settings;
    for (const size_t used : rounding->uses())
        for (const catalog::Choice& choice : catalog::choices(kernel, values, names[used])) {
            if (choice.broken || choice.value == values.at(names[used])) continue;
            settings.push_back(values);
            settings.back()[names[used]] = choice.value;
        }
    return settings;
}

} // namespace

bool ErrorCurve::is_whole() const { return failed || points.size() == ErrorGrowth::edges.size(); }

ErrorGrowth::ErrorGrowth(std::function<void()> wake, int threads, bool interactive)
    : threads_(interactive ? 1 : threads), jobs_(1, std::move(wake), interactive ? base::background_niceness : 0) {}

const ErrorCurve* ErrorGrowth::wanted() const {
    const auto found = std::find_if(curves_.begin(), curves_.end(), [&](const ErrorCurve& curve) {
        return curve.kernel->id == wanted_.kernel && curve.parameters == wanted_.parameters;
    });
    return found == curves_.end() ? nullptr : &*found;
}

void ErrorGrowth::want(const catalog::Catalog& catalog, const Subject& subject) {
    Subject next = subject;
    const auto kernel = catalog.find(next.kernel);
    if (kernel)
        if (auto values = catalog::values_for(*kernel, subject.parameters, {}, subject.arch, subject.problem))
            next.parameters = std::move(*values);
    next.problem = {}, next.schedule = {};
    next.breaks.clear(); // how rounding errors grow is told of the right kernel
    if (next == wanted_ && wanted() && wanted()->kernel == kernel) return;

    jobs_.cancel(job_name);
    const bool comparable = next.alpha == wanted_.alpha && next.beta == wanted_.beta && next.seed == wanted_.seed &&
                            next.arch == wanted_.arch;
    wanted_ = std::move(next);
    const auto settings = kernel ? that_round_otherwise(*kernel, wanted_.parameters) : std::vector<catalog::Values>();
    const auto is_asked = [&](const ErrorCurve& curve) {
        return curve.kernel == kernel &&
               std::find(settings.begin(), settings.end(), curve.parameters) != settings.end();
    };
    std::erase_if(curves_, [&](const ErrorCurve& curve) {
        return !comparable || catalog.find(curve.kernel->id) != curve.kernel || (!curve.is_whole() && !is_asked(curve));
    });
    for (const catalog::Values& values : settings) {
        const auto is_it = [&](const ErrorCurve& curve) {
            return curve.kernel == kernel && curve.parameters == values;
        };
        if (std::none_of(curves_.begin(), curves_.end(), is_it)) curves_.push_back({kernel, values, {}, {}});
    }
    while (curves_.size() > most_curves) {
        const auto oldest = std::find_if_not(curves_.begin(), curves_.end(), is_asked);
        if (oldest == curves_.end()) break;
        curves_.erase(oldest);
    }
    measure_next();
}

// What was wanted goes first. Only want() moves curves, and it cancels what is under way.
void ErrorGrowth::measure_next() {
    const auto is_left = [](const ErrorCurve& curve) { return !curve.is_whole(); };
    auto next = std::find_if(curves_.begin(), curves_.end(),
                             [&](const ErrorCurve& curve) { return &curve == wanted() && is_left(curve); });
    if (next == curves_.end()) next = std::find_if(curves_.begin(), curves_.end(), is_left);
    if (next == curves_.end()) return;
    const auto at = static_cast<size_t>(next - curves_.begin());
    Subject subject = wanted_;
    subject.parameters = next->parameters;
    const int edge = edges[next->points.size()];
    subject.problem = {edge, edge, edge};
    auto work = [kernel = next->kernel, subject, threads = threads_](std::stop_token stop) {
        return measured(*kernel, subject, threads, stop);
    };
    const auto fail = [this, at](base::Error error) {
        curves_[at].failed = std::move(error);
        measure_next();
    };
    auto done = [this, at, fail](base::Result<ErrorPoint>&& point) {
        if (!point) return fail(point.error());
        curves_[at].points.push_back(*point);
        measure_next();
    };
    jobs_.start(job_name, std::move(work), std::move(done), fail);
}

bool ErrorGrowth::collect() { return jobs_.collect(); }

void ErrorGrowth::wait() { jobs_.wait(); }

} // namespace session
