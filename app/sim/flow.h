// What analyses of the decoded operations start from: basic blocks, sets, the registers of an operation. Internal to app/sim.
#pragma once

#include "base/dominators.h"
#include "sim/program.h"

#include <cstdint>
#include <vector>

namespace sim {

struct Graph {                   // of basic blocks; the last one is the exit
    std::vector<uint32_t> first; // operation; first[blocks()] = number of operations
    base::Edges next, previous;
    std::vector<uint32_t> block_of; // per operation

    uint32_t exit() const { return static_cast<uint32_t>(next.size() - 1); }
};

Graph graph_of(const std::vector<Operation>&, const std::vector<std::vector<uint32_t>>& tables);

using Bits = std::vector<uint64_t>;
constexpr uint64_t most_bits = uint64_t{1} << 31; // of the sets of a data-flow analysis: 256 MB
inline bool has(const Bits& b, uint32_t n) { return b[n / 64] >> (n % 64) & 1; }
inline void set(Bits& b, uint32_t n) { b[n / 64] |= uint64_t{1} << (n % 64); }
inline void clear(Bits& b, uint32_t n) { b[n / 64] &= ~(uint64_t{1} << (n % 64)); }

template <class F>
void each_virtual(const Operation& op, const Virtuals& v, uint32_t number,
                  F visit) { // visit(virtual register, is it written)
    const uint8_t written = v.written[number];
    auto see = [&](RowAt at, bool w) {
        if (at != no_row && !(at & 1)) visit(at >> 1, w);
    };
    for (int n = 0; n < 8; ++n) see(op.row[n], written >> n & 1);
    see(op.address, false);
    see(op.source, false);
    see(op.guard, false);
    for (RowAt at : v.wide[op.wide].read) see(at, false);
    for (RowAt at : v.wide[op.wide].written) see(at, true);
}

} // namespace sim
