// What watches a run. The engine calls one observer per worker thread for every memory access of every block, so
// that counting stays out of the engine and the engine out of the counting.
#pragma once

#include "trace/trace.h"

namespace trace {

class Observer {
public:
    virtual ~Observer() = default;

    // `address` holds 32 lanes; only those in `active` count, and `active` is never 0.
    // `instruction` is the listing's entry at `pc`. An async copy calls twice in a row: with its shared destination, then
    // with its global source.
    virtual void access(uint32_t pc, const Instruction& instruction, uint32_t active, const Addresses& address) = 0;
};

} // namespace trace
