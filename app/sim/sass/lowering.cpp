// Which operations a machine instruction becomes: integers, floats, moves. Its meaning where no manual has it: checked on the H200 by
// the results of whole kernels.
#include "sim/sass/lowering.h"

#include "sim/lanes/vectors.h"

#include <algorithm>
#include <utility>

namespace sim {

using ptx::Modifier;
using ptx::Modifiers;
using ptx::Opcode;
using ptx::Type;

void Lowering::cannot() { fail(base::say("the engine does not execute {} in this form", std::string(i_->opcode))); }

bool Lowering::only(std::initializer_list<std::string_view> modifiers) const {
    return std::all_of(i_->modifiers.begin(), i_->modifiers.end(), [&](std::string_view m) {
        return std::find(modifiers.begin(), modifiers.end(), m) != modifiers.end();
    });
}

Operation& Lowering::append(What what, uint8_t written) {
    Operation op;
    op.pc = pc_;
    op.what = what;
    op.guard = guard_.row;
    op.guard_negated = guard_.negated;
    program_.operations.push_back(op);
    program_.effects.push_back({.written = written, .silent = true});
    return program_.operations.back();
}

void Lowering::choose(Operation& op, Choice c) {
    std::copy(std::begin(op.width), std::end(op.width), std::begin(c.width));
    Handlers h = lanes_.select(c);
    if (!h.full) h = select_rare(c);
    if (!h.full) cannot();
    op.full = h.full;
    op.masked = h.masked;
}

// d, a, b, c in rows 0, 1, 2, 3.
Operation& Lowering::compute(What what, Opcode opcode, Type type, Modifiers modifiers, Source to,
                             std::initializer_list<Source> from) {
    Operation& op = append(what, 1);
    op.row[0] = to.first, op.width[0] = to.second;
    int slot = 0;
    for (const auto& [row, width] : from) op.row[++slot] = row, op.width[slot] = width;
    choose(op, {.opcode = opcode, .modifiers = modifiers, .type = type, .source_type = type});
    return op;
}

void Lowering::read_predicate(Operation& op, int slot, const Operand& o) {
    op.row[slot] = predicate(o);
    op.width[slot] = 0;
    if (o.negated) op.negated_predicate |= static_cast<uint8_t>(1 << slot);
}

void Lowering::write_predicate(Operation& op, int slot, const Operand& o) {
    if (o.number == sass::true_predicate) return;
    op.row[slot] = predicate(o);
    program_.effects.back().written |= static_cast<uint8_t>(1 << slot);
}

void Lowering::lower(const sass::Instruction& instruction, uint32_t pc, const MadeOf& made_of) {
    i_ = &instruction;
    pc_ = pc;
    made_of_ = made_of;
    error_ = {};
    first_.push_back(static_cast<uint32_t>(program_.operations.size()));
    note_step();
    guard_ = {};
    if (instruction.guarded()) {
        Operand guard;
        guard.kind = instruction.guard_uniform ? Kind::uniform_predicate : Kind::predicate;
        guard.number = instruction.guard;
        guard_ = {predicate(guard), instruction.guard_negated};
    }
    if (!instruction.known()) fail(base::say("this instruction is not known"));
    else dispatch();
    if (!error_.empty()) {
        while (!table_branches_.empty() && table_branches_.back() >= first_.back()) table_branches_.pop_back();
        program_.operations.resize(first_.back());
        program_.effects.resize(first_.back());
        Operation& op = append(What::unknown, 0);
        op.full = op.masked = no_operation;
        op.flow = Flow::unknown;
        op.detail.number = static_cast<uint32_t>(program_.reasons.size());
        program_.reasons.push_back(error_);
    }
    for (uint32_t n = first_.back(); n < program_.operations.size(); ++n) take_from_ptx(n);
    const auto& effects = program_.effects;
    if (std::all_of(effects.begin() + first_.back(), effects.end(), [](const Effect& e) { return e.silent; }))
        program_.effects.back().silent = false;
    after_cluster_fence_ =
        instruction.opcode == "CGAERRBAR" || (after_cluster_fence_ && instruction.kind == trace::Kind::arithmetic);
}

// Of an access that ptxas has left as it was: of one that it made of several, the PTX tells of the first alone.
void Lowering::take_from_ptx(uint32_t n) {
    Operation& op = program_.operations[n];
    if (op.address == no_row || uint32_t{op.bytes} * op.elements != made_of_.bytes) return;
    if (op.space == Space::shared || op.space == Space::generic) op.shared_array = made_of_.shared_array;
    if (made_of_.is_used_in_time) draft_.used_in_time.insert(n);
}

// By the opcode, or by that without the U of the uniform datapath.
void Lowering::dispatch() {
    static constexpr std::pair<std::string_view, void (Lowering::*)()> rows[] = {
#define SASS(opcode, function) {#opcode, &Lowering::function},
#include "sim/sass/opcode_table.inc"
#undef SASS
    };
    const auto known = [&](std::string_view name) {
        const auto* row =
            std::find_if(std::begin(rows), std::end(rows), [&](const auto& r) { return r.first == name; });
        if (row == std::end(rows)) return false;
        name_ = row->first;
        (this->*row->second)();
        return true;
    };
    if (known(i_->opcode) || (i_->traits & sass::uniform && known(i_->opcode.substr(1)))) return;
    fail(base::say("the engine does not execute {}", std::string(i_->opcode)));
}

void Lowering::move() {
    if (!only({"64"})) return cannot();
    if (i_->operands.size() > 2 && at(2).value != 0xF) return cannot(); // some bytes alone
    if (i_->has("64")) return split(read_pair(at(1)), written(at(0)), written(at(0), 1));
    compute(What::move, Opcode::mov, Type::b32, {}, {written(at(0)), 4}, {{read(at(1)), 4}});
}

void Lowering::move_special() {
    const std::string_view name = at(1).name;
    const bool pair = at(1).registers == 2;
    if (name.starts_with("SR_CLOCK") || name.starts_with("SR_GLOBALTIMER")) {
        const RowAt whole = pair ? new_register(8) : written(at(0));
        Operation& op = append(What::clock, 1);
        op.full = op.masked = read_clock;
        op.detail.upper_half = name.ends_with("HI");
        op.row[0] = whole, op.width[0] = pair ? 8 : 4;
        if (pair) split(whole, written(at(0)), written(at(0), 1));
    } else if (!pair) {
        compute(What::move, Opcode::mov, Type::b32, {}, {written(at(0)), 4}, {{special(at(1).name), 4}});
    } else {
        if (at(1).name != "SRZ") return cannot();
        split(constant(0, 8), written(at(0)), written(at(0), 1));
    }
}

// d, carry out, a, b, carry in of IADD, of 32 or 64 bits.
void Lowering::add_two() {
    if (!only({"64", "X"})) return cannot();
    const Operand &to = at(0), &carry = at(1), &a = at(2), &b = at(3), *carry_in = i_->has("X") ? &at(4) : nullptr;
    const bool carries = carry_in || carry.number != sass::true_predicate;
    if (!i_->has("64")) return add_with_carries(written(to), &carry, nullptr, {{&a}, {&b}}, carry_in, nullptr);
    if (carries) {
        const RowAt carried = new_register(0), sum = sum_with_carries(read_pair(a), b, carried, carry_in);
        split(sum, written(to), to.number == sass::zero_register ? new_register(4) : written(to, 1));
        return say_carry(carry, carried);
    }
    Operand plus = a, term = b;
    if (plus.negated) std::swap(plus, term);
    const bool subtracts = std::exchange(term.negated, false);
    const RowAt x = read_pair(plus), y = read_pair(term);
    compute_pair(subtracts ? What::subtract : What::add, subtracts ? Opcode::sub : Opcode::add, Type::u64, {}, to,
                 {{x, 8}, {y, 8}});
}

// d, carries out, a, b, c, carries in of IADD3; d, a, b of VIADD.
void Lowering::add() {
    if (i_->has("64") || i_->has("16x2") || i_->has("ISAT")) return add_packed();
    if (!only({"X", "S32"})) return cannot();
    const bool three = name_ == "IADD3", extended = i_->has("X");
    const Operand* terms[3] = {&at(three ? 3 : 1), &at(three ? 4 : 2), three ? &at(5) : nullptr};
    const bool carries = three && (at(1).number != sass::true_predicate || at(2).number != sass::true_predicate);
    if (extended || carries)
        return add_with_carries(written(at(0)), &at(1), &at(2), {{terms[0]}, {terms[1]}, {terms[2]}},
                                extended ? &at(6) : nullptr, extended ? &at(7) : nullptr);
    std::vector<const Operand*> plus, minus;
    for (const Operand* term : terms)
        if (term && !is_zero(*term)) (term->negated ? minus : plus).push_back(term);
    const RowAt to = written(at(0));
    RowAt sum = plus.empty() ? constant(0, 4) : plain(*plus[0]);
    const size_t steps = (plus.empty() ? 0 : plus.size() - 1) + minus.size();
    if (steps == 0) {
        compute(What::move, Opcode::mov, Type::b32, {}, {to, 4}, {{sum, 4}});
        return;
    }
    size_t done = 0;
    const auto step = [&](const Operand& term, bool subtracts) {
        const RowAt next = ++done == steps ? to : new_register(4);
        compute(subtracts ? What::subtract : What::add, subtracts ? Opcode::sub : Opcode::add, Type::u32, {}, {next, 4},
                {{sum, 4}, {plain(term), 4}});
        sum = next;
    };
    for (size_t n = 1; n < plus.size(); ++n) step(*plus[n], false);
    for (const Operand* term : minus) step(*term, true);
}

// Terms whose row is not there yet are the operands'.
void Lowering::add_with_carries(RowAt to, const Operand* carry_out, const Operand* second_out,
                                std::initializer_list<Term> terms, const Operand* carry_in, const Operand* second_in,
                                RowAt carried) {
    Terms how{};
    std::vector<RowAt> rows;
    for (const Term& t : terms) {
        if (t.operand && is_zero(*t.operand) && !t.operand->negated) continue;
        const auto bit = static_cast<uint8_t>(1 << rows.size());
        if (t.operand && t.operand->negated) how.negated |= bit;
        if (t.operand && t.operand->inverted) how.inverted |= bit;
        rows.push_back(t.row == no_row ? plain(*t.operand) : t.row);
    }
    while (rows.size() < 2) rows.push_back(constant(0, 4));
    Operation& op = append(What::add_with_carries, 1);
    op.full = op.masked =
        lanes_.vectors->add_with_carries[rows.size() == 3][carry_in || second_in || carried != no_row];
    op.row[0] = to;
    op.width[0] = 4;
    if (carry_out) write_predicate(op, 1, *carry_out);
    if (second_out) write_predicate(op, 2, *second_out);
    for (size_t t = 0; t < rows.size(); ++t) op.row[3 + t] = rows[t], op.width[3 + t] = 4;
    op.row[6] = carried;
    if (carry_in) read_predicate(op, 6, *carry_in);
    if (second_in) read_predicate(op, 7, *second_in);
    op.detail.terms = how;
}

// LEA: (a << n) + b; LEA.HI: the upper half of (c:a) << n, and b. With carries as IADD3.
void Lowering::shift_and_add() {
    if (!only({"HI", "X", "SX32"})) return cannot();
    const bool high = i_->has("HI"), extended = i_->has("X"), sign = i_->has("SX32");
    const Operand &a = at(2), &b = at(3);
    size_t next = 4;
    const Operand* c = high && !sign ? &at(next++) : nullptr;
    const auto amount = static_cast<uint32_t>(at(next++).value);
    const Operand* carry_in = extended ? &at(next) : nullptr;
    const bool carries = extended || at(1).number != sass::true_predicate;
    if ((a.negated && (high || carries)) || a.inverted || (c && (c->negated || c->inverted)) || amount > 31 ||
        b.absolute)
        return cannot();
    const RowAt low = plain(a);
    if (!high && !carries && !b.inverted) {
        const uint32_t factor = 1u << amount;
        compute(What::multiply_add, Opcode::mad, Type::u32, Modifiers{}.add(Modifier::lo), {written(at(0)), 4},
                {{low, 4}, {constant(a.negated ? 0 - factor : factor, 4), 4}, {read(b), 4}});
        return;
    }
    const RowAt shifted = new_register(4);
    if (high) {
        RowAt upper = c ? plain(*c) : new_register(4);
        if (sign) compute(What::shift_right, Opcode::shr, Type::s32, {}, {upper, 4}, {{low, 4}, {constant(31, 4), 4}});
        compute(What::compute, Opcode::shf, Type::b32, Modifiers{}.add(Modifier::l).add(Modifier::wrap), {shifted, 4},
                {{low, 4}, {upper, 4}, {constant(amount, 4), 4}});
    } else {
        compute(What::shift_left, Opcode::shl, Type::b32, {}, {shifted, 4}, {{low, 4}, {constant(amount, 4), 4}});
    }
    if (!carries) {
        compute(What::add, Opcode::add, Type::u32, {}, {written(at(0)), 4}, {{shifted, 4}, {read(b), 4}});
        return;
    }
    add_with_carries(written(at(0)), &at(1), nullptr, {{nullptr, shifted}, {&b}}, carry_in, nullptr);
}

// d, a, b, c: IMAD, and what it is printed as.
void Lowering::multiply_add() {
    if (i_->has("WIDE") || i_->has("HI")) return multiply_wide();
    if (!only({"MOV", "IADD", "SHL", "U32", "X"})) return cannot();
    const Operand &a = at(1), &b = at(2), &c = at(3);
    const bool no_product = is_zero(a) || is_zero(b), one = b.kind == Kind::integer && b.value == 1;
    if (a.negated || a.inverted || b.negated || b.inverted) return cannot();
    const RowAt to = written(at(0));
    const Modifiers low = Modifiers{}.add(Modifier::lo);
    if (i_->has("X")) {
        RowAt product = constant(0, 4);
        if (!no_product) {
            product = new_register(4);
            compute(What::multiply, Opcode::mul, Type::u32, low, {product, 4}, {{plain(a), 4}, {plain(b), 4}});
        }
        add_with_carries(to, nullptr, nullptr, {{nullptr, product}, {&c}}, &at(4), nullptr);
    } else if (no_product) {
        compute(What::move, Opcode::mov, Type::b32, {}, {to, 4}, {{read(c), 4}});
    } else if (one) {
        const bool subtracts = c.negated;
        compute(subtracts ? What::subtract : What::add, subtracts ? Opcode::sub : Opcode::add, Type::u32, {}, {to, 4},
                {{plain(a), 4}, {plain(c), 4}});
    } else if (is_zero(c)) {
        compute(What::multiply, Opcode::mul, Type::u32, low, {to, 4}, {{plain(a), 4}, {plain(b), 4}});
    } else {
        const RowAt term = read(c);
        compute(What::multiply_add, Opcode::mad, Type::u32, low, {to, 4}, {{plain(a), 4}, {plain(b), 4}, {term, 4}});
    }
}

// d:2, carry, a, b, c:2 of IMAD.WIDE; of IMAD.HI d is the upper half.
void Lowering::multiply_wide() {
    if (!only({"WIDE", "HI", "U32", "X"})) return cannot();
    const Operand &carry = at(1), &a = at(2), &b = at(3), &c = at(4);
    if (a.negated || b.negated || a.inverted || b.inverted) return cannot();
    const bool carries = i_->has("X") || carry.number != sass::true_predicate || c.inverted;
    const Type type = i_->has("U32") ? Type::u32 : Type::s32;
    const Modifiers wide = Modifiers{}.add(Modifier::wide);
    const RowAt first = plain(a), second = plain(b);
    const bool upper = i_->has("HI"), narrow = upper || at(0).number == sass::zero_register;
    const RowAt low = upper ? new_register(4) : written(at(0)), high = upper    ? written(at(0))
                                                                       : narrow ? new_register(4)
                                                                                : written(at(0), 1);
    if (!carries && is_zero(c))
        return compute_halves(What::multiply, Opcode::mul, type, wide, {low, high, first, second});
    if (!carries && c.kind != Kind::constant && c.kind != Kind::integer && !c.negated)
        return compute_halves(What::multiply_add, Opcode::mad, type, wide,
                              {low, high, first, second, plain(c), second_of(c, 1)});
    const RowAt whole = new_register(8);
    if (carries) {
        compute(What::multiply, Opcode::mul, type, wide, {whole, 8}, {{first, 4}, {second, 4}});
    } else if (c.negated) {
        Operand term = c;
        term.negated = false;
        const RowAt product = new_register(8);
        compute(What::multiply, Opcode::mul, type, wide, {product, 8}, {{first, 4}, {second, 4}});
        compute(What::subtract, Opcode::sub, Type::u64, {}, {whole, 8}, {{product, 8}, {read_pair(term), 8}});
    } else {
        const RowAt term = read_pair(c);
        compute(What::multiply_add, Opcode::mad, type, wide, {whole, 8}, {{first, 4}, {second, 4}, {term, 8}});
    }
    const RowAt carried = new_register(0);
    const RowAt sum = carries ? sum_with_carries(whole, c, carried, i_->has("X") ? &at(5) : nullptr) : whole;
    split(sum, low, high);
    say_carry(carry, carried);
}

void Lowering::say_carry(const Operand& to, RowAt carried) {
    if (to.number == sass::true_predicate) return;
    Operation& op = append(What::move, 0);
    write_predicate(op, 0, to);
    op.row[1] = carried;
    choose(op, {.opcode = Opcode::mov, .modifiers = {}, .type = Type::pred, .source_type = Type::pred});
}

// Of 64 bits: a product and a pair of registers, in two steps.
RowAt Lowering::sum_with_carries(RowAt whole, const Operand& c, RowAt carried, const Operand* carry_in) {
    if (c.kind == Kind::constant || c.kind == Kind::integer || c.negated) cannot();
    const RowAt low = new_register(4), high = new_register(4), d = new_register(4), e = new_register(4);
    const RowAt between = new_register(0);
    split(whole, low, high);
    Operand upper = c;
    if (c.number != sass::zero_register) upper.number = static_cast<uint16_t>(c.number + 1);
    const auto carry_to = [&](RowAt p) {
        program_.operations.back().row[1] = p;
        program_.effects.back().written |= 1 << 1;
    };
    add_with_carries(d, nullptr, nullptr, {{nullptr, low}, {&c}}, carry_in, nullptr);
    carry_to(between);
    add_with_carries(e, nullptr, nullptr, {{nullptr, high}, {&upper}}, nullptr, nullptr, between);
    carry_to(carried);
    return joined(d, e);
}

// p, d, a, b, c, table, q: p says whether any bit of d is set, or q.
void Lowering::logic() {
    if (!only({"LUT", "PAND"})) return cannot();
    const RowAt a = read(at(2)), b = read(at(3)), c = read(at(4));
    const auto table = static_cast<uint8_t>(at(5).value);
    if (at(0).number == sass::true_predicate) {
        const RowAt to = written(at(1));
        const What what = to == a || to == b || to == c ? What::merge : What::compute;
        Operation& op = compute(what, Opcode::lop3, Type::b32, {}, {to, 4}, {{a, 4}, {b, 4}, {c, 4}});
        op.detail.logic = {.table = table, .any = false};
        return;
    }
    const bool keeps = at(1).number != sass::zero_register;
    Operation& op = append(What::compute, keeps ? 1 : 0);
    if (keeps) op.row[0] = written(at(1));
    op.row[1] = a, op.row[2] = b, op.row[3] = c;
    op.width[0] = op.width[1] = op.width[2] = op.width[3] = 4;
    write_predicate(op, 4, at(0));
    read_predicate(op, 5, at(6));
    const bool all = i_->has("PAND");
    op.detail.logic = {.table = table, .any = !all};
    choose(op, {.opcode = Opcode::lop3,
                .modifiers = Modifiers{}.add(all ? Modifier::and_ : Modifier::or_),
                .type = Type::b32,
                .source_type = Type::b32});
}

// d, low half, amount, high half.
void Lowering::shift() {
    const bool left = i_->has("L"), high = i_->has("HI"), wraps = i_->has("W"), wide = i_->has("U64") || i_->has("S64");
    const bool sign = !i_->has("U32") && !i_->has("U64");
    const Operand& amount = at(2);
    const bool few = amount.kind == Kind::integer && amount.value >= 0 && amount.value < 32;
    const RowAt low = read(at(1)), by = read(amount), upper = read(at(3)), to = written(at(0));
    const Modifiers way =
        Modifiers{}.add(left ? Modifier::l : Modifier::r).add(wraps || few ? Modifier::wrap : Modifier::clamp);
    if (left && !high && (!wraps || few)) {
        compute(What::shift_left, Opcode::shl, Type::b32, {}, {to, 4}, {{low, 4}, {by, 4}});
    } else if (!left && high && !wide && (!wraps || few)) {
        compute(What::shift_right, Opcode::shr, sign ? Type::s32 : Type::u32, {}, {to, 4}, {{upper, 4}, {by, 4}});
    } else if (few && left == high) { // through both halves
        compute(What::compute, Opcode::shf, Type::b32, way, {to, 4}, {{low, 4}, {upper, 4}, {by, 4}});
    } else if (few && !left && high) {
        compute(What::shift_right, Opcode::shr, sign ? Type::s32 : Type::u32, {}, {to, 4}, {{upper, 4}, {by, 4}});
    } else {
        Operation& op = append(What::compute, 1);
        op.full = op.masked = shift_of_pair;
        op.row[0] = to, op.row[1] = low, op.row[2] = by, op.row[3] = upper;
        std::fill(op.width, op.width + 4, uint8_t{4});
        op.detail.number = (left ? shifts_left : 0u) | (high ? gives_upper : 0u) | (wraps ? wraps_amount : 0u) |
                           (wide ? wide_amount : 0u) | (sign ? keeps_sign : 0u);
    }
}

void Lowering::permute() { // d, a, selector, c
    static constexpr std::pair<std::string_view, Modifier> modes[] = {{"F4E", Modifier::f4e}, {"B4E", Modifier::b4e},
                                                                      {"RC8", Modifier::rc8}, {"ECL", Modifier::ecl},
                                                                      {"ECR", Modifier::ecr}, {"RC16", Modifier::rc16}};
    Modifiers m;
    for (const auto& [word, mode] : modes)
        if (i_->has(word)) m.add(mode);
    const RowAt a = read(at(1)), selector = read(at(2)), c = read(at(3));
    const RowAt to = written(at(0));
    Operation& op = append(to == a || to == c ? What::merge : What::compute, 1);
    op.row[0] = to, op.row[1] = a, op.row[2] = c, op.row[3] = selector;
    for (const int n : {0, 1, 2, 3}) op.width[n] = 4;
    op.detail.by_mode = !i_->modifiers.empty();
    choose(op, {.opcode = Opcode::prmt,
                .modifiers = m,
                .type = Type::b32,
                .source_type = Type::b32,
                .modified = !i_->modifiers.empty()});
}

// FTZ, RM, RP, RZ, SAT; false: another one.
bool Lowering::float_modifiers(Modifiers& to) const {
    for (const std::string_view m : i_->modifiers)
        if (m == "FTZ") to.add(Modifier::ftz);
        else if (m == "SAT") to.add(Modifier::sat);
        else if (m == "RM") to.add(Modifier::rm);
        else if (m == "RP") to.add(Modifier::rp);
        else if (m == "RZ") to.add(Modifier::rz);
        else return false;
    return true;
}

void Lowering::fused() { // d, a, b, c
    Modifiers m;
    if (!float_modifiers(m)) return cannot();
    const RowAt a = read(at(1), Numbers::floats), b = read(at(2), Numbers::floats), c = read(at(3), Numbers::floats);
    compute(What::compute, Opcode::fma, Type::f32, m, {written(at(0)), 4}, {{a, 4}, {b, 4}, {c, 4}});
}

void Lowering::sum_or_product() { // d, a, b
    Modifiers m;
    if (!float_modifiers(m)) return cannot();
    const RowAt a = read(at(1), Numbers::floats), b = read(at(2), Numbers::floats);
    const bool adds = name_ == "FADD";
    compute(adds ? What::add : What::multiply, adds ? Opcode::add : Opcode::mul, Type::f32, m, {written(at(0)), 4},
            {{a, 4}, {b, 4}});
}

} // namespace sim
