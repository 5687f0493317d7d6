// Numbers of 64 bits, in two registers each, and the approximations that ptxas refines to IEEE's results.
#include "sim/sass/lowering.h"

#include <algorithm>

namespace sim {

using ptx::Modifier;
using ptx::Modifiers;
using ptx::Opcode;
using ptx::Type;

RowAt Lowering::read_double(const Operand& o) {
    RowAt row = no_row;
    if (o.kind == Kind::float64) row = constant(static_cast<uint64_t>(o.value) << 32, 8);
    else if (o.kind == Kind::constant) row = bank(o, 8);
    else row = joined(plain(o), second_of(o, 1));
    constexpr uint64_t sign = uint64_t{1} << 63;
    if (o.absolute) {
        const RowAt to = new_register(8);
        compute(What::compute, Opcode::and_, Type::b64, {}, {to, 8}, {{row, 8}, {constant(~sign, 8), 8}});
        row = to;
    }
    if (o.negated) { // -0 - a: so a NaN keeps its sign
        const RowAt to = new_register(8);
        compute(What::subtract, Opcode::sub, Type::f64, {}, {to, 8}, {{constant(sign, 8), 8}, {row, 8}});
        row = to;
    }
    return row;
}

void Lowering::compute_pair(What what, Opcode opcode, Type type, Modifiers modifiers, const Operand& to,
                            std::initializer_list<Source> from) {
    const RowAt whole = new_register(8);
    compute(what, opcode, type, modifiers, {whole, 8}, from);
    split(whole, written(to), written(to, 1));
}

std::pair<RowAt, RowAt> Lowering::read_halves_of_double(const Operand& o) {
    const bool signs = o.absolute || o.negated;
    if (o.kind == Kind::float64 && !signs) return {constant(0, 4), constant(static_cast<uint64_t>(o.value), 4)};
    if (o.kind == Kind::register_ && !signs) return {plain(o), second_of(o, 1)};
    const std::pair<RowAt, RowAt> halves{new_register(4), new_register(4)};
    split(read_double(o), halves.first, halves.second);
    return halves;
}

// As compute(), with two rows for each number of 64 bits instead of joining and splitting them.
void Lowering::compute_halves(What what, Opcode opcode, Type type, Modifiers modifiers,
                              std::initializer_list<RowAt> rows) {
    Operation& op = append(what, 3);
    std::copy(rows.begin(), rows.end(), op.row);
    std::fill_n(op.width, rows.size(), uint8_t{4});
    choose(op, {.opcode = opcode, .modifiers = modifiers, .type = type, .source_type = type, .halves = true});
}

// DFMA d, a, b, c; DADD and DMUL d, a, b.
void Lowering::doubles() {
    Modifiers m;
    if (!float_modifiers(m)) return cannot();
    const bool fuses = i_->opcode == "DFMA", adds = i_->opcode == "DADD";
    const What what = fuses ? What::compute : adds ? What::add : What::multiply;
    const Opcode opcode = fuses ? Opcode::fma : adds ? Opcode::add : Opcode::mul;
    const Operand *a = &at(1), *b = &at(2), *c = fuses ? &at(3) : nullptr;
    if (m == Modifiers{}) {
        const auto [a_low, a_high] = read_halves_of_double(*a);
        const auto [b_low, b_high] = read_halves_of_double(*b);
        const auto [c_low, c_high] = fuses ? read_halves_of_double(*c) : std::pair{no_row, no_row};
        const RowAt low = written(at(0)), high = written(at(0), 1);
        if (fuses) compute_halves(what, opcode, Type::f64, m, {low, high, a_low, a_high, b_low, b_high, c_low, c_high});
        else compute_halves(what, opcode, Type::f64, m, {low, high, a_low, a_high, b_low, b_high});
        return;
    }
    const RowAt x = read_double(*a), y = read_double(*b);
    if (fuses) compute_pair(what, opcode, Type::f64, m, at(0), {{x, 8}, {y, 8}, {read_double(*c), 8}});
    else compute_pair(what, opcode, Type::f64, m, at(0), {{x, 8}, {y, 8}});
}

// MUFU d, a. Sine and cosine are of turns; of a double it takes and gives the upper half.
void Lowering::special_function() {
    std::string name;
    for (const std::string_view word : i_->modifiers) name.append(name.empty() ? "" : ".").append(word);
    const Handler handler = sim::special_function(name);
    if (!handler) return cannot();
    const RowAt a = i_->has("F16") || i_->has("BF16") ? read_half(at(1)) : read(at(1), Numbers::floats);
    Operation& op = append(What::compute, 1);
    op.full = op.masked = handler;
    op.row[0] = written(at(0)), op.row[1] = a;
    op.width[0] = op.width[1] = 4;
}

// FCHK p, a, b: whether a / b needs more than MUFU.RCP and a few FFMAs.
void Lowering::check_division() {
    const RowAt a = read(at(1), Numbers::floats), b = read(at(2), Numbers::floats);
    Operation& op = append(What::compute, 0);
    op.full = op.masked = sim::check_division;
    write_predicate(op, 0, at(0));
    op.row[1] = a, op.row[2] = b;
    op.width[1] = op.width[2] = 4;
}

} // namespace sim
