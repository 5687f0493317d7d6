#include "sim/slice.h"

#include "sim/vectors.h"

namespace sim {

using ptx::Modifier;
using ptx::Opcode;

namespace {

// All that they do is to make a result of their operands.
bool computes(Opcode o) {
    using enum Opcode;
    switch (o) {
    case mov:
    case cvt:
    case cvt_pack:
    case add:
    case sub:
    case mul:
    case mad:
    case mul24:
    case mad24:
    case min:
    case max:
    case neg:
    case abs:
    case and_:
    case or_:
    case xor_:
    case not_:
    case cnot:
    case shl:
    case shr:
    case shf:
    case bfe:
    case bfi:
    case lop3:
    case prmt:
    case selp:
    case slct:
    case setp:
    case set:
    case div:
    case rem:
    case popc:
    case clz:
    case bfind:
    case brev:
    case sad:
    case dp4a:
    case dp2a:
    case fma:
    case rcp:
    case sqrt:
    case rsqrt:
    case sin:
    case cos:
    case lg2:
    case ex2:
    case tanh:
    case copysign:
    case testp:
    case mma_sync: return true;
    default: return false;
    }
}

// All that they do besides that is to access memory.
bool moves(Opcode o) {
    using enum Opcode;
    return o == ld || o == ldu || o == st || o == atom || o == red || o == ldmatrix_sync || o == stmatrix_sync;
}

} // namespace

Slice::Slice(const Code& code, const UniformValues& uniform) : code_(code), uniform_(uniform), needed_(code.rows()) {
    bool calls = false; // of the system: what they are told lies in memory
    for (uint32_t n = 0; n < code.size(); ++n) calls |= code.statement(n).opcode == Opcode::call;
    for (uint32_t n = 0; n < code.size(); ++n) mark_reads(n, calls || !only_makes_data(n));
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t n = code.size(); n-- > 0;)
            if (decides(n)) changed |= mark_reads(n, true);
    }
}

bool Slice::only_makes_data(uint32_t n) const {
    const Opcode opcode = code_.statement(n).opcode;
    if (code_.op(n).flow != Flow::next || code_.instruction(n).modifiers.has(Modifier::cc) ||
        code_.handler(n) == read_clock)
        return false;
    return computes(opcode) || moves(opcode) || opcode == Opcode::shfl_sync;
}

// Of an operation whose result decides nothing: what leads to its memory, and which lanes of a shuffle meet.
bool Slice::needs(uint32_t n, int slot) const {
    constexpr int shuffled = 2;
    return slot >= 8 || (code_.statement(n).opcode == Opcode::shfl_sync && slot != shuffled);
}

bool Slice::mark(RowAt row) {
    if (!Code::is_register(row) || needed_[row / Code::unit]) return false;
    return needed_[row / Code::unit] = true;
}

bool Slice::mark_reads(uint32_t n, bool all) {
    bool changed = false;
    for (int slot = 0; slot < Code::slots; ++slot)
        if ((all || needs(n, slot)) && (slot >= 8 || !code_.writes(n, slot))) changed |= mark(code_.row(n, slot));
    if (all)
        for (const RowAt row : code_.p.wide[code_.op(n).wide].read) changed |= mark(row);
    return changed;
}

bool Slice::decides(uint32_t n) const {
    const auto needed = [&](RowAt row) { return Code::is_register(row) && needed_[row / Code::unit]; };
    for (int slot = 0; slot < 8; ++slot)
        if (code_.writes(n, slot) && needed(code_.op(n).row[slot])) return true;
    const auto& wide = code_.p.wide[code_.op(n).wide].written;
    return std::any_of(wide.begin(), wide.end(), needed);
}

void Slice::apply(Program& executed) const {
    for (uint32_t n = 0; n < code_.size(); ++n) {
        if (!only_makes_data(n) || decides(n)) continue;
        Operation& op = executed.operations[n];
        const Opcode opcode = code_.statement(n).opcode;
        const bool global = (op.space == Space::global || op.space == Space::generic) && op.address != no_row &&
                            !uniform_.is_constant_load(n);
        Handler handler = nullptr;
        if (computes(opcode)) handler = no_operation;
        else if (global && (opcode == Opcode::ld || opcode == Opcode::ldu)) handler = executed.vectors->reach_for_load;
        else if (global && opcode == Opcode::st) handler = executed.vectors->reach_for_store;
        if (!handler) continue;
        Handler& full = op.tracked   ? executed.tracked[op.tracked].full
                        : op.watched ? executed.watched[op.watched].full
                                     : op.full;
        Handler& masked = op.tracked   ? executed.tracked[op.tracked].masked
                          : op.watched ? executed.watched[op.watched].masked
                                       : op.masked;
        full = handler;
        if (opcode != Opcode::mma_sync) masked = handler; // that part of a warp cannot execute it is a finding
    }
}

} // namespace sim
