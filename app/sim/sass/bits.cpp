// Bit fields, dot products and packed integers.
#include "sim/sass/lowering.h"

#include <algorithm>

namespace sim {

using ptx::Modifier;
using ptx::Modifiers;
using ptx::Opcode;
using ptx::Type;

// Of one operand: POPC, BREV, IABS.
void Lowering::unary_integer() {
    const RowAt a = read(at(1)), to = written(at(0));
    if (name_ == "POPC") compute(What::compute, Opcode::popc, Type::b32, {}, {to, 4}, {{a, 4}});
    else if (name_ == "BREV") compute(What::compute, Opcode::brev, Type::b32, {}, {to, 4}, {{a, 4}});
    else compute(What::compute, Opcode::abs, Type::s32, {}, {to, 4}, {{a, 4}});
}

void Lowering::find_leading_bit() { // FLO d, p, a
    if (!only({"U32", "SH"}) || at(1).number != sass::true_predicate) return cannot();
    const RowAt a = read(at(2));
    Modifiers m;
    if (i_->has("SH")) m.add(Modifier::shiftamt);
    compute(What::compute, Opcode::bfind, i_->has("U32") ? Type::u32 : Type::s32, m, {written(at(0)), 4}, {{a, 4}});
}

// SGXT d, a, bits: the lowest bits of a, by their sign; BMSK d, position, bits.
void Lowering::bit_field() {
    if (!only({"W", "U32"})) return cannot();
    const bool extends = name_ == "SGXT";
    const RowAt a = read(at(1)), b = read(at(2));
    compute(What::compute_state, extends ? Opcode::szext : Opcode::bmsk,
            extends && !i_->has("U32") ? Type::s32 : Type::u32,
            Modifiers{}.add(i_->has("W") ? Modifier::wrap : Modifier::clamp), {written(at(0)), 4}, {{a, 4}, {b, 4}});
}

// IDP d, a, b, c: of four bytes each, or of two halves and two bytes.
void Lowering::dot_product() {
    if (!only({"4A", "2A", "LO", "HI", "U8", "S8", "U16", "S16"})) return cannot();
    std::vector<bool> signs; // of a, of b
    for (const std::string_view m : i_->modifiers)
        if (m[0] == 'U' || m[0] == 'S') signs.push_back(m[0] == 'S');
    if (signs.size() != 2) return cannot();
    const RowAt a = plain(at(1)), b = plain(at(2)), c = read(at(3));
    Operation& op = append(What::compute, 1);
    op.row[0] = written(at(0)), op.row[1] = a, op.row[2] = b, op.row[3] = c;
    for (const int n : {0, 1, 2, 3}) op.width[n] = 4;
    choose(op, {.opcode = i_->has("4A") ? Opcode::dp4a : Opcode::dp2a,
                .modifiers = Modifiers{}.add(i_->has("HI") ? Modifier::hi : Modifier::lo),
                .type = signs[0] ? Type::s32 : Type::u32,
                .source_type = signs[1] ? Type::s32 : Type::u32});
}

// VABSDIFF d, p, a, b, c: |a - b| + c.
void Lowering::absolute_difference() {
    if (!only({"U32"}) || at(1).number != sass::true_predicate) return cannot();
    const RowAt a = read(at(2)), b = read(at(3)), c = read(at(4));
    compute(What::compute, Opcode::sad, i_->has("U32") ? Type::u32 : Type::s32, {}, {written(at(0)), 4},
            {{a, 4}, {b, 4}, {c, 4}});
}

// VABSDIFF4 d, p, a, b, c: of each byte, beside each other; with .ACC their sum and c.
void Lowering::absolute_differences() {
    if (!only({"U8", "ACC"}) || at(1).number != sass::true_predicate) return cannot();
    const bool is_signed = !i_->has("U8");
    const auto bytes = [](uint8_t first) {
        ptx::Part p{.bits = 8, .count = 4};
        for (uint8_t n = 0; n < 4; ++n) p.number[n] = static_cast<uint8_t>(first + n);
        return p;
    };
    const RowAt a = read(at(2)), b = read(at(3)), c = read(at(4));
    Operation& op = append(What::compute_state, 1);
    op.full = op.masked = compute_parts;
    op.row[0] = written(at(0)), op.row[1] = a, op.row[2] = b, op.row[3] = c;
    for (const int n : {0, 1, 2, 3}) op.width[n] = 4;
    op.detail.number = static_cast<uint32_t>(program_.video_uses.size());
    program_.video_uses.push_back({.what = VideoUse::difference,
                                   .second = i_->has("ACC") ? VideoUse::adds : VideoUse::merges,
                                   .signed_a = is_signed,
                                   .signed_b = is_signed,
                                   .signed_d = is_signed,
                                   .parts = 4,
                                   .a = bytes(0),
                                   .b = bytes(4),
                                   .d = bytes(0)});
}

// UIADD3.64 d, p, q, a, b, c: of 64 bits; VIADD.16x2 d, a, b: of two halves; VIADD.ISAT: at most and at least what 32 bits hold.
void Lowering::add_packed() {
    if (i_->has("64")) {
        if (at(1).number != sass::true_predicate || at(2).number != sass::true_predicate) return cannot();
        const RowAt sum = new_register(8), a = read_pair(at(3)), b = read_pair(at(4)), c = read_pair(at(5));
        compute(What::add, Opcode::add, Type::u64, {}, {sum, 8}, {{a, 8}, {b, 8}});
        return compute_pair(What::add, Opcode::add, Type::u64, {}, at(0), {{sum, 8}, {c, 8}});
    }
    const bool saturates = i_->has("ISAT");
    if (!only({"S32", "16x2", "ISAT"}) || (saturates && i_->has("16x2")) || (!saturates && at(2).negated))
        return cannot();
    const RowAt a = read(at(1)), b = saturates ? plain(at(2)) : read(at(2));
    const Opcode opcode = at(2).negated ? Opcode::sub : Opcode::add;
    compute(at(2).negated ? What::subtract : What::add, opcode, saturates ? Type::s32 : Type::u16x2,
            saturates ? Modifiers{}.add(Modifier::sat) : Modifiers{}, {written(at(0)), 4}, {{a, 4}, {b, 4}});
}

} // namespace sim
