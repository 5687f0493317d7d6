// Which space a generic address leads to, where the program shows it: the listing then says so.
#include "sim/program/passes.h"

#include <algorithm>
#include <map>

namespace sim {
namespace {

enum : uint8_t { nowhere, to_global, to_shared, to_cluster, to_local, to_several };

uint8_t joined(uint8_t a, uint8_t b) {
    return a == nowhere ? b : b == nowhere || a == b ? a : static_cast<uint8_t>(to_several);
}

uint8_t number_of(Space s) { return s == Space::shared ? to_shared : s == Space::local ? to_local : to_global; }

} // namespace

void find_spaces(Assembly& a) {
    const auto& operations = a.program.operations;
    const auto makes_generic = [](const Operation& op) { return op.what == What::to_generic; };
    if (std::none_of(operations.begin(), operations.end(), makes_generic)) return;
    std::vector<uint8_t> leads(a.draft.registers.size(), nowhere); // per register, wherever it is written
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t n = 0; n < operations.size(); ++n) {
            const Operation& op = operations[n];
            const uint8_t written = a.program.effects[n].written;
            uint8_t to = nowhere;
            if (makes_generic(op)) {
                to = number_of(op.space);
            } else {
                for (int slot = 0; slot < 8; ++slot) // sums and choices of addresses lead where their parts do
                    if (is_register(op.row[slot]) && !(written >> slot & 1)) to = joined(to, leads[op.row[slot] >> 1]);
                if (to == to_shared && op.what == What::map_address) to = to_cluster;
            }
            for (int slot = 0; slot < 8; ++slot) {
                const RowAt at = op.row[slot];
                if (!is_register(at) || !(written >> slot & 1) || a.draft.registers[at >> 1].width != 8) continue;
                const uint8_t now = joined(leads[at >> 1], to);
                changed |= now != leads[at >> 1];
                leads[at >> 1] = now;
            }
        }
    }
    std::map<uint32_t, uint8_t> by_pc; // a function that is called from several places has several operations for it
    for (const Operation& op : operations)
        if (op.space == Space::generic && is_register(op.address))
            by_pc[op.pc] = joined(by_pc[op.pc], leads[op.address >> 1]);
    for (const auto& [pc, to] : by_pc) {
        if (to == to_shared) a.listing.instructions[pc].space = trace::Space::shared;
        if (to == to_cluster) a.listing.instructions[pc].space = trace::Space::cluster;
        if (to == to_local) a.listing.instructions[pc].space = trace::Space::local;
    }
}

} // namespace sim
