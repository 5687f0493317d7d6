#include "sim/checks/unassigned_registers.h"

#include "sim/run/block.h"

namespace sim {

void track_registers(Warp& w, const Operation& op, uint32_t active) {
    w.block->unassigned_registers.execute(w, op, active);
}

UnassignedRegisters::UnassignedRegisters(const BlockContext& block, Report& report)
    : block_(block), report_(report), assigned_(block.warps.size() * block.program.tracked_registers.size()) {}

void UnassignedRegisters::reset() {
    std::fill(assigned_.begin(), assigned_.end(), 0);
    gave_up_ = false;
}

void UnassignedRegisters::check(const Warp& w, const Operation& op, int64_t reg, uint32_t lanes) {
    if (reg == Tracked::none || gave_up_ || !block_.run.options.checks) return;
    const uint32_t bad = lanes & ~assigned(w)[reg];
    if (bad == 0 || report_.known(trace::FindingKind::uninitialised_register, op, reg)) return;
    report_.finding(trace::FindingKind::uninitialised_register, w, op, bad,
                    base::say("lane {} uses {}, to which nothing was written before", __builtin_ctz(bad),
                              block_.program.tracked_registers[static_cast<size_t>(reg)]),
                    reg, trace::Severity::warning);
}

void UnassignedRegisters::check_guard(const Warp& w, const Operation& op, uint32_t lanes) {
    check(w, op, block_.program.tracked[op.tracked].guard, lanes);
}

void UnassignedRegisters::execute(Warp& w, const Operation& op, uint32_t active) {
    const Tracked& t = block_.program.tracked[op.tracked];
    if (!block_.run.options.checks) return (active == ~0u ? t.full : t.masked)(w, op, active);
    uint32_t* const lanes = assigned(w);
    const auto lanes_of = [&](int64_t reg) { return reg == Tracked::none ? ~0u : lanes[reg]; };
    uint32_t good = active;
    check(w, op, t.address, active);
    check(w, op, t.source, active);
    if (t.kind == Tracked::selects) { // d, a, b, p
        check(w, op, t.row[3], active);
        uint32_t p = *row<uint32_t>(w, op.row[3]);
        if (op.negated_predicate >> 3 & 1) p = ~p;
        good &= (p & lanes_of(t.row[1])) | (~p & lanes_of(t.row[2]));
    } else if (t.kind != Tracked::merges) {
        for (int slot = 0; slot < 8; ++slot) {
            if (t.written >> slot & 1) continue;
            if (t.kind == Tracked::moves) good &= lanes_of(t.row[slot]);
            else check(w, op, t.row[slot], active);
        }
    }
    for (int64_t reg : t.wide_read) check(w, op, reg, active);
    for (int64_t reg : t.wide_written)
        if (reg != Tracked::none) lanes[reg] |= active;
    for (int slot = 0; slot < 8; ++slot)
        if (t.written >> slot & 1 && t.row[slot] != Tracked::none)
            lanes[t.row[slot]] = (lanes[t.row[slot]] & ~active) | good;
    (active == ~0u ? t.full : t.masked)(w, op, active);
}

} // namespace sim
