// Registers that are read before anything was written to them: where the paths through the program allow it, the lanes are watched.
#include "sim/block.h"

#include <algorithm>

namespace sim {

void track_registers(Warp& w, const Operation& op, uint32_t active) { w.block->track(w, op, active); }

void Block::use(const Warp& w, const Operation& op, int64_t reg, uint32_t lanes) {
    if (reg == Tracked::none || unknown_ran_ || !run_.options.checks)
        return; // what the engine does not execute may have written the register
    const uint32_t bad = lanes & ~assigned(w)[reg];
    if (bad == 0 || report.known(trace::FindingKind::uninitialised_register, op, reg)) return;
    report.finding(trace::FindingKind::uninitialised_register, w, op, bad,
            base::say("lane {} uses {}, to which nothing was written before", __builtin_ctz(bad),
                      program_.tracked_registers[static_cast<size_t>(reg)]),
            reg, trace::Severity::warning);
}

void Block::track_guard(const Warp& w, const Operation& op, uint32_t lanes) {
    use(w, op, program_.tracked[op.tracked].guard, lanes);
}

void Block::track(Warp& w, const Operation& op, uint32_t active) {
    const Tracked& t = program_.tracked[op.tracked];
    if (!run_.options.checks) return (active == ~0u ? t.full : t.masked)(w, op, active);
    uint32_t* const lanes = assigned(w);
    const auto lanes_of = [&](int64_t reg) { return reg == Tracked::none ? ~0u : lanes[reg]; };
    uint32_t good = active;
    use(w, op, t.address, active);
    use(w, op, t.source, active);
    if (t.kind == Tracked::selects) { // d, a, b, p
        use(w, op, t.row[3], active);
        uint32_t p = *row<uint32_t>(w, op.row[3]);
        if (op.negated_predicate >> 3 & 1) p = ~p;
        good &= (p & lanes_of(t.row[1])) | (~p & lanes_of(t.row[2]));
    } else {
        for (int slot = 0; slot < 8; ++slot) {
            if (t.written >> slot & 1) continue;
            if (t.kind == Tracked::moves) good &= lanes_of(t.row[slot]);
            else use(w, op, t.row[slot], active);
        }
    }
    for (int64_t reg : t.wide_read) use(w, op, reg, active);
    for (int64_t reg : t.wide_written)
        if (reg != Tracked::none) lanes[reg] |= active;
    for (int slot = 0; slot < 8; ++slot)
        if (t.written >> slot & 1 && t.row[slot] != Tracked::none)
            lanes[t.row[slot]] = (lanes[t.row[slot]] & ~active) | good;
    (active == ~0u ? t.full : t.masked)(w, op, active);
}

} // namespace sim
