// Which space a generic address leads to, where the program shows it: the listing then says so.
#include "sim/decoder.h"

namespace sim {
namespace {

enum : uint8_t { nowhere, to_global, to_shared, to_cluster, to_local, to_several };

uint8_t joined(uint8_t a, uint8_t b) {
    return a == nowhere ? b : b == nowhere || a == b ? a : static_cast<uint8_t>(to_several);
}

uint8_t number_of(Space s) { return s == Space::shared ? to_shared : s == Space::local ? to_local : to_global; }

bool is_register(RowAt at) { return at != no_row && !(at & 1); }

} // namespace

void Decoder::find_spaces() {
    if (generic_from.empty()) return;
    std::vector<uint8_t> leads(virtuals.width.size(), nowhere); // per virtual register, wherever it is written
    const auto& operations = program->operations;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t n = 0; n < operations.size(); ++n) {
            uint8_t to = nowhere;
            if (const auto it = generic_from.find(n); it != generic_from.end()) {
                to = number_of(it->second);
            } else {
                for (int slot = 0; slot < 8; ++slot) // sums and choices of addresses lead where their parts do
                    if (is_register(operations[n].row[slot]) && !(virtuals.written[n] >> slot & 1))
                        to = joined(to, leads[operations[n].row[slot] >> 1]);
                if (to == to_shared && virtuals.opcode[n] == ptx::Opcode::mapa) to = to_cluster;
            }
            for (int slot = 0; slot < 8; ++slot) {
                const RowAt at = operations[n].row[slot];
                if (!is_register(at) || !(virtuals.written[n] >> slot & 1) || virtuals.width[at >> 1] != 8) continue;
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
        if (to == to_shared) listing->instructions[pc].space = trace::Space::shared;
        if (to == to_cluster) listing->instructions[pc].space = trace::Space::cluster;
        if (to == to_local) listing->instructions[pc].space = trace::Space::local;
    }
}

} // namespace sim
