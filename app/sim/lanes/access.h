// Memory accesses of a warp: where the lanes' addresses lead, and what is wrong with them.
#pragma once

#include "sim/lanes/warp.h"
#include "sim/program/wide_rows.h"
#include "trace/trace.h"

#include <mutex>
#include <vector>

namespace sim {

// One access of a warp, prepared by the lane handlers. Inactive lanes hold the first active lane's address.
struct Access {
    trace::Addresses& at; // not filled in where `by_pattern` says so
    uint64_t low, high;   // smallest and largest
    uint32_t active;
    uint32_t bytes; // per lane, all elements of a vector
    enum Direction : uint8_t { load, store, atomic } direction;
    Pattern* pattern = nullptr;
    bool by_pattern = false; // `low` and `pattern` say where the lanes are
    uint64_t stride =
        0; // not 0: all lanes access `low`, each in its own local memory, so far from that of the one before

    uint64_t from_low(size_t lane) const { return pattern->offset[lane] + pattern->below; }
    uint64_t first() const { return low + pattern->below; } // of the first active lane
};

// Checks the access, reports it to observers and the trace. Gives the host's memory of address `access.low`, or, where the
// lanes do not lie in one piece of memory, nullptr: then `host` holds a pointer for each lane (nullptr: lane is out
// of bounds and must be left alone).
std::byte* resolve(Warp&, const Operation&, Access&, std::byte* host[trace::warp_size]);

// The same for shared memory whose checks the caller has done: only tells observers and the trace.
void report_access(Warp&, const Operation&, const Access&);

// Resolves an atomic access and carries it out, one lane after the other: carry_out(lane, its memory); nullptr: it is out of bounds.
using CarryOut = void (*)(void* with, int lane, std::byte* memory);
void each_atomic(Warp&, const Operation&, Access&, CarryOut, void* with);
template <class F>
void each_atomic(Warp& w, const Operation& op, Access& a, F carry_out) {
    const CarryOut call = [](void* f, int lane, std::byte* memory) { (*static_cast<F*>(f))(lane, memory); };
    each_atomic(w, op, a, call, &carry_out);
}

// The registers of an operation that has more than Operation::row holds.
const WideRows& wide_rows(const Warp&, const Operation&);
// Held while memory is changed by what the processor has no atomic instruction for.
std::unique_lock<std::mutex> one_at_a_time(Warp&);

// `lanes` wait for each other at an operation that names those of `named`: what each did before, the others
// know.
void lanes_meet(Warp&, const Operation&, uint32_t lanes, uint32_t named);

// Enters the reads of shared memory that were only logged (ReadLog).
void enter_reads(Warp&);

} // namespace sim
