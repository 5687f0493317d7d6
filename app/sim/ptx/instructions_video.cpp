// Decoding of video instructions (manual, section 9.7.18).
#include "sim/ptx/ptx_row.h"

#include <algorithm>

namespace sim {
namespace {

using ptx::Modifier;
using ptx::Opcode;

VideoUse::What what_of(Opcode o) {
    using enum Opcode;
    switch (o) {
    case vsub:
    case vsub2:
    case vsub4: return VideoUse::subtract;
    case vavrg2:
    case vavrg4: return VideoUse::average;
    case vabsdiff:
    case vabsdiff2:
    case vabsdiff4: return VideoUse::difference;
    case vmin:
    case vmin2:
    case vmin4: return VideoUse::minimum;
    case vmax:
    case vmax2:
    case vmax4: return VideoUse::maximum;
    case vset:
    case vset2:
    case vset4: return VideoUse::compare;
    case vshl: return VideoUse::shift_left;
    case vshr: return VideoUse::shift_right;
    case vmad: return VideoUse::multiply_add;
    default: return VideoUse::add;
    }
}

uint8_t parts_of(const ptx::Row& row) { return row.mnemonic.ends_with('2') ? 2 : row.mnemonic.ends_with('4') ? 4 : 1; }

bool relation_of(const ptx::Modifiers& m, VideoUse::Relation& out) {
    constexpr std::pair<Modifier, VideoUse::Relation> relations[] = {
        {Modifier::eq, VideoUse::equal},   {Modifier::ne, VideoUse::unequal}, {Modifier::lt, VideoUse::less},
        {Modifier::le, VideoUse::at_most}, {Modifier::gt, VideoUse::greater}, {Modifier::ge, VideoUse::at_least}};
    for (const auto& [modifier, relation] : relations)
        if (m.has(modifier)) return out = relation, true;
    return false;
}

// The parts where none are named: a's own, b's own, all of d's.
ptx::Part all_parts(uint8_t count, uint8_t first) {
    ptx::Part p{.bits = static_cast<uint8_t>(32 / count), .count = count};
    for (uint8_t n = 0; n < count; ++n) p.number[n] = static_cast<uint8_t>(first + n);
    return p;
}

base::Sentence parts_of_operand(const ptx::Operand& o, uint8_t parts, uint8_t first, ptx::Part& out) {
    out = o.part;
    if (parts == 1)
        return out.count > 1 || (out.bits && out.number[0] >= 32 / out.bits)
                   ? base::say("one part of the register is needed")
                   : base::Sentence();
    if (out.bits == 0) out = all_parts(parts, first);
    if (out.bits != 32 / parts || out.count != parts) return base::say("the parts do not fit the instruction");
    return {};
}

// Of the result any of the parts may be written, the highest first.
base::Sentence parts_written(const ptx::Operand& o, uint8_t parts, ptx::Part& out) {
    if (parts == 1) return parts_of_operand(o, 1, 0, out);
    out = o.part.bits ? o.part : all_parts(parts, 0);
    if (out.bits != 32 / parts || out.count > parts) return base::say("the parts do not fit the instruction");
    for (int n = 0; n < out.count; ++n)
        if (out.number[n] >= parts || (n > 0 && out.number[n] <= out.number[n - 1]))
            return base::say("these parts of the result cannot be written");
    return {};
}

void read_magnitude(Operands& o, int slot, ptx::Operand operand) { // its sign is the operation's
    operand.negated = false;
    o.read(slot, operand, 4);
}

base::Sentence signs_of(const ptx::Instruction& i, VideoUse& u) {
    const bool compares = u.what == VideoUse::compare;
    if (i.types.size() != (compares ? 2u : 3u)) return base::say("the number of types is wrong");
    u.signed_d = !compares && ptx::is_signed(i.types[0]);
    u.signed_a = ptx::is_signed(i.types[compares ? 0 : 1]);
    u.signed_b = ptx::is_signed(i.types[compares ? 1 : 2]);
    return {};
}

base::Sentence product_of(const Operands& o, VideoUse& u) {
    const auto& m = o.instruction.modifiers;
    u.negates_product = o.at(1)->negated != o.at(2)->negated;
    u.negates_c = o.at(3)->negated;
    u.plus_one = m.has(Modifier::po);
    u.scale = m.has(Modifier::shr7) ? 7 : m.has(Modifier::shr15) ? 15 : 0;
    if (u.negates_c && u.negates_product) return base::say("either the product or the addend is negated");
    if (u.plus_one && (o.at(1)->negated || o.at(2)->negated || u.negates_c))
        return base::say("with .po nothing is negated");
    return {};
}

// Forms in which an H200 gives other values than the manual's text.
bool differs_on_gpus(const VideoUse& u) {
    if (u.parts != 1) return false;
    const bool may_overflow = u.what == VideoUse::add || u.what == VideoUse::subtract ||
                              u.what == VideoUse::difference || u.what == VideoUse::shift_left;
    return (u.saturates && u.d.bits) ||
           (may_overflow && (u.second == VideoUse::takes_minimum || u.second == VideoUse::takes_maximum)) ||
           (u.what == VideoUse::multiply_add && (u.saturates || u.scale));
}

} // namespace

base::Sentence decode_video(Operands& o) {
    const auto& i = o.instruction;
    const auto& m = i.modifiers;
    const ptx::Operand *d = o.at(0), *a = o.at(1), *b = o.at(2), *c = o.at(3);
    if (!d || !a || !b) return base::say("an operand is missing");
    VideoUse u{.what = what_of(i.opcode),
               .saturates = m.has(Modifier::sat),
               .wraps = m.has(Modifier::wrap),
               .parts = parts_of(ptx::row(i.opcode))};
    u.second = m.has(Modifier::add)   ? VideoUse::adds
               : m.has(Modifier::min) ? VideoUse::takes_minimum
               : m.has(Modifier::max) ? VideoUse::takes_maximum
                                      : VideoUse::merges;
    if (base::Sentence why = signs_of(i, u); !why.empty()) return why;
    if (u.what == VideoUse::compare && !relation_of(m, u.relation)) return base::say("the comparison is missing");
    if (u.what == VideoUse::multiply_add) {
        if (base::Sentence why = product_of(o, u); !why.empty()) return why;
    } else if (a->negated || b->negated || (c && c->negated)) {
        return base::say("only predicates can be negated");
    }
    for (base::Sentence why : {parts_of_operand(*a, u.parts, 0, u.a), parts_of_operand(*b, u.parts, u.parts, u.b),
                               parts_written(*d, u.parts, u.d)})
        if (!why.empty()) return why;
    if ((u.second != VideoUse::merges || u.d.bits) != (c != nullptr) && u.what != VideoUse::multiply_add)
        return base::say("the number of operands is wrong");
    if (u.second != VideoUse::merges && u.d.bits && u.parts == 1)
        return base::say("a part of the result is written, or there is a second operation");
    if (differs_on_gpus(u))
        return base::say("the engine does not execute this form, in which GPUs differ from the manual");
    o.write(0, *d, 4);
    read_magnitude(o, 1, *a);
    read_magnitude(o, 2, *b);
    if (c) read_magnitude(o, 3, *c);
    o.op.detail.number = static_cast<uint32_t>(o.decoder.program->video_uses.size());
    o.decoder.program->video_uses.push_back(u);
    o.op.full = o.op.masked = compute_parts;
    return o.error;
}

} // namespace sim
