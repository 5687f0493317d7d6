#include "sim/kinds/bounds.h"

#include <algorithm>
#include <bit>

namespace sim {

using Value = RegisterForms::Value;

namespace {

// A bound that is not known to be wider.
constexpr Wide none_below = INT64_MIN, none_above = INT64_MAX;

} // namespace

void Bounds::within(Wide least, Wide most) {
    low = std::max(low, static_cast<int64_t>(std::clamp(least, none_below, none_above)));
    high = std::min(high, static_cast<int64_t>(std::clamp(most, none_below, none_above)));
}

// With the choices that a block was seen to make.
std::vector<Bounds> BlockBounds::find(const PathCondition& told) {
    const auto noted = [&](const Watch& w) -> const Noted& { return told.noted[dependences_.watch_of(w.operation)]; };
    for (const Watch& w : dependences_.watches()) forms_.choose(w.operation, choice(w, noted(w)));
    forms_.find(told.edges);
    all_.assign(table_.size(), {});
    for (const Watch& w : dependences_.watches()) bound(w, noted(w));
    for (size_t i = 0; i < dependences_.accesses().size(); ++i) bound(dependences_.accesses()[i], told.reached[i]);
    for (const auto& [n, slot] : dependences_.exact())
        each_form(forms_.in(n, slot).forms, [](Bounds& b) { b.exact(); });
    all_.resize(table_.size()); // differences may be new
    return std::move(all_);
}

template <class F>
void BlockBounds::each_form(const Forms& forms, F f) {
    if (all_.size() < table_.size()) all_.resize(table_.size());
    for (const Form form : forms)
        if (form != no_form) f(all_[form]);
}

RegisterForms::Choice BlockBounds::choice(const Watch& w, const Noted& noted) const {
    if (w.kind == Watch::choose)
        return noted.chosen[0] != noted.chosen[1] ? noted.chosen[0] ? RegisterForms::first : RegisterForms::second
                                                  : RegisterForms::both;
    const What what = code_.what(w.operation);
    if (what != What::minimum && what != What::maximum) return RegisterForms::both;
    const bool smaller = noted.below.any(), larger = noted.above.any(); // the first one is
    if (smaller == larger) return RegisterForms::both;
    return smaller == (what == What::minimum) ? RegisterForms::first : RegisterForms::second;
}

// The value and the change of its form stay in the type.
void BlockBounds::keep_in_type(const Watch& w, int which, const Noted& noted) {
    const Noted::Range& v = noted.value[which];
    if (w.bits[which] == 0 || !v.any()) return;
    const Wide least = w.is_signed ? -(Wide{1} << (w.bits[which] - 1)) : Wide{0},
               most = (Wide{1} << (w.is_signed ? w.bits[which] - 1 : w.bits[which])) - 1;
    each_form(forms_.in(w.operation, w.slot + which).forms, [&](Bounds& b) { b.within(least - v.low, most - v.high); });
}

void BlockBounds::bound(const Watch& w, const Noted& noted) {
    const uint32_t n = w.operation;
    const What what = code_.what(n);
    switch (w.kind) {
    case Watch::choose: return; // the predicate has its own bounds
    case Watch::generic:
        if (noted.elsewhere) each_form(forms_.in(n, Code::address).forms, [](Bounds& b) { b.exact(); });
        return;
    case Watch::box: return bound_box(n, noted);
    case Watch::divide: return bound_division(w, noted);
    case Watch::compare: keep_in_type(w, 0, noted), keep_in_type(w, 1, noted); return bound_order(w, noted);
    case Watch::range:
        if (what == What::copy_async) return bound_size(n, noted);
        if (what == What::bit_or || what == What::bit_xor)
            return forms_.written(n).state == Value::known && !forms_.is_only_tested(n) ? bound_bits(n, noted)
                                                                                        : bound_tested(n, noted);
        keep_in_type(w, 0, noted), keep_in_type(w, 1, noted);
    }
}

void BlockBounds::bound_order(const Watch& w, const Noted& noted) {
    const Value difference =
        forms_.sums(forms_.in(w.operation, w.slot).forms, forms_.in(w.operation, w.slot + 1).forms, ~uint64_t{0});
    const auto keep = [&](Bounds& b) {
        if (noted.equal.any()) b.exact();
        if (noted.below.any()) b.within(none_below, -1 - noted.below.high);
        if (noted.above.any()) b.within(-noted.above.low + (w.order == Watch::equality ? 1 : 0), none_above);
    };
    if (difference.state == Value::known) return each_form(difference.forms, keep);
    for (int i = 0; i < 2; ++i)
        each_form(forms_.in(w.operation, w.slot + i).forms, [](Bounds& b) { b.exact(); }); // too many to tell apart
}

// Of the operands of a tested_or(): RegisterForms::both have at most 32 bits.
void BlockBounds::bound_tested(uint32_t n, const Noted& noted) {
    for (int i = 0; i < 2; ++i) {
        const Noted::Range& v = noted.value[i];
        constexpr Wide end = Wide{1} << 32;
        if (v.any())
            each_form(forms_.in(n, 1 + i).forms,
                      [&](Bounds& b) { v.high < end ? b.within(-v.low, end - 1 - v.high) : b.exact(); });
    }
}

// The other operand has bits only below all that the form changes: then the result is a sum.
void BlockBounds::bound_bits(uint32_t n, const Noted& noted) {
    const int changing = forms_.in(n, 1).forms.none() ? 2 : 1;
    const Forms& forms = forms_.in(n, changing).forms;
    const Noted::Range& other = noted.value[2 - changing];
    if (other.any() && other.high >= Wide{1} << table_.zeros_of(forms)) each_form(forms, [](Bounds& b) { b.exact(); });
}

// The rest stays less than the divisor, and nothing becomes negative.
void BlockBounds::bound_division(const Watch& w, const Noted& noted) {
    if (!noted.value[0].any()) return;
    keep_in_type(w, 0, noted);
    const Forms forms = forms_.in(w.operation, 1).forms;
    const Value rest = RegisterForms::each(
        forms, [&](Form f) { return table_.sum(f, table_.quotient(f, w.divisor), ~w.divisor + 1); });
    each_form(forms,
              [&](Bounds& b) { noted.value[0].low < 0 ? b.exact() : b.within(-noted.value[0].low, none_above); });
    if (rest.state == Value::known)
        return each_form(rest.forms,
                         [&](Bounds& b) { b.within(-noted.value[1].low, Wide{w.divisor} - 1 - noted.value[1].high); });
    each_form(forms, [](Bounds& b) { b.exact(); });
}

// Whether a cp.async reads anything.
void BlockBounds::bound_size(uint32_t n, const Noted& noted) {
    const Noted::Range& bytes = noted.value[0];
    if (!bytes.any()) return;
    each_form(forms_.in(n, 0).forms, [&](Bounds& b) { b.exact(); });
}

// The box stays inside the tensor in each dimension in which it moves, and moves there by whole sectors.
void BlockBounds::bound_box(uint32_t n, const Noted& noted) {
    for (int d = 0; d < code_.p.bulk_copies[code_.op(n).detail.number].dimensions; ++d) {
        const Noted::Index& index = noted.index[d];
        if (!index.at.any()) continue;
        each_form(forms_.in(n, d + 2).forms, [&](Bounds& b) {
            if (index.at.low < 0 || index.at.high > index.last) return b.exact();
            b.within(-index.at.low, index.last - index.at.high);
            b.multiple(sector / std::min<uint64_t>(sector, index.step & (~index.step + 1)));
        });
    }
}

// The access moves by whole sectors and stays in its buffer; all lanes together, or they might meet in other sectors.
void BlockBounds::bound(uint32_t n, const PathCondition::Reached& reached) {
    if (reached.low > reached.end) return;
    const bool reads = code_.op(n).source != no_row && forms_.in(n, Code::address).forms.none();
    const Forms forms = forms_.in(n, reads ? Code::source : Code::address).forms;
    each_form(forms, [&](Bounds& b) {
        b.multiple(sector);
        if (reached.exact) return b.exact();
        b.within(Wide{reached.first} - reached.low, Wide{reached.last} - reached.end);
    });
    // A cp.async that says how much it reads lets lanes that read nothing point anywhere, mostly where all blocks do: they meet nobody.
    const bool may_read_nothing = reads && code_.op(n).row[0] != no_row;
    const Form* const first =
        std::find_if(forms.begin(), forms.end(), [&](Form f) { return !may_read_nothing || f != no_form; });
    for (const Form* other = first; other != forms.end(); ++other)
        each_form(table_.sum(*other, *first, ~uint64_t{0}), [](Bounds& b) { b.exact(); });
}

} // namespace sim
