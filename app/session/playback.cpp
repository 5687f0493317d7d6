#include "session/playback.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace session {
namespace {

std::optional<uint32_t> find_forward(const std::vector<trace::Event>& events, uint32_t from, int warp) {
    for (size_t i = from; i < events.size(); ++i) {
        if (events[i].warp == warp) return static_cast<uint32_t>(i);
    }
    return {};
}

std::optional<uint32_t> find_back(const std::vector<trace::Event>& events, uint32_t from, int warp) {
    for (size_t i = std::min<size_t>(size_t{from} + 1, events.size()); i-- > 0;) {
        if (events[i].warp == warp) return static_cast<uint32_t>(i);
    }
    return {};
}

// The event of `warp` that executes the same instruction after about as many others of its own, so that it is of the same turn of a loop
// whatever the warps' order; else the one at or after `event`.
std::optional<uint32_t> same_instruction(const trace::Trace& trace, uint32_t event, int warp) {
    const auto& events = trace.events;
    const int64_t step = step_of(trace, event, events[event].warp);
    std::optional<uint32_t> best;
    int64_t own = 0, nearest = std::numeric_limits<int64_t>::max();
    for (uint32_t i = 0; i < events.size(); ++i) {
        if (events[i].warp != warp) continue;
        const int64_t distance = std::abs(own++ - step);
        if (events[i].pc != events[event].pc || distance >= nearest) continue;
        nearest = distance;
        best = i;
    }
    return best ? best : event_at_or_after(trace, event, warp);
}

} // namespace

std::optional<uint32_t> event_at_or_after(const trace::Trace& trace, uint32_t event, int warp) {
    auto found = find_forward(trace.events, event, warp);
    return found ? found : find_back(trace.events, event, warp);
}

std::optional<uint32_t> event_at_or_before(const trace::Trace& trace, uint32_t event, int warp) {
    auto found = find_back(trace.events, event, warp);
    return found ? found : find_forward(trace.events, event, warp);
}

uint32_t step_of(const trace::Trace& trace, uint32_t event, int warp) {
    const auto end = trace.events.begin() + static_cast<std::ptrdiff_t>(std::min<size_t>(event, trace.events.size()));
    return static_cast<uint32_t>(
        std::count_if(trace.events.begin(), end, [&](const trace::Event& e) { return e.warp == warp; }));
}

std::optional<uint32_t> event_of(const trace::Trace& trace, uint32_t step, int warp) {
    std::optional<uint32_t> found;
    for (uint32_t i = 0; i < trace.events.size(); ++i) {
        if (trace.events[i].warp != warp) continue;
        found = i;
        if (step-- == 0) break;
    }
    return found;
}

void clamp(Selection& selection, const trace::Trace& trace) {
    const int threads = static_cast<int>(std::min<uint64_t>(trace.block.count(), 1024));
    const int last_warp = std::max(0, (threads - 1) / trace::warp_size);
    selection.block = trace.block_index;
    selection.warp = std::clamp(selection.warp, 0, last_warp);
    const int last_lane = std::min(trace::warp_size, threads - selection.warp * trace::warp_size) - 1;
    selection.lane = std::clamp(selection.lane, 0, std::max(0, last_lane));
    const size_t events = trace.events.size();
    selection.event = events ? std::min(selection.event, static_cast<uint32_t>(events - 1)) : 0;
}

void follow(const Selection& before, Selection& next, const trace::Trace& trace) {
    if (trace.events.empty()) return;
    next.event = std::min(next.event, static_cast<uint32_t>(trace.events.size() - 1));
    const int owner = trace.events[next.event].warp;
    if (owner == next.warp) return;
    if (next.event == before.event) {
        next.event = same_instruction(trace, next.event, next.warp).value_or(next.event);
    } else if (next.warp == before.warp) {
        auto moved = next.event > before.event ? event_at_or_after(trace, next.event, next.warp)
                                               : event_at_or_before(trace, next.event, next.warp);
        next.event = moved.value_or(next.event);
    }
    next.warp = trace.events[next.event].warp;
}

bool advance(Selection& selection, const trace::Trace& trace, uint32_t count) {
    for (; count > 0; --count) {
        auto next = find_forward(trace.events, selection.event + 1, selection.warp);
        if (!next) return false;
        selection.event = *next;
    }
    return true;
}

} // namespace session
