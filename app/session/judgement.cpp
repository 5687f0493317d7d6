#include "session/judgement.h"

#include "base/hash.h"
#include "catalog/code_hash.h"
#include "measure/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <tuple>

namespace session {
namespace {

std::string text_of_values(const std::string& kernel, const catalog::Values& values) {
    std::string text = kernel;
    for (const auto& [name, value] : values) text += fmt::format(" {}={}", name, value);
    return text;
}

// In an order that is drawn once: by the hash of the lines that a setting is on, so that whole lines come together.
std::vector<catalog::Values> settings_of(const JudgePlan& plan) {
    std::set<catalog::Values> all;
    for (const measure::SweepPoint& p : plan.record->points())
        if (p.measured() && std::find(plan.sizes.begin(), plan.sizes.end(), p.problem) != plan.sizes.end())
            if (const catalog::Values v = plan.record->setting(p); half_of(plan.kernel->id, v) == plan.half)
                all.insert(v);
    std::vector<std::pair<std::string, catalog::Values>> ordered;
    for (const catalog::Values& v : all) {
        std::string least = "~";
        for (const auto& [name, value] : v) {
            catalog::Values line = v;
            line.erase(name);
            least = std::min(least, base::hash(text_of_values(plan.kernel->id, line)));
        }
        ordered.emplace_back(std::move(least), v);
    }
    std::sort(ordered.begin(), ordered.end());
    std::vector<catalog::Values> settings;
    for (auto& [key, v] : ordered)
        if (settings.size() < plan.most) settings.push_back(std::move(v));
    return settings;
}

JudgedSettings judge_setting(const JudgePlan& plan, const catalog::Values& values, const std::stop_token& stop) {
    JudgedSettings out;
    Subject subject;
    subject.kernel = plan.kernel->id;
    subject.parameters = values;
    subject.problem = plan.sizes.front();
    subject.arch = plan.arch;
    const auto leave_out = [&](const base::Error& error) {
        out.left_out.push_back(text_of_values(plan.kernel->id, values) + ": " + error.sentence());
        return out;
    };
    auto job = resolve(*plan.kernel, subject);
    if (!job) return leave_out(job.error());
    const auto prepared = prepare(*job, stop);
    if (prepared.failed) return leave_out(prepared.failed->error);
    for (const catalog::Problem& size : plan.sizes) {
        const measure::SweepPoint* point = plan.record->find(values, size);
        if (!point || !point->measured()) continue;
        subject.problem = size;
        const auto made = predict(*plan.kernel, subject, *prepared.value, {}, stop);
        if (made.failed) return leave_out(made.failed->error);
        out.points.push_back({plan.kernel->id, values, size, point->ms, made.value->ms});
    }
    return out;
}

double tau_of(const std::vector<const Judged*>& line) {
    int agree = 0, pairs = 0;
    for (size_t a = 0; a < line.size(); ++a)
        for (size_t b = a + 1; b < line.size(); ++b, ++pairs) {
            const double measured = line[a]->measured_ms - line[b]->measured_ms,
                         predicted = line[a]->predicted_ms - line[b]->predicted_ms;
            agree += measured * predicted > 0 ? 1 : measured * predicted < 0 ? -1 : 0;
        }
    return pairs > 0 ? static_cast<double>(agree) / pairs : 0;
}

double quantile(std::vector<double> values, double share) {
    if (values.empty()) return 0;
    std::sort(values.begin(), values.end());
    return values[static_cast<size_t>(share * static_cast<double>(values.size() - 1) + 0.5)];
}

} // namespace

const char* const half_rule =
    "a setting is judged, at every size, where XXH3-128 of \"KERNEL NAME=VALUE NAME=VALUE\" is odd; names are in their order";

Half half_of(const std::string& kernel, const catalog::Values& values) {
    const char digit = base::hash(text_of_values(kernel, values)).back(); // hexadecimal
    return (digit >= 'a' ? digit - 'a' : digit - '0') % 2 == 0 ? Half::calibration : Half::judged;
}

JudgedSettings judge(const JudgePlan& plan, int threads, std::stop_token stop,
                     const std::function<void(size_t, size_t)>& told) {
    const std::vector<catalog::Values> settings = settings_of(plan);
    JudgedSettings all;
    std::mutex mutex;
    std::atomic<size_t> next = 0;
    size_t done = 0;
    const auto work = [&] {
        for (size_t n = next++; n < settings.size() && !stop.stop_requested(); n = next++) {
            JudgedSettings one = judge_setting(plan, settings[n], stop);
            const std::lock_guard lock(mutex);
            all.points.insert(all.points.end(), one.points.begin(), one.points.end());
            all.left_out.insert(all.left_out.end(), one.left_out.begin(), one.left_out.end());
            told(++done, settings.size());
        }
    };
    std::vector<std::jthread> workers;
    for (int n = 1; n < threads; ++n) workers.emplace_back(work);
    work();
    workers.clear();
    return all;
}

measure::Accuracy accuracy(const std::vector<Judged>& points) {
    measure::Accuracy a;
    a.points = points.size();
    std::vector<double> errors, magnitudes, taus;
    std::map<std::string, std::vector<const Judged*>> lines;
    for (const Judged& p : points) {
        errors.push_back(p.error());
        magnitudes.push_back(std::abs(p.error()));
        for (const auto& [name, value] : p.values) {
            catalog::Values line = p.values;
            line.erase(name);
            lines[fmt::format("{} {} {}x{}x{}", name, text_of_values(p.kernel, line), p.problem.m, p.problem.n,
                              p.problem.k)]
                .push_back(&p);
        }
    }
    for (const auto& [name, line] : lines)
        if (line.size() >= 3) taus.push_back(tau_of(line));
    a.median = quantile(magnitudes, 0.5);
    a.p90 = quantile(magnitudes, 0.9);
    a.worst = quantile(magnitudes, 1);
    a.bias = quantile(errors, 0.5);
    a.low = quantile(errors, 0.1);
    a.high = quantile(errors, 0.9);
    a.lines = taus.size();
    if (!taus.empty()) a.tau = quantile(taus, 0.5);
    return a;
}

std::vector<measure::AccuracyRow> accuracy_rows(const catalog::Kernel& kernel, const std::vector<Judged>& points) {
    std::map<std::tuple<int, int, int>, std::vector<Judged>> by_size;
    for (const Judged& p : points) by_size[{p.problem.m, p.problem.n, p.problem.k}].push_back(p);
    const std::string code = catalog::code_hash(kernel);
    std::vector<measure::AccuracyRow> rows;
    for (const auto& [size, some] : by_size) rows.push_back({kernel.id, code, some.front().problem, accuracy(some)});
    if (!points.empty()) rows.push_back({kernel.id, code, {}, accuracy(points)});
    return rows;
}

} // namespace session
