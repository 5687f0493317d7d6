// Moving along a traced block, and keeping a selection within it.
#pragma once

#include "session/stages.h"
#include "session/view.h"

#include <optional>

namespace session {

// The event of `warp` at or after `event`; else the last one before it; nothing if the warp has none.
std::optional<uint32_t> event_at_or_after(const BlockRun&, uint32_t event, int warp);
std::optional<uint32_t> event_at_or_before(const BlockRun&, uint32_t event, int warp);

// How many events the warp has before `event`, and the event before which it has so many; at most its last. Nothing if it has none.
uint32_t step_of(const BlockRun&, uint32_t event, int warp);
std::optional<uint32_t> event_of(const BlockRun&, uint32_t step, int warp);

// The event of `warp` that executes the same instruction as `event` after about as many others of its own, so that it is of the same
// turn of a loop whatever the warps' order; else the one at or after `event`. Nothing if the warp has none.
std::optional<uint32_t> same_instruction(const BlockRun&, uint32_t event, int warp);

// Brings block, warp, lane and event within what the trace has.
void clamp(Selection&, const trace::Trace&);

// `next` was edited from `before` by the user: the event belongs to the selected warp again. A new warp takes the
// event along to its own execution of the same instruction; a new event of another warp slides on to one of the
// selected warp, in the direction of the move; where both are new the event's warp is selected.
void follow(const Selection& before, Selection& next, const BlockRun&);

// `count` events of the selected warp onwards. False at the end of the trace.
bool advance(Selection&, const BlockRun&, uint32_t count);

} // namespace session
