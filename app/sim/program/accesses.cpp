// What is known of all accesses of a program together.
#include "sim/program/passes.h"

#include <algorithm>

namespace sim {
namespace {

uint32_t smallest_shared_element(const Program& p, const trace::Listing& listing) {
    uint32_t least = 8;
    bool any = false;
    for (const Operation& op : p.operations) {
        const trace::Kind kind = listing.instructions[op.pc].kind;
        if (op.space != Space::shared || op.bytes == 0 || (kind != trace::Kind::load && kind != trace::Kind::store))
            continue;
        const bool matrix =
            op.what == What::load_matrix || op.what == What::store_matrix; // of halfwords, 16 bytes a row
        least = std::min<uint32_t>(least, matrix ? 2 : op.bytes);
        any = true;
    }
    return any ? least : 4;
}

bool writes_to_cluster(const Program& p, const trace::Listing& listing) {
    return std::any_of(p.operations.begin(), p.operations.end(), [&](const Operation& op) {
        const trace::Kind kind = listing.instructions[op.pc].kind;
        const bool writes = kind == trace::Kind::store || kind == trace::Kind::atomic;
        if (op.what != What::bulk_copy) return writes && op.reaches_cluster && op.space != Space::global;
        const BulkUse& use = p.bulk_copies[op.detail.number];
        return use.multicast || use.from_registers || (use.to_shared && use.from_shared);
    });
}

} // namespace

void sum_up_accesses(Assembly& a) {
    Program& p = a.program;
    p.strengths.assign(a.listing.instructions.size(), Strength::weak);
    for (const Operation& op : p.operations) p.strengths[op.pc] = std::max(p.strengths[op.pc], op.strength);
    p.writes_to_cluster = writes_to_cluster(p, a.listing);
    p.shared_element_bytes = smallest_shared_element(p, a.listing);
}

void find_blind_atomics(Assembly& a) {
    const std::vector<Operation>& operations = a.program.operations;
    Bits read((a.draft.registers.size() + 63) / 64);
    for (uint32_t n = 0; n < operations.size(); ++n)
        each_register(a.program, n, [&](uint32_t reg, bool written) {
            if (!written) set(read, reg);
        });
    std::vector<bool>& blind = a.program.blind;
    blind.assign(a.listing.instructions.size(), false);
    std::vector<bool> seeing(blind.size()); // calls expand an instruction more than once
    for (uint32_t n = 0; n < operations.size(); ++n) {
        if (operations[n].what != What::atomic) continue;
        const uint32_t pc = operations[n].pc;
        each_register(a.program, n, [&](uint32_t reg, bool written) {
            if (written && has(read, reg)) seeing[pc] = true;
        });
        blind[pc] = !seeing[pc];
    }
}

} // namespace sim
