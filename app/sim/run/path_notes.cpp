#include "sim/run/path_notes.h"

#include "sim/kinds/block_forms.h"
#include "sim/run/block.h"

#include <algorithm>
#include <cstring>

namespace sim {

void watch_form(Warp& w, const Operation& op, uint32_t active) { w.block->path_notes.execute(w, op, active); }

namespace {

template <class F>
void each_lane(uint32_t active, F f) {
    for (uint32_t left = active; left != 0; left &= left - 1) f(std::countr_zero(left));
}

Wide lane(const Warp& w, RowAt at, uint8_t bits, bool is_signed, int n) {
    switch (bits) {
    case 16: return is_signed ? Wide{row<int16_t>(w, at)[n]} : Wide{row<uint16_t>(w, at)[n]};
    case 32: return is_signed ? Wide{row<int32_t>(w, at)[n]} : Wide{row<uint32_t>(w, at)[n]};
    default: return is_signed ? Wide{row<int64_t>(w, at)[n]} : Wide{row<uint64_t>(w, at)[n]};
    }
}

void note_values(const Warp& w, const Operation& op, uint32_t active, const Watch& watch, Noted& noted) {
    for (int i = 0; i < 2; ++i)
        if (watch.bits[i] != 0)
            each_lane(active, [&](int n) {
                noted.value[i].add(lane(w, op.row[watch.slot + i], watch.bits[i], watch.is_signed, n));
            });
}

void note_comparison(const Warp& w, const Operation& op, uint32_t active, const Watch& watch, Noted& noted) {
    note_values(w, op, active, watch, noted);
    const int shift = watch.order == Watch::less_or_equal ? 1 : 0;
    each_lane(active, [&](int n) {
        const Wide d = lane(w, op.row[watch.slot], watch.bits[0], watch.is_signed, n) -
                       lane(w, op.row[watch.slot + 1], watch.bits[1], watch.is_signed, n) - shift;
        (d < 0 ? noted.below : watch.order == Watch::equality && d == 0 ? noted.equal : noted.above).add(d);
    });
}

void note_division(const Warp& w, const Operation& op, uint32_t active, const Watch& watch, Noted& noted) {
    each_lane(active, [&](int n) {
        const Wide v = lane(w, op.row[watch.slot], watch.bits[0], watch.is_signed, n);
        noted.value[0].add(v);
        if (v >= 0) noted.value[1].add(v % watch.divisor);
    });
}

void note_choice(const Warp& w, const Operation& op, uint32_t active, Noted& noted) {
    uint32_t first = *row<uint32_t>(w, op.row[3]);
    if (op.negated_predicate >> 3 & 1) first = ~first;
    noted.chosen[0] |= (first & active) != 0;
    noted.chosen[1] |= (~first & active) != 0;
}

} // namespace

void PathNotes::reset() { noted_.assign(block_.run.forms ? block_.run.forms->dependences().watches().size() : 0, {}); }

void PathNotes::execute(Warp& w, const Operation& op, uint32_t active) {
    const uint32_t number = block_.run.forms->dependences().watch_of(block_.number_of(op));
    const Watch& watch = block_.run.forms->dependences().watches()[number];
    Noted& noted = noted_[number];
    switch (watch.kind) {
    case Watch::compare: note_comparison(w, op, active, watch, noted); break;
    case Watch::range: note_values(w, op, active, watch, noted); break;
    case Watch::divide: note_division(w, op, active, watch, noted); break;
    case Watch::choose: note_choice(w, op, active, noted); break;
    case Watch::generic:
        each_lane(active, [&](int n) { noted.elsewhere |= row<uint64_t>(w, op.address)[n] >= module_window; });
        break;
    case Watch::box: each_lane(active, [&](int n) { note_box(w, op, n, noted); }); break;
    }
    (active == ~0u ? watch.full : watch.masked)(w, op, active);
}

void PathNotes::note_box(const Warp& w, const Operation& op, int n, Noted& noted) {
    trace::TensorMap map;
    const uint64_t address = row<uint64_t>(w, op.source)[n] + static_cast<uint64_t>(op.source_offset);
    const Segment* s = segments_.find(address, address + sizeof map);
    if (!s) return; // a finding
    std::memcpy(&map, Segments::host(*s, address, sizeof map, false), sizeof map);
    if (!trace::fault_of(map).empty()) return;
    for (size_t d = 0; d < map.dimensions && op.row[d + 2] != no_row; ++d) {
        Noted::Index& index = noted.index[d];
        index.at.add(row<int32_t>(w, op.row[d + 2])[n]);
        index.last = static_cast<int64_t>(map.size[d]) - map.box[d];
        index.step = d == 0 ? map.element_bytes : map.stride[d - 1];
    }
}

// Of the accesses to global memory only the lowest and the highest address are kept.
PathCondition PathNotes::condition() {
    PathCondition told{noted_, recorder_.edges(), {}};
    for (const uint32_t n : block_.run.forms->dependences().accesses()) {
        const Operation& op = block_.program.operations[n];
        const Segments::Reached& r = segments_.reached(op);
        PathCondition::Reached& its = told.reached.emplace_back();
        if (r.low > r.high) continue;
        its.low = r.low;
        its.end = r.high + uint64_t{op.bytes} * op.elements;
        if (const Segment* s = segments_.find(its.low, its.end)) its.first = s->first, its.last = s->first + s->bytes;
        else its.exact = true;
    }
    return told;
}

} // namespace sim
