#include "sim/kinds/dependences.h"

#include <algorithm>
#include <bit>

namespace sim {

using Value = RegisterForms::Value;

namespace {

Watch of_numbers(Watch w, bool is_signed, uint8_t bits, int rows) {
    w.is_signed = is_signed;
    w.bits[0] = bits;
    w.bits[1] = rows == 2 ? bits : uint8_t{0};
    return w;
}

uint8_t bits_of(const Operation& op) { return op.width[0] == 8 ? 64 : op.width[0] == 2 ? 16 : 32; }

Watch::Order order_of(const Effect& e) {
    return e.order == Effect::equality        ? Watch::equality
           : e.order == Effect::less_or_equal ? Watch::less_or_equal
                                              : Watch::less;
}

} // namespace

Dependences::Dependences(const Code& code, const RegisterForms& forms, const Slice& slice)
    : code_(code), forms_(forms), slice_(slice) {
    for (uint32_t n = 0; n < code.size() && why_.empty(); ++n) check(n);
}

void Dependences::fail(base::Sentence why) {
    if (why_.empty()) why_ = std::move(why);
}

void Dependences::fail(uint32_t n, base::Phrase what, const Value& v) {
    const int line = code_.p.listing->instructions[code_.op(n).pc].source_line;
    const base::Sentence place = line > 0 ? base::say("{} in line {}", base::Sentence(what), line) : what;
    fail(v.state == Value::loaded
             ? base::say("{} depends on what is in memory", place)
             : base::say("{} depends on the block's index by arithmetic that is not followed", place));
}

// What has a form only stands for those where it is the same.
void Dependences::must_be_same(uint32_t n, int slot, base::Phrase what) {
    const Value v = forms_.in(n, slot);
    if (v.is_unclear()) fail(n, what, v);
    else if (v.varies()) exact_.push_back({n, slot});
}

void Dependences::must_be_clear(uint32_t n, base::Phrase what) {
    forms_.each_read(n, [&](const Value& v) {
        if (v.is_unclear()) fail(n, what, v);
    });
}

void Dependences::check(uint32_t n) {
    const Operation& o = code_.op(n);
    if (o.flow == Flow::unknown) return fail(base::say("there is a statement that the engine does not execute"));
    if (o.guard != no_row) must_be_same(n, Code::guard, base::phrase("which lanes execute an instruction"));
    if (o.flow == Flow::multiway) must_be_same(n, 0, base::phrase("where a branch leads"));
    if (o.flow == Flow::barrier)
        must_be_same(n, 1, base::phrase("a barrier's number")), must_be_same(n, 2, base::phrase("a barrier's count"));
    if (o.flow == Flow::poll) must_be_same(n, 1, base::phrase("the phase of an mbarrier"));
    if (code_.what(n) == What::copy_async)
        must_be_same(n, 1, base::phrase("whether something is copied")), check_size(n);
    if (code_.what(n) == What::mbarrier) must_be_same(n, 1, base::phrase("the count of an mbarrier"));
    if (code_.what(n) == What::load_fragment || code_.what(n) == What::store_fragment)
        must_be_clear(n, base::phrase("a stride"));
    if (code_.what(n) == What::bulk_copy) return check_bulk_copy(n);
    if (o.address != no_row) check_address(n, Code::address, o.space);
    if (o.source != no_row) check_address(n, Code::source, Space::global);
}

// Bytes that are read by a cp.async: what else it writes are zeros, which counts the same; whether there are any is what counts.
void Dependences::check_size(uint32_t n) {
    if (const Value v = forms_.in(n, 0); v.is_unclear()) fail(n, base::phrase("the size of a copy"), v);
}

void Dependences::check_address(uint32_t n, int slot, Space space) {
    const Value v = forms_.in(n, slot);
    if (v.is_unclear()) return fail(n, base::phrase("an address"), v);
    if (v.forms.none()) return;
    if (space != Space::global && space != Space::generic) return exact_.push_back({n, slot});
    accesses_.push_back(n);
}

void Dependences::check_bulk_copy(uint32_t n) {
    const Operation& o = code_.op(n);
    const BulkUse& u = code_.p.bulk_copies[o.detail.number];
    if (u.from_registers) return fail(base::say("there is an asynchronous store"));
    must_be_same(n, 1, base::phrase("an mbarrier's address"));
    must_be_same(n, 7, base::phrase("the mask of blocks"));
    if (u.dimensions == 0) {
        must_be_same(n, 0, base::phrase("the size of a copy"));
        check_address(n, Code::address, u.to_shared ? Space::shared : Space::global);
        check_address(n, Code::source, u.from_shared ? Space::shared : Space::global);
        return;
    }
    must_be_same(n, Code::address, base::phrase("an address in shared memory"));
    must_be_same(n, Code::source, base::phrase("the address of a tensor map"));
    must_be_clear(n, base::phrase("an index into a tensor"));
}

std::shared_ptr<const Program> Dependences::watch(const Program& executed) {
    const auto watched = std::make_shared<Program>(executed);
    slice_.apply(*watched);
    watch_of_.resize(code_.size());
    for (uint32_t n = 0; n < code_.size(); ++n) {
        std::optional<Watch> w = make_watch(n);
        if (!w) continue;
        Operation& o = watched->operations[n];
        w->operation = n;
        w->full = o.full;
        w->masked = o.masked;
        o.full = o.masked = watch_form;
        watch_of_[n] = static_cast<uint32_t>(watches_.size());
        watches_.push_back(*w);
    }
    return watched;
}

std::optional<Watch> Dependences::make_watch(uint32_t n) const {
    using enum What;
    const What what = code_.what(n);
    const Effect& e = code_.effect(n);
    bool plain = true;
    forms_.each_read(n, [&](const Value& v) { plain &= !v.varies(); });
    if (code_.what(n) == What::bulk_copy && code_.p.bulk_copies[code_.op(n).detail.number].dimensions > 0 && !plain)
        return Watch{.kind = Watch::box};
    if (code_.what(n) == What::copy_async && code_.op(n).row[0] != no_row && forms_.in(n, 0).varies())
        return of_numbers({.kind = Watch::range, .slot = 0}, false, 32, 1);
    if (code_.op(n).address != no_row)
        return code_.op(n).space == Space::generic && forms_.in(n, Code::address).varies()
                   ? std::optional(Watch{.kind = Watch::generic})
                   : std::nullopt;
    const RowAt result = std::popcount(e.written) == 0 ? no_row : code_.op(n).row[std::countr_zero(e.written)];
    const bool combines = what == bit_or || what == bit_xor;
    if (plain || result == no_row || (forms_.written(n).state != Value::known && !combines) ||
        forms_.is_variable(result))
        return {};
    if (!slice_.decides(n)) return {};
    switch (what) {
    case compare:
        return of_numbers({.kind = Watch::compare, .order = order_of(e), .slot = 2}, e.is_signed, e.source_bits, 2);
    case minimum:
    case maximum: return of_numbers({.kind = Watch::compare}, e.is_signed, e.source_bits, 2);
    case select: return Watch{.kind = Watch::choose};
    case convert:
        return e.bits > e.source_bits ? std::optional(of_numbers({}, e.is_signed, e.source_bits, 1)) : std::nullopt;
    case multiply:
    case multiply_add:
        return e.half == Effect::both ? std::optional(of_numbers({}, e.is_signed, e.source_bits, 2)) : std::nullopt;
    case shift_right:
    case bit_and:
    case divide:
    case remainder:
        if (forms_.divides(n))
            return of_numbers({.kind = Watch::divide, .divisor = *forms_.divisor(n)}, what != bit_and && e.is_signed,
                              what == bit_and ? bits_of(code_.op(n)) : e.source_bits, 1);
        return what == shift_right ? std::optional(of_numbers({}, e.is_signed, e.source_bits, 1)) : std::nullopt;
    case bit_or:
    case bit_xor: return of_numbers({}, false, bits_of(code_.op(n)), 2);
    default: return {};
    }
}

} // namespace sim
