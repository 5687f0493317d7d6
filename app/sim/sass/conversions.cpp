// Between formats of numbers: each of PTX's cvt has one of these, or one for a half of what it does.
#include "sim/sass/lowering.h"

#include <algorithm>

namespace sim {

using ptx::Modifier;
using ptx::Opcode;
using ptx::Type;

namespace {

constexpr std::pair<std::string_view, Type> types[] = {{"U8", Type::u8},   {"S8", Type::s8},     {"U16", Type::u16},
                                                       {"S16", Type::s16}, {"U32", Type::u32},   {"S32", Type::s32},
                                                       {"U64", Type::u64}, {"S64", Type::s64},   {"F16", Type::f16},
                                                       {"F32", Type::f32}, {"BF16", Type::bf16}, {"F64", Type::f64}};

bool is_number(Type t) { return ptx::is_float(t); }

uint8_t width_of(Type t) { return ptx::bytes(t) == 8 ? 8 : 4; }

} // namespace

// I2F, F2I, F2F, FRND, I2FP, I2I: d, a. What has no word in the text is S32 or F32.
void Lowering::convert() {
    const std::string_view name = name_;
    const bool from_integer = name.starts_with('I'), to_integer = name.ends_with('I');
    std::vector<Type> named;
    Conversion how{};
    for (const std::string_view m : i_->modifiers) {
        const auto* type =
            std::find_if(std::begin(types), std::end(types), [&](const auto& t) { return t.first == m; });
        if (type != std::end(types)) named.push_back(type->second);
        else if (m == "TRUNC" || m == "RZ") how.rounding = Rounding::zero;
        else if (m == "FLOOR" || m == "RM") how.rounding = Rounding::down;
        else if (m == "CEIL" || m == "RP") how.rounding = Rounding::up;
        else if (m == "FTZ") how.ftz = true;
        else if (m == "SAT") how.sat = true;
        else if (m != "NTZ") return cannot();
    }
    Type to = to_integer ? Type::s32 : Type::f32, from = from_integer ? Type::s32 : Type::f32;
    if (name == "FRND") {
        if (!named.empty()) to = from = named[0];
    } else if (name == "F2F" || name == "I2I") { // both stand in the text
        if (named.size() != 2) return cannot();
        to = named[0], from = named[1];
    } else {
        for (const Type t : named) (is_number(t) == from_integer ? to : from) = t;
    }
    how.integral = !from_integer && (to_integer || name == "FRND");
    convert_between(to, from, how);
}

void Lowering::convert_between(Type to, Type from, Conversion how) {
    const Operand& o = at(1);
    const uint8_t wide = width_of(from), result = width_of(to);
    RowAt source = wide == 8 ? is_number(from) ? read_double(o) : read_pair(o)
                             : read(o, from == Type::f32 ? Numbers::floats : Numbers::integers);
    if (!o.suffix.empty()) source = part_of(source, o.suffix);
    if (is_number(from) && from != Type::f32 && from != Type::f64 && (o.negated || o.absolute)) return cannot();
    const RowAt whole = result == 8 ? new_register(8) : written(at(0));
    Operation& op = append(What::convert, 1);
    op.row[0] = whole, op.row[1] = source;
    op.width[0] = result, op.width[1] = wide;
    op.detail.conversion = how;
    choose(op,
           {.opcode = Opcode::cvt, .modifiers = {}, .type = to, .source_type = from, .modified = how != Conversion{}});
    if (result == 8) split(whole, written(at(0)), written(at(0), 1));
}

// "B1", "H1": the byte or the half of a register, moved to its lowest bits.
RowAt Lowering::part_of(RowAt row, std::string_view suffix) {
    const uint32_t bits = suffix == "H1" ? 16 : suffix == "B1" ? 8 : suffix == "B2" ? 16 : suffix == "B3" ? 24 : 0;
    if (bits == 0) {
        cannot();
        return row;
    }
    const RowAt part = new_register(4);
    compute(What::shift_right, Opcode::shr, Type::u32, {}, {part, 4}, {{row, 4}, {constant(bits, 4), 4}});
    return part;
}

// F2FP: two floats to a pair of 16 bits, the first one the upper; one of them beside what c has; pairs of 8 bits.
void Lowering::convert_pairs() {
    if (i_->has("E4M3") || i_->has("E5M2")) return convert_eight_bits();
    Conversion how{};
    how.rounding = i_->has("RZ") ? Rounding::zero : Rounding::nearest;
    how.relu = i_->has("RELU");
    how.finite = i_->has("SATFINITE");
    if (i_->has("TF32")) return convert_between(Type::tf32, Type::f32, how);
    const bool merges = i_->has("MERGE_C");
    const Type type = i_->has("BF16") ? Type::bf16x2 : Type::f16x2;
    const RowAt upper = merges ? constant(0, 4) : read(at(1), Numbers::floats),
                lower = read(at(merges ? 1 : 2), Numbers::floats);
    const RowAt pair = merges ? new_register(4) : written(at(0));
    Operation& op = append(What::convert, 1);
    op.row[0] = pair, op.row[1] = upper, op.row[2] = lower;
    op.width[0] = op.width[1] = op.width[2] = 4;
    op.detail.conversion = how;
    choose(op, {.opcode = Opcode::cvt, .modifiers = {}, .type = type, .source_type = Type::f32, .modified = true});
    if (!merges) return;
    const RowAt c = plain(at(2));
    compute(What::compute, Opcode::prmt, Type::b32, {}, {written(at(0)), 4},
            {{pair, 4}, {c, 4}, {constant(0x7610, 4), 4}});
}

// F2FP.F16.E4M3.UNPACK_B d, a: to a pair of halves; back: .F32.PACK_AB_MERGE_C d, a, b, c and .F16.UNPACK_B_MERGE_C d, a, c.
void Lowering::convert_eight_bits() {
    if (!only({"E4M3", "E5M2", "F16", "F32", "RELU", "SATFINITE", "UNPACK_B", "PACK_AB_MERGE_C", "UNPACK_B_MERGE_C"}))
        return cannot();
    const bool to_halves = i_->has("UNPACK_B"), from_floats = i_->has("F32");
    RowAt a = plain(at(1)), b = from_floats ? plain(at(2)) : no_row;
    if (to_halves) {
        if (!at(1).suffix.empty()) a = part_of(a, at(1).suffix);
        const RowAt pair = new_register(2);
        split(a, pair, new_register(2), 2);
        a = pair;
    } else if (!is_zero(i_->operands.back())) { // beside what c has
        return cannot();
    }
    const RowAt result = to_halves ? written(at(0)) : new_register(2);
    Operation& op = append(What::convert, 1);
    op.full = op.masked = convert_float8;
    op.detail.float8 = {.e5m2 = i_->has("E5M2"),
                        .relu = i_->has("RELU"),
                        .to_halves = to_halves,
                        .from_halves = !to_halves && !from_floats};
    op.row[0] = result, op.row[1] = a, op.row[2] = b;
    op.width[0] = to_halves ? 4 : 2, op.width[1] = to_halves ? 2 : 4, op.width[2] = from_floats ? 4 : 0;
    if (to_halves) return;
    const RowAt zero = constant(0, 2);
    join(written(at(0)), result, zero, 2);
}

// I2IP d, a, b, c: a and b saturated beside each other, above them c.
void Lowering::pack_integers() {
    const bool bytes = i_->has("U8") || i_->has("S8");
    if (!only({"U8", "S8", "U16", "S16", "S32", "SAT"}) || !at(3).suffix.empty()) return cannot();
    const RowAt a = read(at(1)), b = read(at(2)), c = read(at(3));
    Operation& op = append(What::compute, 1);
    op.full = op.masked = convert_and_pack;
    op.detail.pack = {.bits = static_cast<uint8_t>(bytes ? 8 : 16), .is_signed = i_->has("S8") || i_->has("S16")};
    op.row[0] = written(at(0)), op.row[1] = a, op.row[2] = b;
    if (bytes) op.row[3] = c;
    for (uint8_t& width : op.width) width = 4;
}

// F2IP.U8 d, a, b, c: floats a and b as bytes, saturated, beside each other, above them c.
void Lowering::pack_floats() {
    if (!only({"U8", "F32", "TRUNC", "FLOOR", "CEIL", "NTZ"})) return cannot();
    Conversion how{};
    how.integral = true;
    how.rounding = i_->has("TRUNC")   ? Rounding::zero
                   : i_->has("FLOOR") ? Rounding::down
                   : i_->has("CEIL")  ? Rounding::up
                                      : Rounding::nearest;
    RowAt bytes[2];
    for (size_t n = 0; n < 2; ++n) {
        const RowAt from = read(at(1 + n), Numbers::floats);
        bytes[n] = new_register(4);
        Operation& op = append(What::convert, 1);
        op.row[0] = bytes[n], op.row[1] = from;
        op.width[0] = op.width[1] = 4;
        op.detail.conversion = how;
        choose(op,
               {.opcode = Opcode::cvt, .modifiers = {}, .type = Type::s32, .source_type = Type::f32, .modified = true});
    }
    const RowAt c = read(at(3));
    Operation& op = append(What::compute, 1);
    op.full = op.masked = convert_and_pack;
    op.detail.pack = {.bits = 8, .is_signed = false};
    op.row[0] = written(at(0)), op.row[1] = bytes[0], op.row[2] = bytes[1], op.row[3] = c;
    for (const int n : {0, 1, 2, 3}) op.width[n] = 4;
}

} // namespace sim
