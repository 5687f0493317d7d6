// Stretches in which data is on its way from global to shared memory: what overlaps the arithmetic. No drawing.
#pragma once

#include "trace/trace.h"

#include <vector>

namespace views {

// Events, inclusive. Through registers: from a warp's global loads to the last of the shared stores that follow them. By cp.async: from the
// first copy of a group to the wait of the same warp that covers it. By TMA: from the last shared load, of any warp, of what lay there
// before (or from the copy, if there is none) to the first of what it brought: a producer warp waits for nothing else, and its own
// steps do not tell how far it is ahead. None where only tensor cores read, whose reads have no addresses in the trace.
enum class Carrier { registers, async_copy, bulk_copy };
struct Flight {
    uint32_t first = 0, last = 0;
    Carrier carrier = Carrier::registers;
};

// Of each warp, by the warp that asked for the data, ascending. Of a block with so many copies that it would take long, those of the first.
std::vector<std::vector<Flight>> flights(const trace::Trace&, size_t warps);

} // namespace views
