// What lanes of a warp tell each other. Those that execute the instruction take part, as on the hardware: ptxas brings them together before.
#include "sim/sass/lowering.h"

#include <algorithm>

namespace sim {

using ptx::Modifier;
using ptx::Modifiers;
using ptx::Opcode;
using ptx::Type;

// d, p, q: of the lanes that are here, whether q is true in all, in any, in all or none; d: in which. ptxas also makes it of activemask, and of
// atomics that it combines.
void Lowering::vote() {
    if (!only({"ALL", "ANY", "EQ"})) return cannot();
    Operation& op = append(What::meet, 0);
    op.full = op.masked = made_of_.meets_lanes ? vote_of_meeting_lanes : vote_of_lanes;
    if (at(0).number != sass::zero_register)
        op.row[0] = written(at(0)), op.width[0] = 4, program_.effects.back().written = 1;
    write_predicate(op, 1, at(1));
    read_predicate(op, 2, at(2));
    op.detail.number = i_->has("ALL") ? 0 : i_->has("ANY") ? 1 : 2;
}

// Who executes this: what PTX has as the mask of those that take part.
RowAt Lowering::lanes_here() {
    const RowAt mask = new_register(4);
    Operation& op = append(What::compute_state, 1);
    op.row[0] = mask, op.width[0] = 4;
    choose(op, {.opcode = Opcode::activemask, .modifiers = {}, .type = Type::b32});
    return mask;
}

void Lowering::shuffle() { // p, d, a, b, c
    static constexpr std::pair<std::string_view, Modifier> modes[] = {
        {"IDX", Modifier::idx}, {"UP", Modifier::up}, {"DOWN", Modifier::down}, {"BFLY", Modifier::bfly}};
    Modifiers how;
    for (const auto& [word, m] : modes)
        if (i_->has(word)) how.add(m);
    const RowAt a = read(at(2)), b = read(at(3)), c = read(at(4)), mask = lanes_here();
    // ptxas makes atomics one, whose result the others take from the lane that has it.
    Operation& op = append(made_of_.meets_lanes ? What::shuffle : What::hand_on, 0);
    if (at(1).number != sass::zero_register) op.row[0] = written(at(1)), program_.effects.back().written = 1;
    write_predicate(op, 1, at(0));
    op.row[2] = a, op.row[3] = b, op.row[4] = c, op.row[5] = mask;
    for (const int n : {0, 2, 3, 4, 5}) op.width[n] = 4;
    choose(op, {.opcode = Opcode::shfl_sync, .modifiers = how, .type = Type::b32});
}

void Lowering::match() { // MATCH.ANY d, a; MATCH.ALL p, d, a
    const bool all = i_->has("ALL"), wide = i_->has("U64");
    const Operand &to = at(all ? 1 : 0), &from = at(all ? 2 : 1);
    const RowAt a = wide ? read_pair(from) : read(from), mask = lanes_here();
    Operation& op = append(What::meet, 1);
    op.row[0] = written(to), op.row[2] = a, op.row[3] = mask;
    op.width[0] = op.width[3] = 4, op.width[2] = wide ? 8 : 4;
    if (all) write_predicate(op, 1, at(0));
    choose(op, {.opcode = all ? Opcode::match_all_sync : Opcode::match_any_sync,
                .modifiers = {},
                .type = wide ? Type::b64 : Type::b32});
}

void Lowering::reduce() { // d, a
    static constexpr std::pair<std::string_view, Modifier> kinds[] = {{"OR", Modifier::or_},
                                                                      {"XOR", Modifier::xor_},
                                                                      {"SUM", Modifier::add},
                                                                      {"MIN", Modifier::min},
                                                                      {"MAX", Modifier::max}};
    if (!only({"OR", "XOR", "SUM", "MIN", "MAX", "S32"})) return cannot();
    Modifier kind = Modifier::and_;
    for (const auto& [word, m] : kinds)
        if (i_->has(word)) kind = m;
    const RowAt a = read(at(1)), mask = lanes_here();
    compute(What::meet, Opcode::redux_sync, i_->has("S32") ? Type::s32 : Type::u32, Modifiers{}.add(kind),
            {written(at(0)), 4}, {{a, 4}, {mask, 4}});
}

} // namespace sim
