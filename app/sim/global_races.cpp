// Races between blocks on global memory: one block writes, another reads or writes something else, and nothing orders the two.
#include "sim/block.h"
#include "sim/vectors.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace sim {
namespace {

class Locked { // one page at a time
public:
    Locked() = default;
    ~Locked() { release(); }
    Locked(const Locked&) = delete;
    Locked& operator=(const Locked&) = delete;
    void lock(ShadowPage* page) {
        if (page == page_) return;
        release();
        page_ = page;
        while (page_ && page_->busy.test_and_set(std::memory_order_acquire)) {
        }
    }
    void release() {
        if (page_) page_->busy.clear(std::memory_order_release);
        page_ = nullptr;
    }

private:
    ShadowPage* page_ = nullptr;
};

bool strong(Strength s) { return s != Strength::weak; }

} // namespace

// A word is taken when the access is over, and known to be over at the next access: what another block publishes between
// this look and the access itself is seen by it, too.
void Block::take_awaited() {
    constexpr size_t most = 4096; // of one block: beyond that the oldest names go
    if (run_.publications.any()) {
        for (const uint64_t word : awaited_) {
            for (auto* taken : {&taken_, &taken_since_})
                if (taken->size() >= most) taken->erase(taken->begin());
            taken_[word] = taken_since_[word] = run_.publications.now();
            ++takes_;
        }
    }
    awaited_.clear();
}

// What the block does from now on is told apart from what it did before.
void Block::begin_count() {
    if (!counted_ && published_ < GlobalTouch::most_published) ++published_;
    counted_ = true;
}

void Block::synchronise_global(const Warp& w, const Operation& op, const Access& a, uint32_t lanes) {
    for (int i = 0; i < 32; ++i) {
        if (!(lanes >> i & 1)) continue;
        const uint64_t word = a.at[static_cast<size_t>(i)] / 4;
        const bool takes = a.direction == Access::load || (a.direction == Access::atomic && !program_.blind[op.pc]);
        if (takes && (awaited_.empty() || awaited_.back() != word)) awaited_.push_back(word);
        if (a.direction == Access::load || !(w.fenced || op.strength == Strength::publishes)) continue;
        if (op.strength == Strength::publishes || published_ >= GlobalTouch::most_published / 2) begin_count();
        run_.publications.publish(number_, published_, word, taken_since_);
    }
}

// Whether `before` is of another block, in conflict with this access and not known to have happened before it.
bool Block::global_races(GlobalTouch before, bool wrote, const Operation& op, uint32_t mask, bool writes) {
    if (before.bits == 0 || before.block() == number_ || !(before.mask() & mask)) return false;
    const bool was_strong = strong(program_.strengths[before.pc()]), is_strong = strong(op.strength);
    if (was_strong && is_strong) return false;
    if (wrote != writes && (was_strong || is_strong))
        return false; // a plain read beside atomics is as good as an atomic one
    if (known_in_cluster(before)) return false;
    return !knows(before);
}

// Whether the block has taken what this one's block published since. What is known stays known; what is not is asked for again when
// something has been taken.
bool Block::knows(GlobalTouch before) {
    if (!run_.publications.any()) return false;
    Asked& asked = asked_[before.block()];
    if (before.published() < asked.known_below) return true;
    if (before.published() >= asked.unknown_from && asked.when == takes_) return false;
    const bool known = run_.publications.known(before.block(), before.published(), taken_);
    if (known) asked.known_below = before.published() + 1;
    else asked.unknown_from = before.published(), asked.when = takes_;
    return known;
}

// What each lane stores, lane by lane, where the rows do not hold it so; room for 64 bytes of each. nullptr: it is not known.
const uint32_t* Block::stored_words(const Warp& w, const Operation& op,
                                    std::array<uint32_t, 16 * trace::warp_size>& room) {
    if (!op.stores_rows || op.bytes > 8 || op.elements * op.bytes > 64) return nullptr;
    if (op.elements == 1 && op.bytes == op.width[0]) return row<uint32_t>(w, op.row[0]);
    auto* const bytes = reinterpret_cast<std::byte*>(room.data());
    const size_t all = size_t{op.elements} * op.bytes;
    for (unsigned e = 0; e < op.elements; ++e) {
        const std::byte* const from = row<std::byte>(w, op.row[e]);
        for (size_t i = 0; i < trace::warp_size; ++i)
            std::memcpy(bytes + i * all + e * op.bytes, from + i * op.width[e], op.bytes);
    }
    return room.data();
}

// Notes loads and stores of whole words that no other block has touched, stretch by stretch: no conflict is to be looked for. Gives the lanes
// from the first stretch on whose words are not such.
uint32_t Block::note_own_words(const Warp& w, const Operation& op, const Access& a, uint32_t lanes, const Segment& s) {
    Pattern* const p = a.pattern;
    const uint64_t low = a.low - s.first;
    const bool whole_words = p && p->near && a.bytes % 4 == 0 && ((low | p->ones) & (a.bytes - 1)) == 0;
    if (!whole_words || lanes != a.active || a.direction == Access::atomic || op.strength != Strength::weak)
        return lanes;
    find_runs(*p);
    if (p->overlaps) return lanes;
    std::array<uint32_t, 16 * trace::warp_size> room;
    const uint32_t* const stored = a.direction == Access::store ? stored_words(w, op, room) : nullptr;
    if (a.direction == Access::store && !stored) return lanes;
    constexpr uint32_t all_bytes = 15;
    const auto each = static_cast<uint32_t>(std::countr_zero(a.bytes / 4));
    GlobalStretch stretch{.block = number_,
                          .touch = GlobalTouch::of(number_, published_, w.index, 0, all_bytes, op.pc).bits,
                          .each = each};
    Locked locked;
    for (uint32_t r = 0; r < p->runs; ++r) {
        const uint64_t first = (low + p->run[r].at) / 4, end = first + p->run[r].bytes / 4;
        for (uint64_t word = first; word < end; word += stretch.count) {
            const uint64_t in_page = word % ShadowPage::words;
            ShadowPage* const page = run_.shadow.page(s.watched, word / ShadowPage::words);
            if (page) locked.lock(page);
            if (!page || (stored ? page->strong != nullptr : !run_.shadow.hold_readers(*page)))
                return lanes & ~uint32_t{0} << p->run[r].lane;
            stretch.count = static_cast<uint32_t>(std::min(end - word, ShadowPage::words - in_page));
            stretch.lane = p->run[r].lane + (static_cast<uint32_t>(word - first) >> each);
            stretch.writer = &page->writer[in_page].bits;
            stretch.reader = page->readers ? &page->readers->reader[in_page].bits : nullptr;
            stretch.other_reader = page->readers ? &page->readers->other_reader[in_page].bits : nullptr;
            stretch.value = &page->value[in_page];
            stretch.stored = stored ? stored + (uint64_t{p->run[r].lane} << each) + (word - first) : nullptr;
            if (!program_.vectors->note_global(stretch)) return lanes & ~uint32_t{0} << p->run[r].lane;
        }
    }
    return 0;
}

void Block::watch(const Warp& w, const Operation& op, const Access& a, uint32_t lanes, const Segment& s) {
    constexpr uint64_t cost = 48; // as many instructions take
    fuel.charge(cost);
    take_awaited();
    counted_ = false;
    lanes = note_own_words(w, op, a, lanes, s);
    if (lanes == 0) return;
    Locked locked;
    ShadowPage* page = nullptr; // number `index`: mostly the same for all lanes
    uint64_t index = 0;
    for (int i = 0; i < 32; ++i) {
        if (!(lanes >> i & 1)) continue;
        const uint64_t at = a.at[static_cast<size_t>(i)], end = at + a.bytes;
        std::byte stored[64];
        const bool knows = a.direction == Access::store && stored_bytes(w, op, i, stored);
        for (uint64_t word = (at - s.first) / 4; word <= (end - 1 - s.first) / 4; ++word) {
            if (!page || index != word / ShadowPage::words) {
                index = word / ShadowPage::words;
                page = run_.shadow.page(s.watched, index);
            }
            locked.lock(page);
            if (!page) continue;
            const uint64_t address = s.first + word * 4, from = std::max(at, address), to = std::min(end, address + 4);
            watch_word(w, op, a.direction != Access::load, i, from, ((1u << (to - from)) - 1) << (from & 3),
                       knows ? stored + (from - at) : nullptr, *page, word % ShadowPage::words);
        }
    }
    locked.release();
    for (const GlobalConflict& c : global_conflicts_) global_race(w, op, c);
    global_conflicts_.clear();
    if (strong(op.strength)) synchronise_global(w, op, a, lanes);
}

void Block::watch_word(const Warp& w, const Operation& op, bool writes, int lane, uint64_t address, uint32_t mask,
                       const std::byte* stored, ShadowPage& page, uint64_t word) {
    const GlobalTouch touch = GlobalTouch::of(number_, published_, w.index, static_cast<uint32_t>(lane), mask, op.pc);
    GlobalTouch& writer = page.writer[word];
    const auto note_conflict = [&](GlobalTouch before, bool wrote) {
        const auto same =
            std::find_if(global_conflicts_.begin(), global_conflicts_.end(), [&](const GlobalConflict& c) {
                return c.before.pc() == before.pc() && c.before.block() == before.block() && c.wrote == wrote;
            });
        GlobalConflict& c = same != global_conflicts_.end()
                                ? *same
                                : global_conflicts_.emplace_back(GlobalConflict{before, wrote, address, 0, 0});
        c.lanes |= 1u << lane;
        c.lanes_before |= 1u << before.lane();
    };
    uint32_t value = page.value[word];
    if (stored)
        std::memcpy(reinterpret_cast<std::byte*>(&value) + (address & 3), stored,
                    static_cast<size_t>(__builtin_popcount(mask)));
    const bool changes = !stored || value != page.value[word];
    if (changes && global_races(writer, true, op, mask, writes)) note_conflict(writer, true);
    if (writes && page.strong && !strong(op.strength)) {
        // Threads of the engine may note two atomics in another order than they carry them out, so the last one noted need not be the
        // one whose block saw all others.
        for (const GlobalTouch before : {page.strong->writer[word], page.strong->other_writer[word]})
            if ((changes || is_atomic(before.pc())) && global_races(before, true, op, mask, true) &&
                !run_.publications.seen(before.block(), before.published(), address / 4, taken_)) {
                note_conflict(before, true);
                break;
            }
    }
    const auto note = [&](GlobalTouch& noted) {
        const uint64_t bytes = noted.bits && noted.block() == number_ ? uint64_t{noted.mask()} << 21 : 0;
        noted.bits = touch.bits | bytes;
    };
    if (!writes) {
        if (!run_.shadow.hold_readers(page)) return;
        GlobalTouch &reader = page.readers->reader[word], &other = page.readers->other_reader[word];
        if (reader.bits == 0 || reader.block() == number_) note(reader);
        else note(other);
        return;
    }
    if (page.readers) {
        const GlobalTouch reader = page.readers->reader[word], other = page.readers->other_reader[word];
        if (global_races(reader, false, op, mask, true)) note_conflict(reader, false);
        else if (global_races(other, false, op, mask, true)) note_conflict(other, false);
    }
    page.value[word] = value;
    if (!strong(op.strength)) return note(writer);
    if (!run_.shadow.hold_strong(page)) return;
    GlobalTouch &first = page.strong->writer[word], &another = page.strong->other_writer[word];
    // Who sees what an atomic found there comes after those whose atomics it saw; what it stores there then does so, too.
    if (is_atomic(op.pc) && !program_.blind[op.pc]) first = touch, another = {};
    else if (first.bits == 0 || first.block() == number_) note(first);
    else note(another);
}

bool Block::is_atomic(uint32_t pc) const { return program_.listing->instructions[pc].kind == trace::Kind::atomic; }

void Block::global_race(const Warp& w, const Operation& op, const GlobalConflict& c) {
    const bool writes = program_.listing->instructions[op.pc].kind != trace::Kind::load &&
                        program_.listing->instructions[op.pc].kind != trace::Kind::async_copy;
    const GlobalTouch before = c.before;
    report.race_between_blocks(
        trace::FindingKind::global_race, {op.pc, w.index, c.lanes, index_, writes},
        {before.pc(), before.warp(), c.lanes_before, base::position(before.block(), run_.launch.grid), c.wrote},
        report.names.global_array(c.at),
        report.names.global(op, c.at), base::say("address {:#x}", c.at));
}

} // namespace sim
