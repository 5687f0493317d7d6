#include "sim/kinds/slice.h"

#include "sim/lanes/vectors.h"

namespace sim {

namespace {

// All that they do is to make a result of their operands.
bool computes(What what) { return row_of(what).made == Made::of_operands || what == What::multiply_matrices; }

// All that they do besides that is to access memory.
bool moves(What what) {
    return what == What::load || what == What::store || what == What::atomic || what == What::load_matrix ||
           what == What::store_matrix;
}

} // namespace

Slice::Slice(const Code& code, const UniformValues& uniform) : code_(code), uniform_(uniform), needed_(code.rows()) {
    bool calls = false; // of the system: what they are told lies in memory
    for (uint32_t n = 0; n < code.size(); ++n) calls |= code.what(n) == What::call;
    for (uint32_t n = 0; n < code.size(); ++n) mark_reads(n, calls || !only_makes_data(n));
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t n = code.size(); n-- > 0;)
            if (decides(n)) changed |= mark_reads(n, true);
    }
}

bool Slice::only_makes_data(uint32_t n) const {
    const What what = code_.what(n);
    if (code_.op(n).flow != Flow::next || code_.effect(n).carries) return false;
    return computes(what) || moves(what) || what == What::shuffle;
}

// Of an operation whose result decides nothing: what leads to its memory, and which lanes of a shuffle meet.
bool Slice::needs(uint32_t n, int slot) const {
    constexpr int shuffled = 2;
    return slot >= 8 || (code_.what(n) == What::shuffle && slot != shuffled);
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
        const bool global = (op.space == Space::global || op.space == Space::generic) && op.address != no_row &&
                            !uniform_.is_constant_load(n);
        Handler handler = nullptr;
        if (computes(op.what)) handler = no_operation;
        else if (global && op.what == What::load) handler = executed.vectors->reach_for_load;
        else if (global && op.what == What::store) handler = executed.vectors->reach_for_store;
        if (!handler) continue;
        Handler& full = op.tracked   ? executed.tracked[op.tracked].full
                        : op.watched ? executed.watched[op.watched].full
                                     : op.full;
        Handler& masked = op.tracked   ? executed.tracked[op.tracked].masked
                          : op.watched ? executed.watched[op.watched].masked
                                       : op.masked;
        full = handler;
        if (op.what != What::multiply_matrices) masked = handler; // that part of a warp cannot execute it is a finding
    }
}

} // namespace sim
