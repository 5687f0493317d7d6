#include "sim/checks/findings.h"

#include <fmt/format.h>

#include <utility>

namespace sim {

base::Sentence lanes_text(uint32_t lanes) {
    std::vector<std::string> runs;
    for (int first = 0; first < 32; ++first) {
        if (!(lanes >> first & 1)) continue;
        int last = first;
        while (last < 31 && lanes >> (last + 1) & 1) ++last;
        runs.push_back(first == last ? std::to_string(first) : fmt::format("{}-{}", first, last));
        first = last;
    }
    return (lanes & (lanes - 1)) == 0 ? base::say("lane {}", base::names(runs))
                                      : base::say("lanes {}", base::names(runs));
}

namespace {

bool severer(const trace::Finding& a, const trace::Finding& b) {
    return a.severity == trace::Severity::error && b.severity == trace::Severity::warning;
}

} // namespace

void Findings::add(const FindingKey& key, trace::Finding finding) {
    auto [it, fresh] = found_.try_emplace(key, finding);
    if (fresh) return;
    finding.times += it->second.times;
    if (severer(finding, it->second)) it->second = std::move(finding);
    else it->second.times = finding.times;
}

bool Findings::count_known(const FindingKey& key, trace::Severity severity) {
    auto it = found_.find(key);
    if (it == found_.end() || (severity == trace::Severity::error && it->second.severity == trace::Severity::warning))
        return false;
    ++it->second.times;
    return true;
}

void Findings::merge(const Findings& from) {
    const auto order = [](const base::Dim3& b) { return std::tie(b.z, b.y, b.x); };
    for (const auto& [key, finding] : from.found_) {
        auto [it, fresh] = found_.try_emplace(key, finding);
        if (fresh) continue;
        const uint64_t times = it->second.times + finding.times;
        const bool lower = finding.severity == it->second.severity && order(finding.block) < order(it->second.block);
        if (lower || severer(finding, it->second)) it->second = finding;
        it->second.times = times;
    }
}

std::vector<trace::Finding> Findings::take() {
    std::vector<trace::Finding> all;
    for (auto& [key, finding] : found_) all.push_back(std::move(finding));
    found_.clear();
    return all;
}

} // namespace sim
