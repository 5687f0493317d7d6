// Collects what is wrong with a kernel, each thing once with its count.
#pragma once

#include "trace/trace.h"

#include <map>
#include <tuple>
#include <vector>

namespace sim {

class Findings {
public:
    // Keeps the first finding of its kind at its pc with this `other` (the second pc involved, or -1); counts the rest.
    void add(trace::Finding finding, int64_t other = -1);
    // Whether a finding like this is known already; then it is counted and nothing needs to be worded.
    bool count_known(trace::FindingKind kind, int64_t pc, int64_t other = -1);
    void merge(const Findings& from);
    std::vector<trace::Finding> take(); // by pc

private:
    using Key = std::tuple<int64_t, trace::FindingKind, int64_t>;
    std::map<Key, trace::Finding> found_;
};

} // namespace sim
