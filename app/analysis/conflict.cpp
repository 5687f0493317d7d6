#include "analysis/conflict.h"

#include "analysis/mapping.h"

#include <algorithm>
#include <vector>

namespace analysis {
namespace {

const trace::Instruction& instruction_of(const trace::Trace& trace, const trace::Event& event) {
    return trace.listing->instructions[event.pc];
}

bool accesses_shared(const trace::Trace& trace, const trace::Event& event) {
    return instruction_of(trace, event).space == trace::Space::shared && event.access < trace.accesses.size();
}

bool writes(const trace::Instruction& instruction) { return instruction.kind != trace::Kind::load; }

// Byte ranges of some lanes, [first, last), ascending.
using Ranges = std::vector<std::pair<uint64_t, uint64_t>>;
Ranges ranges(const trace::Trace& trace, const trace::Event& event, uint32_t lanes) {
    Ranges ranges;
    const trace::Instruction& instruction = instruction_of(trace, event);
    const uint64_t bytes = std::max<uint64_t>(instruction.bytes, 1);
    const uint32_t accessing = accessing_lanes(instruction, event.active) & lanes;
    for (size_t lane = 0; lane < trace::warp_size; ++lane) {
        if (!(accessing >> lane & 1)) continue;
        const uint64_t first = trace.accesses[event.access][lane];
        ranges.emplace_back(first, first + bytes);
    }
    std::sort(ranges.begin(), ranges.end());
    return ranges;
}

// Ranges of one event, and of another.
bool overlap(const Ranges& sorted, const Ranges& others) {
    for (const auto& [first, last] : others) {
        const auto at = std::lower_bound(sorted.begin(), sorted.end(), last,
                                         [](const auto& range, uint64_t end) { return range.first < end; });
        if (at != sorted.begin() && (at - 1)->second > first) return true; // all ranges of one event are as long
    }
    return false;
}

// How many barriers each event's warp has passed before it.
std::vector<uint32_t> barriers_before(const trace::Trace& trace, uint32_t until) {
    std::vector<uint32_t> passed(until + 1), of_warp;
    for (uint32_t i = 0; i <= until; ++i) {
        const trace::Event& event = trace.events[i];
        if (event.warp >= of_warp.size()) of_warp.resize(event.warp + size_t{1}, 0);
        passed[i] = of_warp[event.warp];
        if (instruction_of(trace, event).kind == trace::Kind::barrier) ++of_warp[event.warp];
    }
    return passed;
}

} // namespace

std::optional<uint32_t> earlier_conflict(const trace::Trace& trace, uint32_t event, uint32_t lanes) {
    if (!trace.listing || event >= trace.events.size() || !accesses_shared(trace, trace.events[event]))
        return std::nullopt;
    const trace::Event& later = trace.events[event];
    const Ranges own = ranges(trace, later, lanes);
    const bool stores = writes(instruction_of(trace, later));
    const std::vector<uint32_t> passed = barriers_before(trace, event);
    for (uint32_t i = event; i-- > 0;) {
        const trace::Event& other = trace.events[i];
        if (other.warp == later.warp || passed[i] != passed[event] || !accesses_shared(trace, other)) continue;
        if (!stores && !writes(instruction_of(trace, other))) continue;
        if (overlap(own, ranges(trace, other, ~0u))) return i;
    }
    return std::nullopt;
}

} // namespace analysis
