// What machine instructions do and no PTX instruction does.
#include "sim/lanes/access.h"
#include "sim/run/block.h"
#include "sim/sass/lowering.h"

namespace sim {
namespace {

uint32_t mask_of(const Warp& w, const Operation& op, int slot) {
    if (op.row[slot] == no_row) return 0;
    const uint32_t mask = *row<uint32_t>(w, op.row[slot]);
    return op.negated_predicate >> slot & 1 ? ~mask : mask;
}

void set_mask(const Warp& w, const Operation& op, int slot, uint32_t mask, uint32_t active) {
    if (op.row[slot] == no_row) return;
    uint32_t& p = *row<uint32_t>(w, op.row[slot]);
    p = (p & ~active) | (mask & active);
}

} // namespace

void combine_predicates(Warp& w, const Operation& op, uint32_t active) {
    const uint32_t a = mask_of(w, op, 2), b = mask_of(w, op, 3), c = mask_of(w, op, 4);
    uint32_t result[2] = {};
    for (int r = 0; r < 2; ++r)
        for (uint32_t entry = 0; entry < 8; ++entry)
            if (op.detail.number >> (8 * r + static_cast<int>(entry)) & 1)
                result[r] |= (entry & 4 ? a : ~a) & (entry & 2 ? b : ~b) & (entry & 1 ? c : ~c);
    set_mask(w, op, 0, result[0], active);
    set_mask(w, op, 1, result[1], active);
}

void vote_of_lanes(Warp& w, const Operation& op, uint32_t active) {
    const uint32_t yes = mask_of(w, op, 2) & active;
    const bool all = yes == active, none = yes == 0,
               result = op.detail.number == 0   ? all
                        : op.detail.number == 1 ? !none
                                                : all || none;
    for (int i = 0; i < 32 && op.row[0] != no_row; ++i)
        if (active >> i & 1) row<uint32_t>(w, op.row[0])[i] = yes;
    set_mask(w, op, 1, result ? ~0u : 0, active);
}

void broadcast_first(Warp& w, const Operation& op, uint32_t active) {
    const uint32_t giving = op.row[2] == no_row ? active : mask_of(w, op, 2) & active;
    if (giving == 0) return;
    const uint32_t value = row<uint32_t>(w, op.row[1])[__builtin_ctz(giving)];
    uint32_t* d = row<uint32_t>(w, op.row[0]);
    for (int i = 0; i < 32; ++i) d[i] = active >> i & 1 ? value : d[i];
}

void meet_unless_apart(Warp& w, const Operation& op, uint32_t active) {
    const uint32_t named = row<uint32_t>(w, op.row[1])[__builtin_ctz(active)];
    const uint32_t absent = named & w.live & ~active;
    const bool apart = absent != 0 && (absent & ~w.block->control.leaving(w)) != 0;
    set_mask(w, op, 0, apart ? ~0u : 0, active);
    if (!apart) lanes_meet(w, op, active, named);
}

void meet_here(Warp& w, const Operation& op, uint32_t active) { lanes_meet(w, op, active, active); }

} // namespace sim
