#include "sim/kinds/register_forms.h"

#include <bit>

namespace sim {

using ptx::Special;

namespace {

bool of_a_clock(Special s) { return s >= Special::clock && s <= Special::globaltimer_hi; }

} // namespace

RegisterForms::RegisterForms(const Code& code, const UniformValues& uniform, const Launch& launch, FormTable& table)
    : code_(code), uniform_(uniform), clusters_{launch.grid.x / code.p.cluster.x, launch.grid.y / code.p.cluster.y,
                                                launch.grid.z / code.p.cluster.z},
      table_(table), values_(code.rows()), written_(code.size()), chosen_(code.size(), both), writers_(code) {
    find(ReachingWriters::all_edges(code));
}

RegisterForms::Value RegisterForms::in(uint32_t n, int slot) const {
    const RowAt row = code_.row(n, slot);
    if (!Code::is_register(row)) return of(no_form);
    const uint32_t writer = writers_.of(n, slot);
    return writer == ReachingWriters::nobody ? at(row) : written_[writer];
}

RegisterForms::Value RegisterForms::sums(const Forms& a, const Forms& b, uint64_t times_b) const {
    Forms all;
    for (const Form x : a)
        for (const Form y : b)
            if (!all.add(table_.sum(x, y, times_b))) return undetermined();
    return of(all);
}

RegisterForms::Value RegisterForms::products(const Forms& forms, uint64_t factor) const {
    return each(forms, [&](Form f) { return table_.product(f, factor); });
}

RegisterForms::Value RegisterForms::either(const Forms& a, const Forms& b) {
    Forms all = a;
    for (const Form f : b)
        if (!all.add(f)) return undetermined();
    return of(all);
}

void RegisterForms::find(const Edges& edges) {
    writers_.find(edges);
    std::fill(values_.begin(), values_.end(), Value{});
    std::fill(written_.begin(), written_.end(), Value{});
    give_specials();
    give_unassigned();
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t n = 0; n < code_.size(); ++n) changed |= edges.from(n) && take(n);
    }
}

// Blocks of the same rank in their clusters are compared: a coordinate that is the same in all of them has no form.
void RegisterForms::give_specials() {
    using enum Special;
    for (const SpecialRow& s : code_.p.specials) {
        at(s.at) = of(no_form);
        if (of_a_clock(s.special)) at(s.at).state = Value::unclear;
        if (!is_of_the_block(s.special)) continue;
        const bool x = s.special == ctaid_x || s.special == clusterid_x,
                   y = s.special == ctaid_y || s.special == clusterid_y;
        if ((x ? clusters_.x : y ? clusters_.y : clusters_.z) > 1)
            at(s.at).forms = table_.variable(s.special, s.at, s.width);
    }
}

// What lanes read that have written nothing there is the same in every block.
void RegisterForms::give_unassigned() {
    for (uint32_t n = 0; n < code_.size(); ++n) {
        const Operation& op = code_.op(n);
        const Tracked& t = code_.p.tracked[op.tracked];
        const auto give = [&](RowAt row, int64_t tracked) {
            if (tracked != Tracked::none && Code::is_register(row)) at(row) = of(no_form);
        };
        for (int slot = 0; slot < 8; ++slot) give(op.row[slot], t.row[slot]);
        give(op.address, t.address);
        give(op.source, t.source);
        give(op.guard, t.guard);
    }
}

bool RegisterForms::put(RowAt row, const Value& v) {
    if (row & 1 || v.state == Value::unset) return false;
    Value& now = at(row);
    const Value before = now;
    if (now.state == Value::unset) now.state = v.state, now.forms = v.forms;
    else if (v.is_unclear() || now.is_unclear()) now.state = std::max(v.state, now.state);
    else if (const Value all = either(now.forms, v.forms); all.state == Value::known) now.forms = all.forms;
    else now.state = Value::unclear;
    return now.state != before.state || now.forms != before.forms;
}

bool RegisterForms::take(uint32_t n) {
    bool changed = false;
    for (const RowAt row : code_.p.wide[code_.op(n).wide].written) changed |= put(row, undetermined());
    if (code_.effect(n).written == 0) return changed;
    const Value v = result(n);
    Value& its_own = written_[n];
    for (int slot = 0; slot < 8; ++slot) {
        if (!code_.writes(n, slot)) continue;
        const uint8_t width = code_.op(n).width[slot];
        Value its = v;
        if (width == 0) its.forms = no_form; // Value::known: comparisons and what is made of them
        else if (uniform_.is_uniform(n) && (v.is_unclear() || !v.forms.is_one()))
            its = of(table_.variable(Special::count_, code_.op(n).row[slot], width)); // of the index alone
        changed |= put(code_.op(n).row[slot], its);
        if (its.state == Value::unset) continue;
        changed |= its_own.state != its.state || its_own.forms != its.forms;
        its_own = its;
    }
    return changed;
}
bool RegisterForms::is_variable(RowAt row) const {
    if (!at(row).forms.is_one()) return false;
    const std::span<const Term> its = table_.terms(*at(row).forms.begin());
    return its.size() == 1 && table_.variables()[its[0].variable].computed() &&
           table_.variables()[its[0].variable].row == row;
}

RegisterForms::Value RegisterForms::result(uint32_t n) const {
    const What what = code_.what(n);
    if (what == What::load_parameter) return of(no_form);
    if (uniform_.is_constant_load(n) && (in(n, Code::address).state == Value::unset || !in(n, Code::address).varies()))
        return in(n, Code::address).state == Value::unset ? Value{} : of(no_form);
    if (row_of(what).made == Made::of_memory) return {.state = Value::loaded};
    if (tested_or(n)) return of(no_form);
    bool waits = false, plain = true;
    Value::State none = Value::known;
    each_read(n, [&](const Value& v) {
        waits |= v.state == Value::unset, plain &= !v.varies(), none = std::max(none, v.state);
    });
    if (none > Value::known) return {.state = none};
    if (waits) return {};
    if (plain) return of(no_form);
    if (what == What::compare) return code_.effect(n).order != Effect::none ? of(no_form) : undetermined();
    if (what == What::shuffle) return any_but(n, 2);
    const Effect& e = code_.effect(n);
    return !e.integers || e.saturates || e.carries || e.written != 1 ? undetermined() : linear(n);
}

// The forms of `slot` where all else that is read has none.
RegisterForms::Value RegisterForms::any_but(uint32_t n, int slot) const {
    for (int other = 0; other < 8; ++other)
        if (other != slot && code_.op(n).row[other] != no_row && !code_.writes(n, other) && in(n, other).varies())
            return undetermined();
    return of(in(n, slot).forms);
}

RegisterForms::Value RegisterForms::linear(uint32_t n) const {
    using enum What;
    const Forms a = in(n, 1).forms, b = in(n, 2).forms;
    switch (code_.what(n)) {
    case move:
    case to_generic:
    case from_generic:
    case map_address: return any_but(n, 1);
    case convert: return code_.effect(n).source_bits >= 32 ? of(a) : undetermined();
    case add: return sums(a, b);
    case subtract: return sums(a, b, ~uint64_t{0});
    case negate:
    case bit_not: return products(a, ~uint64_t{0});
    case multiply: return multiplied(n);
    case multiply_add: {
        const Value v = multiplied(n);
        return v.state == Value::known ? sums(v.forms, in(n, 3).forms) : v;
    }
    case minimum:
    case maximum:
    case select: {
        const uint8_t taken = uniform_.is_uniform(n) ? uint8_t{both} : chosen_[n];
        return taken == first ? of(a) : taken == second ? of(b) : either(a, b);
    }
    case shift_left:
    case shift_right:
    case bit_and:
    case bit_or:
    case bit_xor: return of_bits(n);
    case divide:
    case remainder: return divided(n);
    case insert_bits: return inserted(n);
    default: return undetermined();
    }
}

// The factor must be a number.
RegisterForms::Value RegisterForms::multiplied(uint32_t n) const {
    const Forms a = in(n, 1).forms, b = in(n, 2).forms;
    const Effect& e = code_.effect(n);
    if (a.none() && b.none()) return of(no_form);
    const auto times = uniform_.constant(n, a.none() ? 1 : 2);
    if (!times || e.half == Effect::high) return undetermined();
    const bool u32 = e.half == Effect::both && !e.is_signed && e.source_bits == 32;
    return products(a.none() ? b : a, u32 ? static_cast<uint32_t>(*times) : *times);
}

RegisterForms::Value RegisterForms::of_bits(uint32_t n) const {
    using enum What;
    const What what = code_.what(n);
    const Forms a = in(n, 1).forms, b = in(n, 2).forms;
    if (!a.none() && !b.none()) return undetermined();
    const Forms& its = a.none() ? b : a;
    const int zeros = table_.zeros_of(its);
    if (what == bit_or || what == bit_xor)
        return zeros > 0 && code_.op(n).width[0] != 0 ? of(its) : undetermined(); // bound() says when
    const auto mask = uniform_.constant(n, a.none() ? 1 : 2);
    const auto is_low = [&](uint64_t bits) { return (bits & (bits + 1)) == 0 && std::popcount(bits) <= zeros; };
    if (!mask) return undetermined();
    if (what == bit_and && is_low(*mask)) return of(no_form);
    if (what == bit_and && is_low(~*mask)) return of(its);
    if (what == shift_left && *mask < 64 && b.none()) return products(a, uint64_t{1} << *mask);
    if (what == shift_right && *mask <= static_cast<uint64_t>(zeros) && b.none())
        return each(a, [&](Form f) { return table_.shifted_down(f, static_cast<int>(*mask)); });
    return divided(n);
}

// Upper bits: a shift to the left, and lower bits of what has no form.
RegisterForms::Value RegisterForms::inserted(uint32_t n) const {
    const auto at = uniform_.constant(n, 3), bits = uniform_.constant(n, 4);
    const uint64_t width = uint64_t{code_.op(n).width[0]} * 8;
    if (!at || !bits || *at >= width || *bits < width - *at || in(n, 2).varies()) return undetermined();
    return products(in(n, 1).forms, uint64_t{1} << *at);
}

// Of an operation that asks whether one of two numbers has more than 32 bits, (a | b) & ~0xFFFFFFFF, before it divides them: the or.
std::optional<uint32_t> RegisterForms::tested_or(uint32_t n) const {
    if (code_.what(n) != What::bit_and || code_.op(n).width[0] != 8 || !Code::is_register(code_.op(n).row[1]))
        return {};
    const uint32_t made = writers_.of(n, 1);
    const auto mask = uniform_.constant(n, 2);
    if (made == ReachingWriters::nobody || code_.what(made) != What::bit_or || !mask || *mask != ~uint64_t{0xFFFFFFFF})
        return {};
    return in(made, 1).state == Value::known && in(made, 2).state == Value::known ? std::optional(made) : std::nullopt;
}

bool RegisterForms::is_only_tested(uint32_t n) const {
    const RowAt made = code_.op(n).row[0];
    for (uint32_t reader = 0; reader < code_.size(); ++reader)
        for (int slot = 0; slot < Code::slots; ++slot)
            if (code_.row(reader, slot) == made && !(slot < 8 && code_.writes(reader, slot)) && tested_or(reader) != n)
                return false;
    return true;
}

std::optional<uint64_t> RegisterForms::divisor(uint32_t n) const {
    using enum What;
    const What what = code_.what(n);
    const auto number = uniform_.constant(n, 2);
    constexpr uint64_t most = uint64_t{1} << 31;
    if (!number || in(n, 1).forms.none() || !in(n, 2).forms.none()) return {};
    if (what == shift_right) return *number < 32 ? std::optional(uint64_t{1} << *number) : std::nullopt;
    const uint64_t low = what == bit_and && *number >= most ? ~*number : *number; // of an and that keeps the upper bits
    if (what == bit_and) return low < most && (low & (low + 1)) == 0 ? std::optional(low + 1) : std::nullopt;
    return (what == divide || what == remainder) && *number > 0 && *number < most ? number : std::nullopt;
}

// v = q d + r. The form f of v is a multiple of d and a rest, too; where the rest moves r to no other multiple, q moves as f / d does.
RegisterForms::Value RegisterForms::divided(uint32_t n) const {
    using enum What;
    const auto d = divisor(n);
    if (!d || uniform_.is_uniform(n) || code_.op(n).width[0] == 2)
        return undetermined(); // a uniform one is computed for each block
    const bool masks = code_.what(n) == bit_and,
               rest = code_.what(n) == remainder || (masks && *uniform_.constant(n, 2) == *d - 1);
    if (masks && !rest) return each(in(n, 1).forms, [&](Form f) { return table_.product(table_.quotient(f, *d), *d); });
    return each(in(n, 1).forms,
                [&](Form f) { return rest ? table_.sum(f, table_.quotient(f, *d), ~*d + 1) : table_.quotient(f, *d); });
}

bool RegisterForms::divides(uint32_t n) const {
    using enum What;
    const What what = code_.what(n);
    if (!divisor(n) || uniform_.is_uniform(n)) return false;
    const auto shift = static_cast<uint64_t>(std::countr_zero(*divisor(n)));
    return what == divide || what == remainder ||
           ((what == shift_right || what == bit_and) && shift > static_cast<uint64_t>(table_.zeros_of(in(n, 1).forms)));
}

} // namespace sim
