// Numbers of 64 bits, in two registers each, and the approximations that ptxas refines to IEEE's results.
#include "sim/sass/lowering.h"

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

// DFMA d, a, b, c; DADD and DMUL d, a, b.
void Lowering::doubles() {
    Modifiers m;
    if (!float_modifiers(m)) return cannot();
    const RowAt a = read_double(at(1)), b = read_double(at(2));
    if (i_->opcode == "DFMA") {
        const RowAt c = read_double(at(3));
        compute_pair(What::compute, Opcode::fma, Type::f64, m, at(0), {{a, 8}, {b, 8}, {c, 8}});
    } else {
        const bool adds = i_->opcode == "DADD";
        compute_pair(adds ? What::add : What::multiply, adds ? Opcode::add : Opcode::mul, Type::f64, m, at(0),
                     {{a, 8}, {b, 8}});
    }
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
