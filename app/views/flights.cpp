#include "views/flights.h"

#include "analysis/mapping.h"

#include <algorithm>
#include <deque>

namespace views {

namespace {

using trace::Kind;
using trace::Space;

constexpr uint32_t none = ~0u;
constexpr uint64_t most_comparisons = 1u << 24; // of copies with loads

// What one warp has on its way while its events are gone through.
class OfWarp {
public:
    void see(uint32_t event, const trace::Instruction& instruction) {
        const bool global = instruction.space == Space::global, shared = instruction.space == Space::shared;
        if (instruction.kind == Kind::load && global) load(event);
        else if (instruction.kind == Kind::store && shared) store(event);
        else if (instruction.kind == Kind::async_copy) copy(event);
        else if (instruction.role == trace::Role::commit) commit();
        else if (instruction.groups_left >= 0) wait(event, static_cast<uint64_t>(instruction.groups_left));
    }
    std::vector<Flight> done;

private:
    void load(uint32_t event) {
        if (loading_ == none || stored_) {
            done.push_back({event, event});
            loading_ = static_cast<uint32_t>(done.size() - 1);
        }
        stored_ = false;
    }
    void store(uint32_t event) {
        if (loading_ == none) return;
        done[loading_].last = event;
        stored_ = true;
    }
    void copy(uint32_t event) {
        if (open_ == none) open_ = event;
    }
    void commit() { // an empty group counts, too
        groups_.push_back(open_);
        open_ = none;
    }
    void wait(uint32_t event, uint64_t left) {
        if (left == 0 && open_ != none) commit();
        for (; groups_.size() > left; groups_.pop_front())
            if (groups_.front() != none) done.push_back({groups_.front(), event, Carrier::async_copy});
    }

    uint32_t loading_ = none; // of done
    bool stored_ = true;      // what was loaded before has landed
    uint32_t open_ = none;    // first copy of the group that is not committed yet
    std::deque<uint32_t> groups_;
};

bool reads(const trace::Trace& trace, uint32_t number, uint64_t first, uint64_t last) {
    const trace::Event& event = trace.events[number];
    const trace::Instruction& load = trace.listing->instructions[event.pc];
    const uint32_t accessing = analysis::accessing_lanes(load, event.active);
    const uint64_t bytes = std::max<uint64_t>(load.bytes, 1);
    for (size_t lane = 0; lane < trace::warp_size; ++lane) {
        const uint64_t at = trace.accesses[event.access][lane];
        if ((accessing >> lane & 1) && at < last && at + bytes > first) return true;
    }
    return false;
}

// Adds what TMA brings for each warp.
void add_bulk_copies(const trace::Trace& trace, const std::vector<uint32_t>& shared_loads,
                     std::vector<std::vector<Flight>>& result) {
    uint64_t comparisons = 0;
    for (const trace::BulkCopy& copy : trace.bulk_copies) {
        const size_t warp = copy.thread / trace::warp_size;
        if (!copy.to_shared || warp >= result.size()) continue;
        const uint64_t end = copy.shared + copy.rows.size() * uint64_t{copy.row_bytes};
        const auto issued = std::upper_bound(shared_loads.begin(), shared_loads.end(), copy.event);
        const auto of_it = [&](uint32_t load) {
            ++comparisons;
            return reads(trace, load, copy.shared, end);
        };
        const auto next = std::find_if(issued, shared_loads.end(), of_it);
        if (comparisons > most_comparisons) return;
        if (next == shared_loads.end()) continue;
        const auto before = std::find_if(std::make_reverse_iterator(issued), shared_loads.rend(), of_it);
        const uint32_t first = before == shared_loads.rend() ? copy.event : *before;
        result[warp].push_back({first, *next, Carrier::bulk_copy});
    }
}

} // namespace

std::vector<std::vector<Flight>> flights(const trace::Trace& trace, size_t warps) {
    std::vector<OfWarp> under_way(warps);
    std::vector<uint32_t> shared_loads;
    for (uint32_t i = 0; i < trace.events.size(); ++i) {
        const trace::Event& event = trace.events[i];
        const trace::Instruction& instruction = trace.listing->instructions[event.pc];
        if (event.warp < warps) under_way[event.warp].see(i, instruction);
        if (instruction.kind == Kind::load && instruction.space == Space::shared && event.access != trace::no_access)
            shared_loads.push_back(i);
    }
    std::vector<std::vector<Flight>> result;
    for (OfWarp& one : under_way) result.push_back(std::move(one.done));
    add_bulk_copies(trace, shared_loads, result);
    for (std::vector<Flight>& of_warp : result)
        std::sort(of_warp.begin(), of_warp.end(), [](const Flight& a, const Flight& b) { return a.first < b.first; });
    return result;
}

} // namespace views
