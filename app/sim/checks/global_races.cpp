#include "sim/checks/global_races.h"

#include "sim/lanes/vectors.h"
#include "sim/run/stores.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace sim {
namespace {

bool strong(Strength s) { return s != Strength::weak; }

} // namespace

void GlobalRaces::synchronise(const Warp& w, const Operation& op, const Access& a, uint32_t lanes) {
    for (size_t i = 0; i < trace::warp_size; ++i) {
        if (!(lanes >> i & 1)) continue;
        const uint64_t word = a.at[i] / 4;
        if (a.direction == Access::load || (a.direction == Access::atomic && !block_.program.blind[op.pc]))
            order_.acquire(word);
        const bool at_access = op.strength == Strength::publishes;
        if (a.direction != Access::load && (w.fenced || at_access)) order_.release(word, at_access);
    }
}

// Whether `before` is of another block, in conflict with this access and not known to have happened before it.
bool GlobalRaces::races(GlobalTouch before, bool wrote, const Operation& op, uint32_t mask, bool writes) {
    if (before.bits == 0 || before.block() == block_.number || !(before.mask() & mask)) return false;
    const bool was_strong = strong(block_.program.strengths[before.pc()]), is_strong = strong(op.strength);
    if (was_strong && is_strong) return false;
    if (wrote != writes && (was_strong || is_strong))
        return false; // a plain read beside atomics is as good as an atomic one
    return !cluster_order_.before(before) && !order_.before(before.block(), before.epoch());
}

// Notes loads and stores of whole words that no other block has touched, stretch by stretch: no conflict is to be looked for. Gives the lanes
// from the first stretch on whose words are not such.
uint32_t GlobalRaces::note_own_words(const Warp& w, const Operation& op, const Access& a, uint32_t lanes,
                                     const Segment& s) {
    Pattern* const p = a.pattern;
    const uint64_t low = a.low - s.first;
    const bool whole_words = p && p->near && a.bytes % 4 == 0 && ((low | p->ones) & (a.bytes - 1)) == 0;
    if (!whole_words || lanes != a.active || a.direction == Access::atomic || op.strength != Strength::weak)
        return lanes;
    find_runs(*p);
    if (p->overlaps) return lanes;
    StoredRoom room;
    const uint32_t* const stored = a.direction == Access::store ? stored_words(w, op, room) : nullptr;
    if (a.direction == Access::store && !stored) return lanes;
    constexpr uint32_t all_bytes = 15;
    const auto each = static_cast<uint32_t>(std::countr_zero(a.bytes / 4));
    GlobalStretch stretch{.block = block_.number,
                          .touch = GlobalTouch::of(block_.number, epoch_, w.index, 0, all_bytes, op.pc).bits,
                          .each = each};
    PageLock lock;
    for (uint32_t r = 0; r < p->runs; ++r) {
        const uint64_t first = (low + p->run[r].at) / 4, end = first + p->run[r].bytes / 4;
        for (uint64_t word = first; word < end; word += stretch.count) {
            const uint64_t in_page = word % ShadowPage::words;
            ShadowPage* const page = block_.run.shadow.page(s.watched, word / ShadowPage::words);
            if (page) lock.lock(page);
            if (!page || (stored ? page->strong != nullptr : !block_.run.shadow.hold_readers(*page)))
                return lanes & ~uint32_t{0} << p->run[r].lane;
            stretch.count = static_cast<uint32_t>(std::min(end - word, ShadowPage::words - in_page));
            stretch.lane = p->run[r].lane + (static_cast<uint32_t>(word - first) >> each);
            stretch.writer = &page->writer[in_page].bits;
            stretch.reader = page->readers ? &page->readers->reader[in_page].bits : nullptr;
            stretch.other_reader = page->readers ? &page->readers->other_reader[in_page].bits : nullptr;
            stretch.value = &page->value[in_page];
            stretch.stored = stored ? stored + (uint64_t{p->run[r].lane} << each) + (word - first) : nullptr;
            if (!block_.program.vectors->note_global(stretch)) return lanes & ~uint32_t{0} << p->run[r].lane;
        }
    }
    return 0;
}

void GlobalRaces::begin() {
    constexpr uint64_t cost = 48; // as many instructions take
    fuel_.charge(cost);
    order_.complete_acquisitions();
    order_.note_access();
    epoch_ = order_.epoch();
}

void GlobalRaces::check(const Warp& w, const Operation& op, const Access& a, uint32_t lanes, const Segment& s) {
    if (a.direction == Access::atomic) return; // each lane is checked when it is carried out
    begin();
    lanes = note_own_words(w, op, a, lanes, s);
    if (lanes == 0) return;
    PageLock lock;
    for (int i = 0; i < 32; ++i)
        if (lanes >> i & 1) check_lane(w, op, a, i, s, lock);
    lock.release();
    end(w, op);
    if (strong(op.strength)) synchronise(w, op, a, lanes);
}

// Who sees what an atomic leaves must find what it released: that is logged before.
void GlobalRaces::begin_atomics(const Warp& w, const Operation& op, const Access& a, uint32_t lanes) {
    begin();
    if (strong(op.strength)) synchronise(w, op, a, lanes);
}

void GlobalRaces::check_lane(const Warp& w, const Operation& op, const Access& a, int lane, const Segment& s,
                             PageLock& lock) {
    const uint64_t at = a.at[static_cast<size_t>(lane)], end = at + a.bytes;
    std::byte stored[64];
    const bool knows = a.direction == Access::store && stored_bytes(w, op, lane, stored);
    for (uint64_t word = (at - s.first) / 4; word <= (end - 1 - s.first) / 4; ++word) {
        ShadowPage* const page = block_.run.shadow.page(s.watched, word / ShadowPage::words);
        lock.lock(page);
        if (!page) continue;
        const uint64_t address = s.first + word * 4, from = std::max(at, address), to = std::min(end, address + 4);
        check_word(w, op, a.direction != Access::load, lane, from, ((1u << (to - from)) - 1) << (from & 3),
                   knows ? stored + (from - at) : nullptr, *page, word % ShadowPage::words);
    }
}

void GlobalRaces::end(const Warp& w, const Operation& op) {
    for (const Conflict& c : conflicts_) report(w, op, c);
    conflicts_.clear();
}

void GlobalRaces::check_word(const Warp& w, const Operation& op, bool writes, int lane, uint64_t address, uint32_t mask,
                             const std::byte* stored, ShadowPage& page, uint64_t word) {
    const GlobalTouch touch = GlobalTouch::of(block_.number, epoch_, w.index, static_cast<uint32_t>(lane), mask, op.pc);
    GlobalTouch& writer = page.writer[word];
    const auto note_conflict = [&](GlobalTouch before, bool wrote) {
        const auto same = std::find_if(conflicts_.begin(), conflicts_.end(), [&](const Conflict& c) {
            return c.before.pc() == before.pc() && c.before.block() == before.block() && c.wrote == wrote;
        });
        Conflict& c =
            same != conflicts_.end() ? *same : conflicts_.emplace_back(Conflict{before, wrote, address, 0, 0});
        c.lanes |= 1u << lane;
        c.lanes_before |= 1u << before.lane();
    };
    uint32_t value = page.value[word];
    if (stored)
        std::memcpy(reinterpret_cast<std::byte*>(&value) + (address & 3), stored,
                    static_cast<size_t>(__builtin_popcount(mask)));
    const bool changes = !stored || value != page.value[word];
    if (changes && races(writer, true, op, mask, writes)) note_conflict(writer, true);
    if (writes && page.strong && !strong(op.strength)) {
        // The access that releases is known together with what was before it: whoever waits for a counter may set it back.
        for (const GlobalTouch before : {page.strong->writer[word], page.strong->other_writer[word]})
            if ((changes || is_atomic(before.pc())) && races(before, true, op, mask, true) &&
                !order_.seen(before.block(), before.epoch(), address / 4)) {
                note_conflict(before, true);
                break;
            }
    }
    const auto note = [&](GlobalTouch& noted) {
        const uint64_t bytes = noted.bits && noted.block() == block_.number ? uint64_t{noted.mask()} << 21 : 0;
        noted.bits = touch.bits | bytes;
    };
    if (!writes) {
        if (!block_.run.shadow.hold_readers(page)) return;
        GlobalTouch &reader = page.readers->reader[word], &other = page.readers->other_reader[word];
        if (reader.bits == 0 || reader.block() == block_.number) note(reader);
        else note(other);
        return;
    }
    if (page.readers) {
        const GlobalTouch reader = page.readers->reader[word], other = page.readers->other_reader[word];
        if (races(reader, false, op, mask, true)) note_conflict(reader, false);
        else if (races(other, false, op, mask, true)) note_conflict(other, false);
    }
    page.value[word] = value;
    if (!strong(op.strength)) return note(writer);
    if (!block_.run.shadow.hold_strong(page)) return;
    GlobalTouch &first = page.strong->writer[word], &another = page.strong->other_writer[word];
    // Who sees what an atomic found there comes after those whose atomics it saw; what it stores there then does so, too.
    if (is_atomic(op.pc) && !block_.program.blind[op.pc]) first = touch, another = {};
    else if (first.bits == 0 || first.block() == block_.number) note(first);
    else note(another);
}

bool GlobalRaces::is_atomic(uint32_t pc) const {
    return block_.program.listing->instructions[pc].kind == trace::Kind::atomic;
}

void GlobalRaces::report(const Warp& w, const Operation& op, const Conflict& c) {
    const bool writes = block_.program.listing->instructions[op.pc].kind != trace::Kind::load &&
                        block_.program.listing->instructions[op.pc].kind != trace::Kind::async_copy;
    const GlobalTouch before = c.before;
    report_.race_between_blocks(
        trace::FindingKind::global_race, {op.pc, w.index, c.lanes, block_.index, writes},
        {before.pc(), before.warp(), c.lanes_before, base::position(before.block(), block_.run.launch.grid), c.wrote},
        report_.names.global_array(c.at), report_.names.global(op, c.at), base::say("address {:#x}", c.at));
}

} // namespace sim
