// Machine instructions that access memory, and those that lead elsewhere.
#include "sim/program/flow.h"
#include "sim/sass/lowering.h"

#include <algorithm>

namespace sim {

using ptx::Modifier;
using ptx::Modifiers;
using ptx::Opcode;
using ptx::Type;

// Where the lanes' addresses are: registers as they are, or what they come to. `op` says in which space, and gets the rest; `by_halves`: an
// address of 64 bits may stay in two registers.
RowAt Lowering::address(const Operand& o, Operation& op, bool by_halves) {
    const bool narrow = op.space == Space::shared || op.space == Space::local;
    op.offset = o.value + (op.space == Space::shared ? shared_shift() : 0);
    op.address_bytes = narrow ? 4 : 8;
    if (o.scale != 1 && !narrow) cannot();
    if (op.space == Space::generic) return generic_address(o);
    const bool based = o.base != Operand::none && o.base != sass::zero_register;
    const bool uniformly = o.uniform != Operand::none && o.uniform != sass::zero_register;
    const auto half = [&](File file, uint16_t number, uint16_t n) {
        return register_row(file, static_cast<uint16_t>(number + n));
    };
    if (by_halves && !narrow && based != uniformly) {
        const File file = based ? general : uniform;
        const uint16_t number = based ? o.base : o.uniform;
        op.address_upper = based && o.registers != 2 ? constant(0, 4) : half(file, number, 1);
        return half(file, number, 0);
    }
    const uint8_t width = narrow ? 4 : 8;
    RowAt base = no_row, other = no_row;
    if (based) {
        base = half(general, o.base, 0);
        if (o.scale != 1) {
            const RowAt scaled = new_register(4);
            compute(What::multiply, Opcode::mul, Type::u32, Modifiers{}.add(Modifier::lo), {scaled, 4},
                    {{base, 4}, {constant(o.scale, 4), 4}});
            base = scaled;
        }
        if (!narrow) base = joined(base, o.registers == 2 ? half(general, o.base, 1) : constant(0, 4));
    }
    if (uniformly) {
        other = half(uniform, o.uniform, 0);
        if (!narrow) other = joined(other, half(uniform, o.uniform, 1));
    }
    RowAt row = based ? base : uniformly ? other : constant(0, width);
    if (based && uniformly) {
        row = new_register(width);
        compute(What::add, Opcode::add, narrow ? Type::u32 : Type::u64, {}, {row, width},
                {{base, width}, {other, width}});
    }
    return row;
}

Space Lowering::space_of_access() const {
    return i_->space == trace::Space::shared   ? Space::shared
           : i_->space == trace::Space::global ? Space::global
           : i_->space == trace::Space::local  ? Space::local
                                               : Space::generic;
}

// (p,) d, address; address, d.
void Lowering::access() {
    const bool loads = i_->kind == trace::Kind::load;
    if (!only({"E",   "64",  "128", "U8",      "S8",     "U16",     "S16",     "CONSTANT", "EF",
               "EL",  "LU",  "EU",  "NA",      "LTC64B", "LTC128B", "LTC256B", "STRONG",   "SM",
               "GPU", "SYS", "CTA", "PRIVATE", "MMIO",   "VC",      "U"}))
        return cannot();
    const auto is_memory = [](const Operand& o) { return o.kind == Kind::memory; };
    const auto is_data = [](const Operand& o) { return o.kind == Kind::register_; };
    const auto& all = i_->operands;
    const auto to = std::find_if(all.begin(), all.end(), is_memory);
    const auto data = std::find_if(all.begin(), all.end(), is_data);
    if (to == all.end() || data == all.end() || (at(0).kind == Kind::predicate && !is_true(at(0)))) return cannot();
    Operation where;
    where.space = space_of_access();
    const RowAt row = address(*to, where, true);
    move_elements(where, row, *data, loads);
    Operation& op = program_.operations.back();
    op.strength = made_of_.strength != Strength::weak ? made_of_.strength
                  : i_->has("STRONG")                 ? Strength::atomic
                                                      : Strength::weak;
    op.reaches_cluster = op.space == Space::generic;
}

// Registers from `data` on, by words or by less than one, from or to the place that `where` and `row` say.
void Lowering::move_elements(const Operation& where, RowAt row, const Operand& data, bool loads) {
    const auto elements = static_cast<uint8_t>(i_->bytes <= 4 ? 1 : i_->bytes / 4);
    Operation& op = append(loads ? What::load : What::store, loads ? static_cast<uint8_t>((1 << elements) - 1) : 0);
    op.address = row;
    op.address_upper = where.address_upper;
    op.offset = where.offset, op.address_bytes = where.address_bytes, op.space = where.space;
    op.bytes = std::min<uint8_t>(i_->bytes, 4);
    op.elements = elements;
    op.stores_rows = !loads;
    for (uint32_t e = 0; e < elements; ++e) {
        op.row[e] = loads ? written(data, data.number == sass::zero_register ? 0 : e) : second_of(data, e);
        op.width[e] = 4;
    }
    const bool sign = i_->has("S8") || i_->has("S16");
    const Type type = i_->bytes == 1   ? (sign ? Type::s8 : Type::u8)
                      : i_->bytes == 2 ? (sign ? Type::s16 : Type::u16)
                                       : Type::b32;
    Modifiers m;
    if (op.space != Space::generic)
        m.add(op.space == Space::shared  ? Modifier::shared
              : op.space == Space::local ? Modifier::local
                                         : Modifier::global);
    if (elements > 1) m.add(elements == 4 ? Modifier::v4 : Modifier::v2);
    choose(op, {.opcode = loads ? Opcode::ld : Opcode::st, .modifiers = m, .type = type, .source_type = type});
}

// LDC, ULDC d, c[bank][index + n]: a constant where nothing is added and whole words are read, else a load.
void Lowering::load_constant() {
    const Operand &to = at(0), &from = at(1);
    if (!only({"64", "128", "U8", "S8", "U16", "S16"})) return cannot();
    const bool indexed = from.base != Operand::none && from.base != sass::zero_register,
               uniformly = from.uniform != Operand::none && from.uniform != sass::zero_register;
    if (!indexed && !uniformly && i_->bytes >= 4) {
        Operand part = from;
        for (uint32_t n = 0; n < to.registers && to.registers > 1; n += 2, part.value += 8)
            split(bank(part, 8), written(to, n), written(to, n + 1));
        if (to.registers > 1) return;
        return (void)compute(What::move, Opcode::mov, Type::b32, {}, {written(to), 4}, {{bank(from, 4), 4}});
    }
    const auto window = bank_window(from.number);
    if (!window) return cannot();
    const RowAt index = indexed     ? register_row(general, from.base)
                        : uniformly ? register_row(uniform, from.uniform)
                                    : constant(0, 4);
    Operation where;
    where.space = Space::generic;
    where.address_bytes = 8;
    where.offset = static_cast<int64_t>(*window) + from.value;
    move_elements(where, joined(index, constant(0, 4)), to, true);
}

// LDGSTS to, from, p: lanes whose p is false read nothing and write zeros. Of .ZFILL the lowest bits of `from` say how many bytes at the end
// are not read, and are zeros.
void Lowering::copy_async() {
    if (!only({"E", "BYPASS", "64", "128", "EF", "EL", "LU", "EU", "NA", "LTC64B", "LTC128B", "LTC256B", "ZFILL"}))
        return cannot();
    Operation to, from;
    to.space = Space::shared, from.space = Space::global;
    const RowAt shared = address(at(0), to);
    RowAt global = address(at(1), from), copied = no_row;
    if (i_->has("ZFILL")) {
        const uint64_t within = i_->bytes - 1u;
        const RowAt whole = new_register(8), start = new_register(8), low = new_register(4), high = new_register(4),
                    zeros = new_register(4);
        compute(What::add, Opcode::add, Type::u64, {}, {whole, 8},
                {{global, 8}, {constant(static_cast<uint64_t>(from.offset), 8), 8}});
        compute(What::bit_and, Opcode::and_, Type::b64, {}, {start, 8}, {{whole, 8}, {constant(~within, 8), 8}});
        split(whole, low, high);
        compute(What::bit_and, Opcode::and_, Type::b32, {}, {zeros, 4}, {{low, 4}, {constant(within, 4), 4}});
        copied = new_register(4);
        compute(What::subtract, Opcode::sub, Type::u32, {}, {copied, 4}, {{constant(i_->bytes, 4), 4}, {zeros, 4}});
        global = start, from.offset = 0;
    }
    Operation& op = append(What::copy_async, 0);
    op.full = op.masked = sim::copy_async;
    op.space = Space::shared;
    op.bytes = i_->bytes;
    op.address = shared, op.offset = to.offset, op.address_bytes = 4;
    op.source = global, op.source_offset = from.offset;
    if (copied != no_row) op.row[0] = copied, op.width[0] = 4;
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
    const Guard own = guard_;
    narrow_guard(predicate(o), o.negated);
    const Guard both = std::exchange(guard_, own);
    count_here();
    guard_ = both;
}

// The guard of what follows is what it was and `p`, in a register of its own.
void Lowering::narrow_guard(RowAt p, bool negated) {
    const RowAt both = new_register(0);
    const Guard guard = std::exchange(guard_, {});
    Operation& op = append(What::bit_and, 1);
    op.row[0] = both;
    op.row[1] = guard.row == no_row ? constant(1, 0) : guard.row;
    op.row[2] = p;
    op.width[2] = 0;
    if (guard.negated) op.negated_predicate |= 1 << 1;
    if (negated) op.negated_predicate |= 1 << 2;
    choose(op, {.opcode = Opcode::and_, .modifiers = {}, .type = Type::pred, .source_type = Type::pred});
    guard_ = {both, false};
}

// The instruction is counted and recorded for the lanes that its own guard lets through, whatever guards what follows.
void Lowering::count_here() {
    Operation& counted = append(What::nothing, 0);
    counted.full = counted.masked = no_operation;
    program_.effects.back().silent = false;
}

void Lowering::branch() {
    const Operand& label = i_->operands.back();
    if (!only({"U", "ANY", "DIV", "CONV"}) || label.kind != Kind::label || label.base != Operand::none) return cannot();
    guard_also(at(0));
    if (i_->has("ANY")) branch_of_any();
    if (i_->has("DIV") || i_->has("CONV")) branch_by_place();
    Operation& op = append(What::nothing, 0);
    op.full = op.masked = no_operation;
    op.flow = Flow::branch;
    op.target = static_cast<uint32_t>(label.value / sass::instruction_bytes); // until resolve()
}

void Lowering::exit() {
    if (!only({})) return cannot();
    if (!i_->operands.empty()) guard_also(at(0));
    Operation& op = append(What::nothing, 0);
    op.full = op.masked = no_operation;
    op.flow = Flow::exit;
}

// BAR number, threads; of .RED a predicate, whose answer B2R reads. Where both are registers, the threads are in the upper half of theirs:
// ptxas packs the two into one register, and names it twice.
void Lowering::barrier() {
    if (!only({"SYNC", "ARV", "RED", "POPC", "AND", "OR", "DEFER_BLOCKING"})) return cannot();
    const bool reduces = i_->has("RED"), counts = i_->has("POPC");
    const auto number = [&](size_t n) {
        const Operand& o = at(n);
        return o.kind == Kind::integer ? constant(static_cast<uint64_t>(o.value), 4) : plain(o);
    };
    const bool all = at(1).kind == Kind::integer ? at(1).value == 0 : at(1).number == sass::zero_register;
    const RowAt barrier = number(0);
    RowAt threads = all ? no_row : number(1);
    if (!all && at(0).kind != Kind::integer && at(1).kind != Kind::integer) {
        threads = new_register(4);
        compute(What::shift_right, Opcode::shr, Type::u32, {}, {threads, 4}, {{number(1), 4}, {constant(16, 4), 4}});
    }
    if (barrier_count_ == no_row && reduces) barrier_count_ = new_register(4), barrier_answer_ = new_register(0);
    Operation& op = append(What::barrier, reduces ? 1 : 0);
    op.full = op.masked = is_register(barrier) || is_register(threads) ? tell_barrier : no_operation;
    op.flow = Flow::barrier;
    op.detail.barrier = counts           ? BarrierUse::counts
                        : i_->has("AND") ? BarrierUse::asks_all
                        : i_->has("OR")  ? BarrierUse::asks_any
                        : i_->has("ARV") ? BarrierUse::arrives
                                         : BarrierUse::waits;
    op.row[1] = barrier, op.width[1] = 4;
    op.row[2] = threads, op.width[2] = 4;
    if (!reduces) return;
    op.row[0] = counts ? barrier_count_ : barrier_answer_, op.width[0] = counts ? 4 : 0;
    read_predicate(op, 3, i_->operands.back());
}

void Lowering::read_result_of_barrier() { // B2R.RESULT d, p
    if (!only({"RESULT"}) || barrier_count_ == no_row) return cannot();
    if (at(0).number != sass::zero_register)
        compute(What::move, Opcode::mov, Type::b32, {}, {written(at(0)), 4}, {{barrier_count_, 4}});
    if (i_->operands.size() < 2 || at(1).number == sass::true_predicate) return;
    Operation& op = append(What::move, 0);
    write_predicate(op, 0, at(1));
    op.row[1] = barrier_answer_;
    choose(op, {.opcode = Opcode::mov, .modifiers = {}, .type = Type::pred, .source_type = Type::pred});
}

void Lowering::resolve() {
    first_.push_back(static_cast<uint32_t>(program_.operations.size()));
    for (Operation& op : program_.operations)
        if (op.flow == Flow::branch) op.target = first_[std::min<size_t>(op.target, first_.size() - 1)];
    resolve_returns();
    find_meeting_points();
}

} // namespace sim
