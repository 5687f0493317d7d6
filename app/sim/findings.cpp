#include "sim/findings.h"

#include <utility>

namespace sim {

void Findings::add(const FindingKey& key, trace::Finding finding) {
    auto [it, fresh] = found_.try_emplace(key, std::move(finding));
    if (!fresh) ++it->second.times;
}

bool Findings::count_known(const FindingKey& key) {
    auto it = found_.find(key);
    if (it == found_.end()) return false;
    ++it->second.times;
    return true;
}

void Findings::merge(const Findings& from) {
    const auto order = [](const base::Dim3& b) { return std::tie(b.z, b.y, b.x); };
    for (const auto& [key, finding] : from.found_) {
        auto [it, fresh] = found_.try_emplace(key, finding);
        if (fresh) continue;
        const uint64_t times = it->second.times + finding.times;
        if (order(finding.block) < order(it->second.block)) it->second = finding;
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
