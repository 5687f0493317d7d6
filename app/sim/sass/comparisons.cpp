// Comparisons, and what chooses one of two numbers.
#include "sim/sass/lowering.h"

#include <algorithm>

namespace sim {

using ptx::Modifier;
using ptx::Modifiers;
using ptx::Opcode;
using ptx::Type;

// The words of a comparison; false: the instruction has one that is neither among them nor among `others`.
bool Lowering::take_comparison(Modifiers& how, std::initializer_list<std::string_view> others) const {
    using M = Modifier;
    static constexpr std::pair<std::string_view, Modifier> orders[] = {
        {"LT", M::lt},   {"EQ", M::eq},   {"LE", M::le},   {"GT", M::gt},   {"NE", M::ne},
        {"GE", M::ge},   {"LTU", M::ltu}, {"EQU", M::equ}, {"LEU", M::leu}, {"GTU", M::gtu},
        {"NEU", M::neu}, {"GEU", M::geu}, {"NUM", M::num}, {"NAN", M::nan}, {"FTZ", M::ftz}};
    int found = 0;
    for (const std::string_view m : i_->modifiers) {
        const auto* order =
            std::find_if(std::begin(orders), std::end(orders), [&](const auto& o) { return o.first == m; });
        if (order != std::end(orders)) how.add(order->second), found += order->second != M::ftz;
        else if (m != "AND" && m != "OR" && m != "XOR" && std::find(others.begin(), others.end(), m) == others.end())
            return false;
    }
    return found == 1;
}

// .AND, .OR or .XOR of the result and a predicate.
void Lowering::combine_with(Operation& op, const Operand& p) {
    const bool alone = i_->has("AND") && is_true(p);
    op.detail.comparison = {.with = alone            ? Comparison::alone
                                    : i_->has("AND") ? Comparison::and_with
                                    : i_->has("OR")  ? Comparison::or_with
                                                     : Comparison::xor_with,
                            .one = Comparison::all_bits};
    if (!alone) read_predicate(op, 4, p);
}

// p, q, a, b, predicate that they are combined with.
void Lowering::compare() {
    if (i_->has("EX")) return compare_upper_halves();
    if (name_ == "DSETP" && (i_->has("MIN") || i_->has("MAX"))) return choose_extreme_double();
    Modifiers how;
    if (!take_comparison(how, {"U32", "U64", "S64"})) return cannot();
    const Type type = name_ == "DSETP"   ? Type::f64
                      : name_ == "FSETP" ? Type::f32
                      : i_->has("U64")   ? Type::u64
                      : i_->has("S64")   ? Type::s64
                      : i_->has("U32")   ? Type::u32
                                         : Type::s32;
    const auto width = static_cast<uint8_t>(ptx::bytes(type));
    const auto term = [&](const Operand& o) {
        if (width == 8) return type == Type::f64 ? read_double(o) : read_pair(o);
        return read(o, type == Type::f32 ? Numbers::floats : Numbers::integers);
    };
    const RowAt a = term(at(2)), b = term(at(3));
    Operation& op = append(What::compare, 0);
    write_predicate(op, 0, at(0));
    write_predicate(op, 1, at(1));
    op.row[2] = a, op.row[3] = b;
    op.width[2] = op.width[3] = width;
    combine_with(op, at(4));
    choose(op, {.opcode = Opcode::setp, .modifiers = how, .type = type, .source_type = type});
}

// The upper halves of 64 bits: p, q, a, b, predicate that they are combined with, and what the lower halves gave, which decides where the upper ones
// are equal.
void Lowering::compare_upper_halves() {
    Modifiers how;
    if (!take_comparison(how, {"U32", "EX"})) return cannot();
    const Type type = i_->has("U32") ? Type::u32 : Type::s32;
    const bool less = i_->has("LT") || i_->has("LE"), greater = i_->has("GT") || i_->has("GE");
    const RowAt a = read(at(2)), b = read(at(3)), differs = new_register(0), same = new_register(0);
    const auto test = [&](RowAt to, Modifier m, const Operand* and_also) {
        Operation& op = append(What::compare, 1);
        op.row[0] = to, op.row[2] = a, op.row[3] = b;
        op.width[2] = op.width[3] = 4;
        op.detail.comparison = {.with = and_also ? Comparison::and_with : Comparison::alone,
                                .one = Comparison::all_bits};
        if (and_also) read_predicate(op, 4, *and_also);
        choose(op, {.opcode = Opcode::setp, .modifiers = Modifiers{}.add(m), .type = type, .source_type = type});
    };
    const bool decides = less || greater || i_->has("NE"); // the upper halves alone, where they are not equal
    if (decides) test(differs, less ? Modifier::lt : greater ? Modifier::gt : Modifier::ne, nullptr);
    test(same, Modifier::eq, &at(5));
    Operation& op = append(What::compute, 0);
    op.full = op.masked = combine_predicates;
    write_predicate(op, 0, at(0));
    write_predicate(op, 1, at(1));
    op.row[2] = decides ? differs : constant(0, 0), op.row[3] = same;
    op.width[2] = op.width[3] = 0;
    read_predicate(op, 4, at(4));
    // Tables of (differs or same) with the last predicate, of its opposite above them.
    op.detail.number = i_->has("AND") ? 0x02A8 : i_->has("OR") ? 0xABFE : 0xA956;
}

// DSETP.MIN, DSETP.MAX p, q, a, b: whether it is a, and whether both are NaNs.
void Lowering::choose_extreme_double() {
    if (!only({"MIN", "MAX", "AND"}) || !is_true(at(4))) return cannot();
    const RowAt a = read_double(at(2)), b = read_double(at(3));
    Operation& op = append(What::compute, 0);
    op.full = op.masked = i_->has("MIN") ? is_least : is_greatest;
    write_predicate(op, 0, at(0));
    write_predicate(op, 1, at(1));
    op.row[2] = a, op.row[3] = b;
    op.width[2] = op.width[3] = 8;
}

// FSET d, a, b, p: all bits, or with .BF the number one.
void Lowering::set_by_comparison() {
    Modifiers how;
    if (!take_comparison(how, {"BF"})) return cannot();
    const RowAt a = read(at(1), Numbers::floats), b = read(at(2), Numbers::floats);
    Operation& op = append(What::compute, 1);
    op.row[0] = written(at(0)), op.row[2] = a, op.row[3] = b;
    op.width[0] = op.width[2] = op.width[3] = 4;
    if (i_->operands.size() > 3) combine_with(op, at(3));
    if (i_->has("BF")) op.detail.comparison.one = Comparison::f32;
    choose(op, {.opcode = Opcode::set, .modifiers = how, .type = Type::f32, .source_type = Type::f32});
}

void Lowering::select() { // d, a, b, p
    if (!only({"64"})) return cannot();
    const Numbers numbers = name_ == "FSEL" ? Numbers::floats : Numbers::integers;
    const bool wide = i_->has("64");
    const uint8_t width = wide ? 8 : 4;
    const RowAt a = wide ? read_pair(at(1)) : read(at(1), numbers), b = wide ? read_pair(at(2)) : read(at(2), numbers),
                p = predicate(at(3)), to = wide ? new_register(8) : written(at(0));
    Operation& op = compute(What::select, Opcode::selp, wide ? Type::b64 : Type::b32, {}, {to, width},
                            {{a, width}, {b, width}, {p, 0}});
    if (at(3).negated) op.negated_predicate = 1 << 3;
    if (wide) split(to, written(at(0)), written(at(0), 1));
}

// The smaller one of a and b where the last operand, a constant predicate, is true. d, a, b, p; of VIMNMX two predicates behind d, which are not
// executed; of VIMNMX3 a, b and c.
void Lowering::extreme() {
    if (i_->has("U64") || i_->has("S64")) return extreme_of_pairs();
    const bool halves = name_ == "HMNMX2", is_float = name_ == "FMNMX", three = name_ == "VIMNMX3";
    const size_t first = name_ == "VIMNMX" && !(i_->traits & sass::uniform) ? 3 : 1;
    const Operand& p = i_->operands.back();
    if (!(is_float ? only({"FTZ", "NAN", "XORSIGN"})
          : halves ? only({"FTZ", "NAN", "XORSIGN", "BF16_V2"})
                   : only({"U32", "S32", "U16x2", "S16x2", "RELU"})) ||
        (!is_true(p) && !is_false(p)))
        return cannot();
    if (first == 3 && (at(1).number != sass::true_predicate || at(2).number != sass::true_predicate)) return cannot();
    Modifiers m;
    if (i_->has("FTZ")) m.add(Modifier::ftz);
    if (i_->has("NAN")) m.add(Modifier::nan_prop);
    if (i_->has("XORSIGN")) m.add(Modifier::xorsign);
    const auto term = [&](size_t n) {
        Operand o = at(n);
        if (i_->has("XORSIGN")) o.absolute = false; // the handler takes magnitudes, and the sign of both
        return halves ? read_halves(o) : read(o, is_float ? Numbers::floats : Numbers::integers);
    };
    const Type type = halves ? type_of_halves() : is_float ? Type::f32 : integers_of_extreme();
    const RowAt x = term(first), y = term(first + 1), z = three ? term(first + 2) : no_row;
    take_extreme(type, m, is_true(p), x, y, z);
}

// IMNMX.U64 p, q, d, a, b, r, s: the smaller one where r is true.
void Lowering::extreme_of_pairs() {
    if (!is_true(at(0)) || !is_true(at(1)) || (!is_true(at(5)) && !is_false(at(5))) || !is_false(at(6)))
        return cannot();
    const bool least = is_true(at(5));
    const RowAt a = read_pair(at(3)), b = read_pair(at(4));
    compute_pair(least ? What::minimum : What::maximum, least ? Opcode::min : Opcode::max,
                 i_->has("U64") ? Type::u64 : Type::s64, {}, at(2), {{a, 8}, {b, 8}});
}

Type Lowering::integers_of_extreme() const {
    return i_->has("U16x2") ? Type::u16x2 : i_->has("S16x2") ? Type::s16x2 : i_->has("U32") ? Type::u32 : Type::s32;
}

// Of x and y, and of z where there is one; not less than 0 with .RELU.
void Lowering::take_extreme(Type type, Modifiers m, bool least, RowAt x, RowAt y, RowAt z) {
    const What what = least ? What::minimum : What::maximum;
    const Opcode opcode = least ? Opcode::min : Opcode::max;
    if (z != no_row) {
        const RowAt of_two = new_register(4);
        compute(what, opcode, type, m, {of_two, 4}, {{x, 4}, {y, 4}});
        x = of_two, y = z;
    }
    if (i_->has("RELU")) m.add(Modifier::relu);
    compute(what, opcode, type, m, {written(at(0)), 4}, {{x, 4}, {y, 4}});
}

// d, a, b, c, p: the smaller one of a + b and c where p is true.
void Lowering::extreme_of_sum() {
    if (!only({"U32", "S32", "U16x2", "S16x2", "RELU"}) || (!is_true(at(4)) && !is_false(at(4)))) return cannot();
    const Type type = integers_of_extreme();
    const bool halves = type == Type::u16x2 || type == Type::s16x2;
    if (halves && at(2).negated) return cannot();
    const RowAt sum = new_register(4), a = plain(at(1)), b = read(at(2)), c = read(at(3));
    compute(What::add, Opcode::add, halves ? type : Type::u32, {}, {sum, 4}, {{a, 4}, {b, 4}});
    take_extreme(type, {}, is_true(at(4)), sum, c, no_row);
}

} // namespace sim
