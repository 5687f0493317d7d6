// Registers that a warpgroup's product reads and writes while it is under way: who else touches them looks first.
#include "sim/program/passes.h"

#include <map>
#include <set>

namespace sim {

// Every operation that touches a register of a product, but the products themselves.
void guard_accumulators(Assembly& a) {
    Program& p = a.program;
    std::set<uint32_t> owned; // registers
    for (uint32_t n = 0; n < p.operations.size(); ++n)
        if (p.operations[n].what == What::multiply_in_warpgroup)
            for (const auto* list : {&p.wide[p.operations[n].wide].written, &p.wide[p.operations[n].wide].read})
                for (const RowAt at : *list)
                    if (is_register(at)) owned.insert(at >> 1);
    if (owned.empty()) return;
    std::map<uint32_t, std::string> names;
    for (const NamedRow& named : p.names)
        if (owned.contains(named.at >> 1)) names[named.at >> 1] = named.name;
    for (uint32_t n = 0; n < p.operations.size(); ++n) {
        Operation& op = p.operations[n];
        if (op.what == What::multiply_in_warpgroup) continue;
        AccumulatorUse use{.full = op.full, .masked = op.masked, .registers = {}};
        const auto note = [&](RowAt at, bool written) {
            if (!is_register(at) || !owned.contains(at >> 1)) return;
            const auto name = names.find(at >> 1);
            use.registers.push_back({at, written, name == names.end() ? "a register" : name->second});
        };
        for (int slot = 0; slot < 8; ++slot) note(op.row[slot], p.effects[n].written >> slot & 1);
        for (const RowAt at : p.wide[op.wide].written) note(at, true);
        for (const RowAt at : p.wide[op.wide].read) note(at, false);
        if (use.registers.empty()) continue;
        op.full = op.masked = sim::guard_accumulators;
        p.accumulator_uses[n] = std::move(use);
    }
}

} // namespace sim
