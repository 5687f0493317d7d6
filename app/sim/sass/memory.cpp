// Machine instructions that access memory, and those that lead elsewhere.
#include "sim/sass/lowering.h"

#include <algorithm>

namespace sim {

using ptx::Modifier;
using ptx::Modifiers;
using ptx::Opcode;
using ptx::Type;

// Where the lanes' addresses are: registers as they are, or what they come to.
RowAt Lowering::address(const Operand& o, Operation& op, bool shared) {
    op.offset = o.value + (shared ? shared_shift() : 0);
    op.address_bytes = shared ? 4 : 8;
    const bool based = o.base != Operand::none && o.base != sass::zero_register;
    const bool uniformly = o.uniform != Operand::none && o.uniform != sass::zero_register;
    if (o.scale != 1) cannot();
    if (shared) {
        const RowAt base = based ? register_row(general, o.base) : constant(0, 4);
        if (!uniformly) return base;
        const RowAt other = register_row(uniform, o.uniform);
        if (!based) return other;
        const RowAt sum = new_register(4);
        compute(What::add, Opcode::add, Type::u32, {}, {sum, 4}, {{base, 4}, {other, 4}});
        return sum;
    }
    if (uniformly || o.registers != 2) cannot();
    if (!based) return constant(0, 8);
    return joined(register_row(general, o.base), register_row(general, static_cast<uint16_t>(o.base + 1)));
}

// (p,) d, address; address, d.
void Lowering::access() {
    const bool loads = i_->kind == trace::Kind::load, shared = i_->space == trace::Space::shared,
               generic = i_->space == trace::Space::none;
    if (!only({"E", "64", "128", "U8", "S8", "U16", "S16", "CONSTANT", "EF", "EL", "LU", "EU", "NA", "LTC64B",
               "LTC128B", "LTC256B"}))
        return cannot();
    const auto is_memory = [](const Operand& o) { return o.kind == Kind::memory; };
    const auto is_data = [](const Operand& o) { return o.kind == Kind::register_; };
    const auto& all = i_->operands;
    const auto to = std::find_if(all.begin(), all.end(), is_memory);
    const auto data = std::find_if(all.begin(), all.end(), is_data);
    if (to == all.end() || data == all.end() || (i_->opcode == "LDG" && at(0).number != sass::true_predicate))
        return cannot();
    Operation where;
    const RowAt row = generic ? generic_address(*to) : address(*to, where, shared);
    if (generic) where.offset = to->value, where.address_bytes = 8;
    const auto elements = static_cast<uint8_t>(i_->bytes <= 4 ? 1 : i_->bytes / 4);
    Operation& op = append(loads ? What::load : What::store, loads ? static_cast<uint8_t>((1 << elements) - 1) : 0);
    op.address = row;
    op.offset = where.offset;
    op.address_bytes = where.address_bytes;
    op.space = shared ? Space::shared : generic ? Space::generic : Space::global;
    op.reaches_cluster = generic;
    op.bytes = std::min<uint8_t>(i_->bytes, 4);
    op.elements = elements;
    op.stores_rows = !loads;
    for (uint32_t e = 0; e < elements; ++e) {
        op.row[e] = loads ? written(*data, data->number == sass::zero_register ? 0 : e) : second_of(*data, e);
        op.width[e] = 4;
    }
    const bool sign = i_->has("S8") || i_->has("S16");
    const Type type = i_->bytes == 1   ? (sign ? Type::s8 : Type::u8)
                      : i_->bytes == 2 ? (sign ? Type::s16 : Type::u16)
                                       : Type::b32;
    Modifiers m;
    if (!generic) m.add(shared ? Modifier::shared : Modifier::global);
    if (elements > 1) m.add(elements == 4 ? Modifier::v4 : Modifier::v2);
    choose(op, {.opcode = loads ? Opcode::ld : Opcode::st, .modifiers = m, .type = type, .source_type = type});
}

// LDGSTS to, from, p: lanes whose p is false read nothing and write zeros.
void Lowering::copy_async() {
    if (!only({"E", "BYPASS", "64", "128", "EF", "EL", "LU", "EU", "NA", "LTC64B", "LTC128B", "LTC256B", "ZFILL"}))
        return cannot();
    Operation to, from;
    const RowAt shared = address(at(0), to, true), global = address(at(1), from, false);
    Operation& op = append(What::copy_async, 0);
    op.full = op.masked = sim::copy_async;
    op.space = Space::shared;
    op.bytes = i_->bytes;
    op.address = shared, op.offset = to.offset, op.address_bytes = 4;
    op.source = global, op.source_offset = from.offset;
    if (is_true(at(2))) return;
    read_predicate(op, 1, at(2));
    op.negated_predicate ^= 1 << 1; // the engine asks who ignores the source
}

void Lowering::commit_copies() {
    Operation& op = append(What::commit_copies, 0);
    op.full = op.masked = commit_async;
}

void Lowering::wait_copies() {
    if (!i_->has("LE") || at(1).kind != Kind::integer) return cannot();
    Operation& op = append(What::wait_copies, 0);
    op.full = op.masked = wait_async;
    op.detail.groups_left = static_cast<uint32_t>(at(1).value);
    if (groups_of_bulk_copies_) wait_bulk_copies();
}

// What says where lanes meet: convergence.cpp knows it; hints.
void Lowering::do_nothing() {
    Operation& op = append(What::nothing, 0);
    op.full = op.masked = no_operation;
}

// Lanes go where the guard and `o` are true; for a GPU all those execute the instruction whose guard is.
void Lowering::guard_also(const Operand& o) {
    if (is_true(o)) return;
    const RowAt both = new_register(0);
    const RowAt guard = std::exchange(guard_, no_row);
    Operation& op = append(What::bit_and, 1);
    op.row[0] = both;
    op.row[1] = guard == no_row ? constant(1, 0) : guard;
    if (guard != no_row && i_->guard_negated) op.negated_predicate |= 1 << 1;
    read_predicate(op, 2, o);
    choose(op, {.opcode = Opcode::and_, .modifiers = {}, .type = Type::pred, .source_type = Type::pred});
    guard_ = guard;
    count_here();
    guard_ = both;
}

// The instruction is counted and recorded for the lanes that its own guard lets through, whatever guards what follows.
void Lowering::count_here() {
    Operation& counted = append(What::nothing, 0);
    counted.full = counted.masked = no_operation;
    program_.effects.back().silent = false;
}

void Lowering::branch() {
    const Operand& label = i_->operands.back();
    if (!only({"U", "ANY", "DIV"}) || label.kind != Kind::label || label.base != Operand::none) return cannot();
    const RowAt own = guard_;
    guard_also(at(0));
    if (i_->has("ANY")) branch_of_any(guard_ == own && i_->guard_negated);
    if (i_->has("DIV")) branch_if_apart();
    Operation& op = append(What::nothing, 0);
    if (guard_ != own) op.guard_negated = false;
    op.full = op.masked = no_operation;
    op.flow = Flow::branch;
    op.target = static_cast<uint32_t>(label.value / sass::instruction_bytes); // until resolve()
}

void Lowering::exit() {
    if (!only({})) return cannot();
    if (!i_->operands.empty()) guard_also(at(0));
    Operation& op = append(What::nothing, 0);
    if (!i_->operands.empty() && !is_true(at(0))) op.guard_negated = false;
    op.full = op.masked = no_operation;
    op.flow = Flow::exit;
}

void Lowering::barrier() {
    if (!only({"SYNC", "DEFER_BLOCKING"}) || at(0).kind != Kind::integer) return cannot();
    Operation& op = append(What::barrier, 0);
    op.full = op.masked = no_operation;
    op.flow = Flow::barrier;
    op.detail.barrier = BarrierUse::waits;
    op.row[1] = constant(static_cast<uint64_t>(at(0).value), 4);
    op.width[1] = 4;
    if (at(1).kind == Kind::integer && at(1).value != 0)
        op.row[2] = constant(static_cast<uint64_t>(at(1).value), 4), op.width[2] = 4;
}

void Lowering::resolve() {
    first_.push_back(static_cast<uint32_t>(program_.operations.size()));
    for (Operation& op : program_.operations)
        if (op.flow == Flow::branch) op.target = first_[std::min<size_t>(op.target, first_.size() - 1)];
    draft_.meet = meeting_points();
}

} // namespace sim
