// Control flow of decoded operations, and what analyses of them start from: basic blocks, sets, the registers of an operation. Internal
// to app/sim.
#pragma once

#include "base/dominators.h"
#include "sim/program/program.h"

#include <cstdint>
#include <vector>

namespace sim {

// The operations that may follow operation `n` (size of `operations`: the end).
void successors(const std::vector<Operation>& operations, const std::vector<std::vector<uint32_t>>& tables, uint32_t n,
                std::vector<uint32_t>& out);

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

// Before the rows are placed: a row that is no constant is twice the number of a register.
inline bool is_register(RowAt at) { return at != no_row && !(at & 1); }

template <class F>
void each_register(const Program& p, uint32_t n, F visit) { // of operation n: visit(register, is it written)
    const Operation& op = p.operations[n];
    const uint8_t written = p.effects[n].written;
    auto see = [&](RowAt at, bool w) {
        if (is_register(at)) visit(at >> 1, w);
    };
    for (int slot = 0; slot < 8; ++slot) see(op.row[slot], written >> slot & 1);
    see(op.address, false);
    see(op.address_upper, false);
    see(op.source, false);
    see(op.guard, false);
    for (RowAt at : p.wide[op.wide].read) see(at, false);
    for (RowAt at : p.wide[op.wide].written) see(at, true);
}

} // namespace sim
