// Collects what is wrong with a kernel, each thing once with its count.
#pragma once

#include "trace/trace.h"

#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace sim {

// Two findings are the same thing when these agree.
struct FindingKey {
    trace::FindingKind kind{};
    int64_t place = 0;  // by place_of(): file and line, or after all lines the pc where the line is unknown
    int64_t other = -1; // what else is involved: the other access's place, the array's number; -1: nothing

    auto operator<=>(const FindingKey& o) const {
        return std::tie(place, kind, other) <=> std::tie(o.place, o.kind, o.other);
    }
    bool operator==(const FindingKey&) const = default;
};
// "lane 3", "lanes 0-7, 16": of a mask.
base::Sentence lanes_text(uint32_t lanes);
constexpr int64_t place_of(const trace::Instruction& i, uint32_t pc) {
    constexpr int64_t lines_of_a_file = int64_t{1} << 33;
    return i.source_line > 0 ? i.source_file % 64 * lines_of_a_file + i.source_line : (int64_t{1} << 32) + pc;
}

class Findings {
public:
    // Keeps the first finding with its key, or the first error after warnings; counts the rest.
    void add(const FindingKey&, trace::Finding);
    // Whether a finding like this, and as severe, is known already; then it is counted and nothing needs to be worded.
    bool count_known(const FindingKey&, trace::Severity = trace::Severity::warning);
    // Of the same finding in two blocks an error stays, else the one of the lower block, so that threads change nothing.
    void merge(const Findings& from);
    std::vector<trace::Finding> take(); // by place

private:
    std::map<FindingKey, trace::Finding> found_;
};

} // namespace sim
