// What machine instructions do and no PTX instruction does.
#include "sim/lanes/warp.h"
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

// The sum of 32-bit terms has a carry of 0, 1 or 2: p says that there is one, q that there are two. Loops over all lanes, which compilers turn
// into vectors; only then it is asked who takes part.
void add_with_carries(Warp& w, const Operation& op, uint32_t active) {
    const uint32_t negated = op.detail.number & 0xFF, inverted = op.detail.number >> 8;
    const uint32_t in[] = {mask_of(w, op, 6), mask_of(w, op, 7)};
    uint64_t sum[32];
    for (uint32_t i = 0; i < 32; ++i) sum[i] = (in[0] >> i & 1) + (in[1] >> i & 1);
    for (int t = 0; t < 3; ++t) {
        if (op.row[3 + t] == no_row) continue;
        const uint32_t* term = row<uint32_t>(w, op.row[3 + t]);
        const uint32_t flip = (negated | inverted) >> t & 1 ? ~0u : 0, one = negated >> t & 1;
        for (int i = 0; i < 32; ++i) sum[i] += uint64_t{term[i] ^ flip} + one;
    }
    uint32_t some = 0, two = 0;
    for (uint32_t i = 0; i < 32; ++i) {
        some |= static_cast<uint32_t>(sum[i] >> 32 != 0) << i;
        two |= static_cast<uint32_t>(sum[i] >> 33) << i;
    }
    if (op.row[0] != no_row) {
        uint32_t* d = row<uint32_t>(w, op.row[0]);
        for (uint32_t i = 0; i < 32; ++i) d[i] = active >> i & 1 ? static_cast<uint32_t>(sum[i]) : d[i];
    }
    set_mask(w, op, 1, some, active);
    set_mask(w, op, 2, two, active);
}

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

} // namespace sim
