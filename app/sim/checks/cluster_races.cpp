#include "sim/checks/cluster_races.h"

#include "sim/lanes/vectors.h"
#include "sim/run/cluster.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace sim {

using base::say;

void ClusterRaces::reset() {
    shadow_.reset(static_cast<uint32_t>(block_.shared.data.size()));
    released_.clear();
}

RemoteTouch ClusterRaces::touch(const Warp& w, const Operation& op, uint32_t lane, const ClusterRaces& home) const {
    constexpr uint8_t all_bytes = 15;
    return {.by = &op,
            .epoch = block_.shared.epoch(),
            .known = order_.known(home.block_.rank),
            .rank = static_cast<uint8_t>(block_.rank),
            .warp = static_cast<uint8_t>(w.index),
            .lane = static_cast<uint8_t>(lane),
            .mask = all_bytes};
}

bool ClusterRaces::log_reads(const Warp& w, const Operation& op, const Access& a, ClusterRaces& home) const {
    Pattern& p = *a.pattern;
    const uint64_t low = offset_of(a.low);
    const bool whole_words = p.near && a.bytes % 4 == 0 && ((low | p.ones) & (a.bytes - 1)) == 0;
    if (a.direction != Access::load || op.strength != Strength::weak || !whole_words || home.block_.ended ||
        !home.shadow_.logs_reads())
        return false;
    find_runs(p);
    if (p.overlaps) return false;
    const uint8_t* const state = home.block_.shared.state.data() + low;
    for (uint32_t r = 0; r < p.runs; ++r)
        if (!block_.program.vectors->all_written(state + p.run[r].at, p.run[r].bytes)) return false;
    for (uint32_t r = 0; r < p.runs; ++r)
        home.shadow_.reads.push_back({touch(w, op, p.run[r].lane, home), static_cast<uint32_t>((low + p.run[r].at) / 4),
                                      p.run[r].bytes / 4, static_cast<uint32_t>(std::countr_zero(a.bytes / 4))});
    return true;
}

// Enters the reads that were only logged, before something else is.
void ClusterRaces::enter_reads() {
    const std::vector<RemoteReads> reads = std::exchange(shadow_.reads, {});
    for (const RemoteReads& r : reads)
        for (uint32_t n = 0; n < r.count; ++n) note_word(r.of(n), false, r.first + n);
}

void ClusterRaces::check(const Warp& w, const Operation& op, const Access& a, uint32_t lanes, ClusterRaces& home) {
    const bool writes = a.direction != Access::load;
    uint32_t pending = 0;
    for (uint32_t i = 0; i < trace::warp_size; ++i) {
        if (!(lanes >> i & 1)) continue;
        const uint64_t at = offset_of(a.at[i]), end = at + a.bytes;
        uint8_t* const state = home.block_.shared.state.data();
        RemoteTouch by = touch(w, op, i, home);
        pending |= std::find(state + at, state + end, SharedMemory::pending) != state + end ? 1u << i : 0u;
        for (uint64_t word = at / 4; word <= (end - 1) / 4; ++word) {
            by.mask = static_cast<uint8_t>(bytes_of_word(word, at, end));
            const uint64_t from = std::max(at, word * 4), to = std::min(end, word * 4 + 4);
            by.unwritten = a.direction != Access::store &&
                           std::find(state + from, state + to, SharedMemory::unwritten) != state + to;
            home.note(by, writes, from);
        }
        if (writes) std::fill(state + at, state + end, SharedMemory::written);
    }
    home.report();
    if (pending) copy_not_waited_for(w, op, a, pending);
    if (op.strength >= Strength::atomic) synchronise(w, op, a, lanes, home);
}

void ClusterRaces::note(const RemoteTouch& touch, bool writes, uint64_t at) {
    if (block_.ended) outlived(touch, writes, at);
    else note_word(touch, writes, at / 4);
}

void ClusterRaces::note_word(const RemoteTouch& touch, bool writes, uint64_t word) {
    if (!shadow_.reads.empty()) enter_reads();
    RemoteWord& noted = shadow_.word(word);
    const ClusterOrder& order = block_.cluster.block(touch.rank).cluster_order;
    const auto compare = [&](const RemoteTouch& other, bool wrote) {
        if (!other.by || other.rank == touch.rank || !(other.mask & touch.mask) ||
            both_strong(other.by->strength, touch.by->strength))
            return;
        if (other.epoch >= order.known(other.rank))
            note_conflict({touch.by,
                           {touch.by->pc, touch.rank, touch.warp, 1u << touch.lane, writes},
                           {other.by->pc, other.rank, other.warp, 1u << other.lane, wrote},
                           word * 4});
    };
    compare(noted.writer, true);
    if (writes) compare(noted.reader, false), compare(noted.other_reader, false);
    // A copy lands when its barrier is waited for. Another of the block's warps may know already what was done after it was begun:
    // what the block does from here on comes later, and nothing will settle it again.
    if (touch.epoch < order_.known(touch.rank)) return compare_with_own(touch, writes, word);
    const bool first = !noted.reader.by || noted.reader.rank == touch.rank;
    RemoteTouch& slot = writes ? noted.writer : first ? noted.reader : noted.other_reader;
    const uint8_t mask = slot.by && slot.rank == touch.rank ? slot.mask : 0;
    if (slot.by) compare_with_own(slot, writes, word);
    slot = touch;
    slot.mask |= mask;
}

// Of what another block did to a word: whether this one did something there meanwhile.
void ClusterRaces::compare_with_own(const RemoteTouch& touch, bool wrote, uint64_t word) {
    SharedMemory& shared = block_.shared;
    if (shared.state[word * 4] == SharedMemory::mbarrier) return; // its touches are no accesses
    if (!wrote && !touch.unwritten && epoch_of(shared.writer[word]) < touch.known)
        return; // a read, after all that was written
    shared.enter_reads();
    bool raced = false;
    const auto compare = [&](Touch own, bool own_wrote) {
        if (epoch_of(own) < touch.known || !(mask_of(own) & touch.mask) ||
            both_strong(block_.program.strengths[pc_of(own)], touch.by->strength))
            return;
        note_conflict({touch.by,
                       {touch.by->pc, touch.rank, touch.warp, 1u << touch.lane, wrote},
                       {pc_of(own), block_.rank, warp_of(own), 1u << lane_of(own), own_wrote},
                       word * 4});
        raced = true;
    };
    compare(shared.writer[word], true);
    if (wrote) compare(shared.reader[word], false), compare(shared.other_reader[word], false);
    if (touch.unwritten && !raced) never_written(touch, word * 4);
    if (wrote) unwritten_.note_race(word, UnwrittenReads::other_block);
}

void ClusterRaces::compare_with_own(const RemoteReads& r, bool known) {
    const Touch* const writer = block_.shared.writer.data() + r.first;
    bool later = false; // something was written since the reader knew of this block
    for (uint32_t n = 0; n < r.count; ++n) later |= epoch_of(writer[n]) >= r.touch.known;
    if (!later && known) return;
    for (uint32_t n = 0; n < r.count; ++n) {
        compare_with_own(r.of(n), false, r.first + n);
        if (!known) outlived(r.of(n), false, uint64_t{r.first + n} * 4);
    }
}

// What the block knows is compared with what it did itself, and forgotten.
void ClusterRaces::settle(bool ended) {
    if (shadow_.empty()) return;
    std::erase_if(shadow_.reads, [&](const RemoteReads& r) {
        const bool known = r.touch.epoch < order_.known(r.touch.rank);
        if (known || ended) compare_with_own(r, known);
        return known || ended;
    });
    shadow_.keep_if([&](uint64_t n, RemoteWord& word) {
        const auto settle = [&](RemoteTouch& touch, bool wrote) {
            const bool known = touch.epoch < order_.known(touch.rank);
            if (!touch.by || (!known && !ended)) return;
            compare_with_own(touch, wrote, n);
            if (!known) outlived(touch, wrote, n * 4);
            touch = {};
        };
        settle(word.writer, true), settle(word.reader, false), settle(word.other_reader, false);
        if (!word.reader.by) std::swap(word.reader, word.other_reader);
        return word.writer.by || word.reader.by;
    });
    report();
}

void ClusterRaces::acquire(const ClusterClock& clock) {
    if (order_.acquire(clock)) settle(false);
}

// As SharedRaces::synchronise, between blocks.
void ClusterRaces::synchronise(const Warp& w, const Operation& op, const Access& a, uint32_t lanes,
                               ClusterRaces& home) {
    const auto each_word = [&](auto f) {
        for (size_t i = 0; i < trace::warp_size; ++i)
            if (lanes >> i & 1) f(offset_of(a.at[i]) / 4);
    };
    if (!home.released_.empty())
        each_word([&](uint64_t word) {
            if (const auto it = home.released_.find(word); it != home.released_.end()) acquire(it->second);
        });
    if (a.direction == Access::load || !(w.fenced || op.strength == Strength::publishes)) return;
    const ClusterClock mine = order_.release(w.index);
    each_word([&](uint64_t word) { join(home.released_[word], mine); });
}

void ClusterRaces::note_conflict(const Conflict& conflict) {
    const auto alike = [](const Conflict::Side& a, const Conflict::Side& b) {
        return a.pc == b.pc && a.rank == b.rank && a.warp == b.warp && a.writes == b.writes;
    };
    const auto same = std::find_if(conflicts_.begin(), conflicts_.end(), [&](const Conflict& c) {
        return alike(c.one, conflict.one) && alike(c.two, conflict.two);
    });
    if (same == conflicts_.end()) {
        conflicts_.push_back(conflict);
    } else {
        same->one.lanes |= conflict.one.lanes;
        same->two.lanes |= conflict.two.lanes;
    }
}

void ClusterRaces::report() {
    for (const Conflict& c : conflicts_) {
        const auto access = [&](const Conflict::Side& s) {
            return Report::BlockAccess{s.pc, s.warp, s.lanes, block_.cluster.block(s.rank).context.index, s.writes};
        };
        report_.race_between_blocks(trace::FindingKind::shared_race, access(c.one), access(c.two),
                                    report_.names.shared_array(c.at),
                                    say("{} of {}", report_.names.shared(*c.by, c.at), block_name(block_.index)),
                                    say("byte {} of its shared memory", c.at));
    }
    conflicts_.clear();
}

void ClusterRaces::outlived(const RemoteTouch& touch, bool wrote, uint64_t at) {
    Block& by = block_.cluster.block(touch.rank);
    if (by.report.gave_up() || report_.gave_up() || block_.run.stop) return;
    by.report.finding(
        trace::FindingKind::shared_race, by.context.warps[touch.warp], *touch.by, 1u << touch.lane,
        say("lane {} {} {} of {}, which may have ended by then, and its shared memory with it: a barrier of the cluster before the end makes it wait",
            touch.lane, wrote ? say("writes") : say("reads"), report_.names.shared(*touch.by, at),
            block_name(block_.index)),
        of_other_block);
}

void ClusterRaces::never_written(const RemoteTouch& touch, uint64_t at) {
    Block& by = block_.cluster.block(touch.rank);
    if (by.report.gave_up()) return;
    by.report.finding(trace::FindingKind::uninitialised_shared, by.context.warps[touch.warp], *touch.by,
                      1u << touch.lane,
                      say("lane {} reads {} of {}, which nothing has written", touch.lane,
                          report_.names.shared(*touch.by, at), block_name(block_.index)),
                      with_array(of_other_block, report_.names.shared_array(at)));
}

void ClusterRaces::copy_not_waited_for(const Warp& w, const Operation& op, const Access& a, uint32_t lanes) {
    const int lane = __builtin_ctz(lanes);
    report_.finding(trace::FindingKind::unwaited_async_copy, w, op, lanes,
                    say("lane {} {} {} before that block's wait for the asynchronous copy to it", lane, verb(a),
                        report_.names.shared(op, a.at[static_cast<size_t>(lane)])),
                    of_other_block);
}

} // namespace sim
