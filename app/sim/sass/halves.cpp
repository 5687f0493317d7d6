// Pairs of FP16 and BF16 in one register.
#include "sim/sass/lowering.h"

#include <algorithm>

namespace sim {

using ptx::Modifier;
using ptx::Modifiers;
using ptx::Opcode;
using ptx::Type;

// The pair of lanes that the suffix names: H1_H1 has the upper one twice.
RowAt Lowering::read_halves(const Operand& o) {
    RowAt row = o.kind == Kind::float16_pair ? constant(static_cast<uint64_t>(o.value), 4) : plain(o);
    const auto apply = [&](Opcode opcode, uint32_t bits) {
        const RowAt to = new_register(4);
        if (opcode == Opcode::prmt)
            compute(What::compute, opcode, Type::b32, {}, {to, 4},
                    {{row, 4}, {constant(0, 4), 4}, {constant(bits, 4), 4}});
        else compute(What::compute, opcode, Type::b32, {}, {to, 4}, {{row, 4}, {constant(bits, 4), 4}});
        row = to;
    };
    if (o.suffix == "H0_H0") apply(Opcode::prmt, 0x1010);
    else if (o.suffix == "H1_H1") apply(Opcode::prmt, 0x3232);
    else if (!o.suffix.empty()) cannot();
    if (o.absolute) apply(Opcode::and_, 0x7FFF7FFF);
    if (o.negated) apply(Opcode::xor_, 0x80008000);
    return row;
}

// One of them in the lowest bits, the one that the suffix names; what stands above it is anything.
RowAt Lowering::read_half(const Operand& o) {
    RowAt row = o.suffix.empty() ? plain(o) : part_of(plain(o), o.suffix);
    const auto apply = [&](Opcode opcode, uint32_t bits) {
        const RowAt to = new_register(4);
        compute(What::compute, opcode, Type::b32, {}, {to, 4}, {{row, 4}, {constant(bits, 4), 4}});
        row = to;
    };
    if (o.absolute) apply(Opcode::and_, 0x7FFF);
    if (o.negated) apply(Opcode::xor_, 0x8000);
    return row;
}

Type Lowering::type_of_halves() const { return i_->has("BF16_V2") ? Type::bf16x2 : Type::f16x2; }

// HADD2, HMUL2 d, a, b; HFMA2 d, a, b, c; with .F32 one float of the lower ones.
void Lowering::halves() {
    Modifiers m;
    for (const std::string_view word : i_->modifiers)
        if (word == "FTZ") m.add(Modifier::ftz);
        else if (word == "SAT") m.add(Modifier::sat);
        else if (word == "RELU") m.add(Modifier::relu);
        else if (word != "MMA" && word != "BF16_V2" && word != "F32") return cannot();
    if (i_->opcode == "HFMA2" && constant_halves()) return;
    const RowAt a = read_halves(at(1)), b = read_halves(at(2));
    const Opcode opcode = i_->opcode == "HADD2" ? Opcode::add : i_->opcode == "HMUL2" ? Opcode::mul : Opcode::fma;
    const What what = opcode == Opcode::add ? What::add : opcode == Opcode::mul ? What::multiply : What::compute;
    const RowAt to = written(at(0));
    if (i_->has("F32")) {
        if (opcode == Opcode::fma) return cannot();
        const RowAt x = widened(a), y = widened(b);
        compute(what, opcode, Type::f32, m, {to, 4}, {{x, 4}, {y, 4}});
    } else if (opcode == Opcode::fma) {
        const RowAt c = read_halves(at(3));
        compute(what, opcode, type_of_halves(), m, {to, 4}, {{a, 4}, {b, 4}, {c, 4}});
    } else {
        compute(what, opcode, type_of_halves(), m, {to, 4}, {{a, 4}, {b, 4}});
    }
}

// The lower one as a float.
RowAt Lowering::widened(RowAt pair) {
    const RowAt to = new_register(4);
    Operation& op = append(What::convert, 1);
    op.row[0] = to, op.row[1] = pair;
    op.width[0] = op.width[1] = 4;
    choose(op, {.opcode = Opcode::cvt,
                .modifiers = {},
                .type = Type::f32,
                .source_type = i_->has("BF16_V2") ? Type::bf16 : Type::f16});
    return to;
}

// ptxas writes a constant as -RZ * RZ plus a pair of halves. Their bits are the result's: neither is a NaN.
bool Lowering::constant_halves() {
    const Operand& c = at(3);
    if (!only({"MMA"}) || !is_zero(at(1)) || !is_zero(at(2)) || !at(1).negated || c.kind != Kind::float16_pair ||
        c.negated || c.absolute)
        return false;
    const auto bits = static_cast<uint32_t>(c.value);
    if ((bits & 0x7FFF) > 0x7C00 || (bits >> 16 & 0x7FFF) > 0x7C00) return false;
    compute(What::move, Opcode::mov, Type::b32, {}, {written(at(0)), 4}, {{constant(bits, 4), 4}});
    return true;
}

// HSETP2 p, q, a, b, r: p is the lower ones' result, q the upper ones'; with .H_AND p says that both hold.
// HSET2 d, a, b, r: all bits of a half, or with .BF the number one.
void Lowering::compare_halves() {
    const bool writes_predicates = i_->opcode == "HSETP2";
    const size_t first = writes_predicates ? 2 : 1;
    Modifiers how;
    if (!take_comparison(how, {"BF16_V2", "BF", "H_AND"})) return cannot();
    const Type type = type_of_halves();
    const RowAt a = read_halves(at(first)), b = read_halves(at(first + 1));
    const bool both = i_->has("H_AND");
    const RowAt low = both ? new_register(0) : no_row, high = both ? new_register(0) : no_row;
    Operation& op = append(What::compare, 0);
    if (both) {
        op.row[0] = low, op.row[1] = high;
        program_.effects.back().written = 3;
    } else if (writes_predicates) {
        write_predicate(op, 0, at(0));
        write_predicate(op, 1, at(1));
    } else {
        op.what = What::compute;
        op.row[0] = written(at(0)), op.width[0] = 4;
        program_.effects.back().written = 1;
    }
    op.row[2] = a, op.row[3] = b;
    op.width[2] = op.width[3] = 4;
    combine_with(op, at(first + 2));
    if (i_->has("BF")) op.detail.comparison.one = type == Type::bf16x2 ? Comparison::bf16 : Comparison::f16;
    choose(op, {.opcode = writes_predicates ? Opcode::setp : Opcode::set,
                .modifiers = how,
                .type = type,
                .source_type = type});
    if (!both) return;
    if (at(1).number != sass::true_predicate) return cannot();
    Operation& last = append(What::bit_and, 0);
    write_predicate(last, 0, at(0));
    last.row[1] = low, last.row[2] = high;
    choose(last, {.opcode = Opcode::and_, .modifiers = {}, .type = Type::pred, .source_type = Type::pred});
}

} // namespace sim
