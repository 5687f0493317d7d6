#include "session/playback.h"

#include <algorithm>

namespace session {
namespace {

const analysis::WarpSteps& steps_of(const BlockRun& run, int warp) {
    static const analysis::WarpSteps none;
    const auto& steps = run.timeline.warps;
    return warp >= 0 && static_cast<size_t>(warp) < steps.size() ? steps[static_cast<size_t>(warp)] : none;
}

} // namespace

std::optional<uint32_t> event_at_or_after(const BlockRun& run, uint32_t event, int warp) {
    return event_of(run, step_of(run, event, warp), warp);
}

std::optional<uint32_t> event_at_or_before(const BlockRun& run, uint32_t event, int warp) {
    const uint32_t step = step_of(run, event, warp);
    const auto& events = steps_of(run, warp).events;
    const bool here = step < events.size() && events[step] == event;
    return event_of(run, here || step == 0 ? step : step - 1, warp);
}

uint32_t step_of(const BlockRun& run, uint32_t event, int warp) { return steps_of(run, warp).before(event); }

std::optional<uint32_t> event_of(const BlockRun& run, uint32_t step, int warp) {
    const auto& events = steps_of(run, warp).events;
    return events.empty() ? std::nullopt : std::optional(events[std::min<size_t>(step, events.size() - 1)]);
}

std::optional<uint32_t> same_instruction(const BlockRun& run, uint32_t event, int warp) {
    const auto& events = run.trace.events;
    const auto& own = steps_of(run, warp).events;
    const size_t step = step_of(run, event, events[event].warp);
    const auto does_it = [&](size_t at) { return at < own.size() && events[own[at]].pc == events[event].pc; };
    for (size_t away = 0; away <= std::max(step, own.size()); ++away) {
        if (away <= step && does_it(step - away)) return own[step - away];
        if (does_it(step + away)) return own[step + away];
    }
    return event_at_or_after(run, event, warp);
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

void follow(const Selection& before, Selection& next, const BlockRun& run) {
    const auto& events = run.trace.events;
    if (events.empty()) return;
    next.event = std::min(next.event, static_cast<uint32_t>(events.size() - 1));
    const int owner = events[next.event].warp;
    if (owner == next.warp) return;
    if (next.event == before.event) {
        next.event = same_instruction(run, next.event, next.warp).value_or(next.event);
    } else if (next.warp == before.warp) {
        auto moved = next.event > before.event ? event_at_or_after(run, next.event, next.warp)
                                               : event_at_or_before(run, next.event, next.warp);
        next.event = moved.value_or(next.event);
    }
    next.warp = events[next.event].warp;
}

bool advance(Selection& selection, const BlockRun& run, uint32_t count) {
    const auto& events = steps_of(run, selection.warp).events;
    const size_t next =
        size_t{steps_of(run, selection.warp).before(selection.event + 1)} + count; // behind what is asked for
    if (count == 0 || events.empty()) return count == 0;
    selection.event = std::max(selection.event, events[std::min(next, events.size()) - 1]);
    return next <= events.size();
}

} // namespace session
