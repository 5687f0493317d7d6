// Predicates: their logic, and between them and registers.
#include "sim/sass/lowering.h"

#include <algorithm>

namespace sim {

using ptx::Modifier;
using ptx::Modifiers;
using ptx::Opcode;
using ptx::Type;

void Lowering::predicate_logic() {
    if (!only({"LUT"}) || i_->operands.size() != 7 || at(5).kind != Kind::integer) return cannot();
    RowAt signs[3] = {no_row, no_row, no_row};
    for (size_t n = 0; n < 3; ++n)
        if (at(2 + n).suffix == "SIGN") signs[n] = sign_of(at(2 + n));
    Operation& op = append(What::compute, 0);
    op.full = op.masked = combine_predicates;
    write_predicate(op, 0, at(0));
    write_predicate(op, 1, at(1));
    for (int n = 0; n < 3; ++n) {
        if (signs[n] != no_row) op.row[2 + n] = signs[n];
        else read_predicate(op, 2 + n, at(static_cast<size_t>(2 + n)));
        if (op.row[0] != no_row && op.row[0] == op.row[2 + n]) op.what = What::merge;
    }
    op.detail.number = static_cast<uint32_t>(at(5).value & 0xFF) | static_cast<uint32_t>(at(6).value & 0xFF) << 8;
}

// Whether a register holds a negative number.
RowAt Lowering::sign_of(const Operand& o) {
    const RowAt negative = new_register(0), a = plain(o);
    Operation& op = append(What::compare, 1);
    op.row[0] = negative, op.row[2] = a, op.row[3] = constant(0, 4);
    op.width[2] = op.width[3] = 4;
    choose(op, {.opcode = Opcode::setp,
                .modifiers = Modifiers{}.add(Modifier::lt),
                .type = Type::s32,
                .source_type = Type::s32});
    return negative;
}

namespace {

uint32_t place_of_byte(std::string_view suffix) {
    return suffix == "B1" ? 8 : suffix == "B2" ? 16 : suffix == "B3" ? 24 : 0;
}

} // namespace

// d, PR, a, mask: bits of the mask are predicates, the others those of a.
void Lowering::gather_predicates() {
    if (!only({"B1", "B2", "B3"}) || at(3).kind != Kind::integer) return cannot();
    const uint32_t place = place_of_byte(i_->modifiers.empty() ? "" : i_->modifiers[0]);
    const uint32_t mask = (static_cast<uint32_t>(at(3).value) & 0x7F) << place;
    RowAt bits = new_register(4);
    compute(What::bit_and, Opcode::and_, Type::b32, {}, {bits, 4}, {{plain(at(2)), 4}, {constant(~mask, 4), 4}});
    for (uint16_t n = 0; n < sass::true_predicate; ++n) {
        if (!(mask >> (place + n) & 1)) continue;
        const RowAt one = new_register(4), more = new_register(4);
        compute(What::select, Opcode::selp, Type::b32, {}, {one, 4},
                {{constant(1u << (place + n), 4), 4}, {constant(0, 4), 4}, {register_row(file_of_predicates(), n), 0}});
        compute(What::bit_or, Opcode::or_, Type::b32, {}, {more, 4}, {{bits, 4}, {one, 4}});
        bits = more;
    }
    compute(What::move, Opcode::mov, Type::b32, {}, {written(at(0)), 4}, {{bits, 4}});
}

// PR, a, mask: predicates of the mask are bits of a. UPR, a: all of them.
void Lowering::spread_predicates() {
    const bool all = i_->operands.size() == 2;
    if (!only({}) || (!all && at(2).kind != Kind::integer)) return cannot();
    const uint32_t place = place_of_byte(at(1).suffix);
    const RowAt a = plain(at(1));
    if (guard_.row != no_row) narrow_guard(constant(1, 0), false); // it may be one of those that are written
    bool any = false;
    for (uint16_t n = 0; n < sass::true_predicate; ++n) {
        if (!all && !(at(2).value >> n & 1)) continue;
        any = true;
        const RowAt bit = new_register(4);
        compute(What::bit_and, Opcode::and_, Type::b32, {}, {bit, 4}, {{a, 4}, {constant(1u << (place + n), 4), 4}});
        Operation& op = append(What::compare, 1);
        op.row[0] = register_row(file_of_predicates(), n);
        op.row[2] = bit, op.row[3] = constant(0, 4);
        op.width[2] = op.width[3] = 4;
        choose(op, {.opcode = Opcode::setp,
                    .modifiers = Modifiers{}.add(Modifier::ne),
                    .type = Type::u32,
                    .source_type = Type::u32});
    }
    if (!any) cannot();
}

} // namespace sim
