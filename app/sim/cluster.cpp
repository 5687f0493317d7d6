// Instructions of clusters, which the engine executes as clusters of one block, and others that look at the whole warp or block
// (manual, sections 9.7.9.23, 9.7.9.24, 9.7.13.14 and 10).
#include "sim/block.h"

#include <fmt/format.h>

namespace sim {

// d, a, rank: the address of the same variable in another block of the cluster.
void map_address(Warp& w, const Operation& op, uint32_t active) {
    const uint32_t* rank = row<uint32_t>(w, op.row[2]);
    uint32_t others = 0;
    for (uint32_t i = 0; i < 32; ++i) {
        if (!(active >> i & 1)) continue;
        if (rank[i] != 0) others |= 1u << i;
        if (op.width[0] == 8) row<uint64_t>(w, op.row[0])[i] = row<uint64_t>(w, op.row[1])[i];
        else row<uint32_t>(w, op.row[0])[i] = row<uint32_t>(w, op.row[1])[i];
    }
    if (others) w.block->no_such_block(w, op, others, rank[__builtin_ctz(others)]);
}

void Block::no_such_block(const Warp& w, const Operation& op, uint32_t lanes, uint32_t rank) {
    finding(trace::FindingKind::out_of_bounds, w, op, lanes, fmt::format("block {} of a cluster of one", rank));
}

// d|p, membermask.
void elect_lane(Warp& w, const Operation& op, uint32_t active) {
    const uint32_t members = active & row<uint32_t>(w, op.row[2])[__builtin_ctz(active)];
    const uint32_t leader = members ? static_cast<uint32_t>(__builtin_ctz(members)) : 0;
    for (uint32_t i = 0; i < 32 && op.row[0] != no_row; ++i)
        if (active >> i & 1) row<uint32_t>(w, op.row[0])[i] = leader;
    if (op.row[1] == no_row) return;
    uint32_t* p = row<uint32_t>(w, op.row[1]);
    *p = (*p & ~active) | (members ? 1u << leader : 0);
}

// The engine keeps no time: whoever looks at a clock finds it later than at the last look, so that loops that wait end.
void read_clock(Warp& w, const Operation& op, uint32_t active) {
    constexpr uint64_t between = 1024; // cycles
    w.clock += between;
    const uint64_t shown = op.extra == 1 ? w.clock >> 32 : w.clock; // 1: the upper half
    for (uint32_t i = 0; i < 32; ++i) {
        if (!(active >> i & 1)) continue;
        if (op.width[0] == 8) row<uint64_t>(w, op.row[0])[i] = shown;
        else row<uint32_t>(w, op.row[0])[i] = static_cast<uint32_t>(shown);
    }
}

} // namespace sim
