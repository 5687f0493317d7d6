// Memory that a thread takes from its stack while it runs (manual, section 9.7.17). The stack lies in the thread's local memory; what a
// function took is given back by stackrestore only.
#include "sim/lanes/warp.h"
#include "sim/program/program.h"

#include <algorithm>

namespace sim {
namespace {

constexpr uint32_t beyond_local = 0xF0000000; // given out where the stack is full: whoever uses it is out of bounds

uint64_t value_of(const Warp& w, const Operation& op, int slot, int lane) {
    return op.width[slot] == 8 ? row<uint64_t>(w, op.row[slot])[lane] : row<uint32_t>(w, op.row[slot])[lane];
}
void set_value(Warp& w, const Operation& op, int slot, int lane, uint64_t v) {
    if (op.width[slot] == 8) row<uint64_t>(w, op.row[slot])[lane] = v;
    else row<uint32_t>(w, op.row[slot])[lane] = static_cast<uint32_t>(v);
}

} // namespace

// rows: the pointer, the size, bytes used, and its alignment; offset: where the stack begins.
void allocate_stack(Warp& w, const Operation& op, uint32_t active) {
    for (int i = 0; i < 32; ++i) {
        if (!(active >> i & 1)) continue;
        const auto first = static_cast<uint64_t>(op.offset), end = first + stack_bytes;
        const uint64_t size = value_of(w, op, 1, i), at = (first + value_of(w, op, 2, i) + op.detail.alignment - 1) /
                                                          op.detail.alignment * op.detail.alignment;
        const bool fits = at <= end && size <= end - at;
        if (op.row[0] != no_row) set_value(w, op, 0, i, fits ? at : beyond_local);
        if (fits) set_value(w, op, 2, i, at + size - first);
    }
}

// rows: to, from.
void set_stack(Warp& w, const Operation& op, uint32_t active) {
    if (op.row[0] == no_row) return;
    for (int i = 0; i < 32; ++i)
        if (active >> i & 1) set_value(w, op, 0, i, value_of(w, op, 1, i));
}

} // namespace sim
