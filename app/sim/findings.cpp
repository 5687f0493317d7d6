#include "sim/findings.h"

#include <utility>

namespace sim {

void Findings::add(trace::Finding finding, int64_t other) {
    const Key key{finding.pc, finding.kind, other};
    auto [it, fresh] = found_.try_emplace(key, std::move(finding));
    if (!fresh) ++it->second.times;
}

bool Findings::count_known(trace::FindingKind kind, int64_t pc, int64_t other) {
    auto it = found_.find({pc, kind, other});
    if (it == found_.end()) return false;
    ++it->second.times;
    return true;
}

void Findings::merge(const Findings& from) {
    for (const auto& [key, finding] : from.found_) {
        auto [it, fresh] = found_.try_emplace(key, finding);
        if (!fresh) it->second.times += finding.times;
    }
}

std::vector<trace::Finding> Findings::take() {
    std::vector<trace::Finding> all;
    for (auto& [key, finding] : found_) all.push_back(std::move(finding));
    found_.clear();
    return all;
}

} // namespace sim
