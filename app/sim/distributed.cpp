// Distributed shared memory: what a block does to the shared memory of the others of its cluster (manual,
// sections 9.7.9.19, 9.7.9.23 and 9.7.9.24, and 5.1.7 on the windows), and whether they ordered it.
#include "sim/cluster.h"

#include "sim/vectors.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace sim {

void map_address(Warp& w, const Operation& op, uint32_t active) { w.block->map_address(w, op, active); }
void find_rank(Warp& w, const Operation& op, uint32_t active) { w.block->find_rank(w, op, active); }
void is_in_space(Warp& w, const Operation& op, uint32_t active) { w.block->find_space(w, op, active); }

// d, a, rank: the address of the same variable in another block of the cluster.
void Block::map_address(const Warp& w, const Operation& op, uint32_t active) {
    const uint32_t* rank = row<uint32_t>(w, op.row[2]);
    uint32_t beyond = 0;
    for (uint32_t i = 0; i < 32; ++i) {
        if (!(active >> i & 1)) continue;
        if (rank[i] >= cluster_.size()) beyond |= 1u << i;
        const uint64_t part = cluster_part(rank[i] < cluster_.size() ? rank[i] : no_rank);
        if (op.width[0] == 8) row<uint64_t>(w, op.row[0])[i] = (row<uint64_t>(w, op.row[1])[i] & ~rank_bits) | part;
        else
            row<uint32_t>(w, op.row[0])[i] =
                static_cast<uint32_t>((row<uint32_t>(w, op.row[1])[i] & ~rank_bits) | part);
    }
    if (beyond) report.no_such_block(w, op, beyond, rank[__builtin_ctz(beyond)]);
}

void Block::find_rank(const Warp& w, const Operation& op, uint32_t active) {
    for (uint32_t i = 0; i < 32; ++i)
        if (active >> i & 1)
            row<uint32_t>(w, op.row[0])[i] =
                rank_of(op.width[1] == 8 ? row<uint64_t>(w, op.row[1])[i] & (window_bytes - 1)
                                         : row<uint32_t>(w, op.row[1])[i]);
}

void Block::find_space(const Warp& w, const Operation& op, uint32_t active) {
    const uint64_t* a = row<uint64_t>(w, op.row[1]);
    uint32_t inside = 0;
    for (int i = 0; i < 32; ++i) {
        const Space space = a[i] >= local_window       ? Space::local
                            : a[i] >= shared_window    ? Space::shared
                            : a[i] >= parameter_window ? Space::parameter
                                                       : Space::global;
        const bool elsewhere = space == Space::shared && !op.reaches_cluster && rank_of(a[i] - shared_window) != rank_;
        inside |= space == op.space && !elsewhere ? 1u << i : 0u;
    }
    uint32_t* p = row<uint32_t>(w, op.row[0]);
    *p = (*p & ~active) | (inside & active);
}

uint32_t Block::rank_of(uint64_t shared_address) const {
    const uint64_t part = shared_address / rank_unit;
    return part == 0 ? rank_ : static_cast<uint32_t>(std::min<uint64_t>(part, window_bytes / rank_unit) - 1);
}

bool Block::is_distributed(const Access& a) const {
    if (a.high < rank_unit) return false;
    if (a.low >= rank_unit && rank_of(a.low) == rank_of(a.high) && rank_of(a.low) < cluster_.size())
        return true; // all lanes, to one block
    for (size_t i = 0; i < trace::warp_size; ++i) {
        const uint32_t rank = rank_of(a.at[i]);
        if (a.active >> i & 1 && a.at[i] >= rank_unit && (rank < cluster_.size() || rank == no_rank)) return true;
    }
    return false;
}

// The lanes of each block are resolved on their own.
std::byte* Block::resolve_distributed(Warp& w, const Operation& op, Access& a, std::byte** host) {
    check_alignment(w, op, a, Space::shared);
    recorder.access(op, a, trace::Space::cluster);
    if (std::byte* const all = resolve_in_one_block(w, op, a)) return all;
    uint32_t left = a.active;
    std::fill(host, host + trace::warp_size, nullptr);
    while (left) {
        const uint32_t rank = rank_of(a.at[static_cast<size_t>(__builtin_ctz(left))]);
        uint32_t lanes = 0;
        for (size_t i = 0; i < trace::warp_size; ++i) lanes |= rank_of(a.at[i]) == rank ? 1u << i : 0u;
        lanes &= left;
        left &= ~lanes;
        if (rank == no_rank) {
            continue; // found where the address was made
        } else if (rank >= cluster_.size()) {
            report.out_of_bounds(w, op, a, lanes, Space::shared);
        } else if (rank == rank_) {
            reach_own(w, op, a, lanes, host);
        } else if (!op.reaches_cluster) {
            needs_cluster_space(w, op, lanes, a.at[static_cast<size_t>(__builtin_ctz(lanes))]);
        } else {
            reach_remote(w, op, a, lanes, cluster_.block(rank), host);
        }
    }
    return nullptr;
}

// Where all lanes lead into one other block, in bounds: what nearly all such accesses do. Else nullptr, and nothing is done yet.
std::byte* Block::resolve_in_one_block(const Warp& w, const Operation& op, const Access& a) {
    const uint32_t rank = rank_of(a.low);
    if (!a.pattern || a.low < rank_unit || rank != rank_of(a.high) || rank >= cluster_.size() || rank == rank_ ||
        !op.reaches_cluster)
        return nullptr;
    Block& home = cluster_.block(rank);
    const SharedRange& range = shared_ranges_[op.memory_number];
    const uint64_t low = offset_of(a.low), end = offset_of(a.high) + a.bytes;
    if (low < range.first || end > range.end || end > home.shared_.data.size()) return nullptr;
    if (run_.options.checks && !log_remote_reads(w, op, a, home)) touch_remote(w, op, a, a.active, home);
    return home.shared_.data.data() + low;
}

// False: they are to be looked at one by one.
bool Block::log_remote_reads(const Warp& w, const Operation& op, const Access& a, Block& home) const {
    Pattern& p = *a.pattern;
    const uint64_t low = offset_of(a.low);
    const bool whole_words = p.near && a.bytes % 4 == 0 && ((low | p.ones) & (a.bytes - 1)) == 0;
    if (a.direction != Access::load || op.strength != Strength::weak || !whole_words || home.ended_ ||
        !home.remote_.logs_reads())
        return false;
    find_runs(p);
    if (p.overlaps) return false;
    for (uint32_t r = 0; r < p.runs; ++r)
        if (!program_.vectors->all_written(home.shared_.state.data() + low + p.run[r].at, p.run[r].bytes)) return false;
    constexpr uint8_t all_bytes = 15;
    for (uint32_t r = 0; r < p.runs; ++r) {
        const RemoteTouch touch{.by = &op,
                                .epoch = shared_.epoch(),
                                .known = cluster_order.known(home.rank_),
                                .rank = static_cast<uint8_t>(rank_),
                                .warp = static_cast<uint8_t>(w.index),
                                .lane = static_cast<uint8_t>(p.run[r].lane),
                                .mask = all_bytes};
        home.remote_.reads.push_back({touch, static_cast<uint32_t>((low + p.run[r].at) / 4), p.run[r].bytes / 4,
                                      static_cast<uint32_t>(std::countr_zero(a.bytes / 4))});
    }
    return true;
}

// Enters the reads that were only logged, before something else is.
void Block::enter_remote_reads() {
    const std::vector<RemoteReads> reads = std::exchange(remote_.reads, {});
    for (const RemoteReads& r : reads)
        for (uint32_t n = 0; n < r.count; ++n) note_remote(r.of(n), false, r.first + n);
}

// By addresses with the own rank.
void Block::reach_own(const Warp& w, const Operation& op, const Access& a, uint32_t lanes, std::byte** host) {
    trace::Addresses at;
    const uint64_t first = offset_of(a.at[static_cast<size_t>(__builtin_ctz(lanes))]);
    Access own{at, first, first, lanes, a.bytes, a.direction};
    for (size_t i = 0; i < trace::warp_size; ++i) {
        at[i] = lanes >> i & 1 ? offset_of(a.at[i]) : first;
        own.low = std::min(own.low, at[i]);
        own.high = std::max(own.high, at[i]);
    }
    std::byte* mine[trace::warp_size];
    std::byte* const base = reach_shared(w, op, own, mine);
    for (size_t i = 0; i < trace::warp_size; ++i)
        if (lanes >> i & 1) host[i] = base ? base + (at[i] - own.low) : mine[i];
}

void Block::reach_remote(const Warp& w, const Operation& op, const Access& a, uint32_t lanes, Block& home,
                         std::byte** host) {
    const SharedRange& range = shared_ranges_[op.memory_number];
    const uint64_t size = home.shared_.data.size();
    uint32_t good = 0, stray = 0, outside = 0; // as in reach_shared
    for (size_t i = 0; i < trace::warp_size; ++i) {
        if (!(lanes >> i & 1)) continue;
        const uint64_t at = offset_of(a.at[i]);
        const bool exists = at < size && a.bytes <= size - at,
                   inside = exists && at >= range.first && at + a.bytes <= range.end;
        if (exists) host[i] = home.shared_.data.data() + at;
        (inside ? good : exists ? stray : outside) |= 1u << i;
    }
    if (stray) report.beyond_array(w, op, a, stray);
    if (outside) report.out_of_bounds(w, op, a, outside, Space::shared);
    if (good && run_.options.checks) touch_remote(w, op, a, good, home);
}

// Notes at the other block what this one does there. Whether it is in conflict with what that block itself
// does is said when that block learns of it, or ends.
void Block::touch_remote(const Warp& w, const Operation& op, const Access& a, uint32_t lanes, Block& home) {
    check_mbarriers(w, op, a, lanes, home);
    const bool writes = a.direction != Access::load;
    uint32_t pending = 0;
    for (size_t i = 0; i < trace::warp_size; ++i) {
        if (!(lanes >> i & 1)) continue;
        const uint64_t at = offset_of(a.at[i]), end = at + a.bytes;
        const uint8_t* const state = home.shared_.state.data();
        RemoteTouch touch{.by = &op,
                          .epoch = shared_.epoch(),
                          .known = cluster_order.known(home.rank_),
                          .rank = static_cast<uint8_t>(rank_),
                          .warp = static_cast<uint8_t>(w.index),
                          .lane = static_cast<uint8_t>(i)};
        pending |=
            std::any_of(state + at, state + end, [](uint8_t s) { return s == SharedMemory::pending; }) ? 1u << i : 0u;
        for (uint64_t word = at / 4; word <= (end - 1) / 4; ++word) {
            touch.mask = static_cast<uint8_t>(bytes_of_word(word, at, end));
            const uint64_t from = std::max(at, word * 4), to = std::min(end, word * 4 + 4);
            touch.unwritten = a.direction != Access::store && std::any_of(state + from, state + to, [](uint8_t s) {
                                  return s == SharedMemory::unwritten;
                              });
            if (home.ended_) home.outlived(touch, writes, from);
            else home.note_remote(touch, writes, word);
        }
        if (writes)
            std::fill(home.shared_.state.begin() + static_cast<std::ptrdiff_t>(at),
                      home.shared_.state.begin() + static_cast<std::ptrdiff_t>(end), SharedMemory::written);
    }
    home.report_cluster_conflicts();
    if (pending) copy_not_waited_for(w, op, a, pending);
    if (op.strength >= Strength::atomic) synchronise_cluster(w, op, a, lanes, home);
}

void Block::note_remote(const RemoteTouch& touch, bool writes, uint64_t word) {
    if (!remote_.reads.empty()) enter_remote_reads();
    RemoteWord& noted = remote_.word(word);
    const ClusterOrder& order = cluster_.block(touch.rank).cluster_order;
    const auto compare = [&](const RemoteTouch& other, bool wrote) {
        if (!other.by || other.rank == touch.rank || !(other.mask & touch.mask) ||
            both_strong(other.by->strength, touch.by->strength))
            return;
        if (other.epoch >= order.known(other.rank))
            note_cluster_conflict({touch.by,
                                   {touch.by->pc, touch.rank, touch.warp, 1u << touch.lane, writes},
                                   {other.by->pc, other.rank, other.warp, 1u << other.lane, wrote},
                                   word * 4});
    };
    compare(noted.writer, true);
    if (writes) compare(noted.reader, false), compare(noted.other_reader, false);
    const bool first = !noted.reader.by || noted.reader.rank == touch.rank;
    RemoteTouch& slot = writes ? noted.writer : first ? noted.reader : noted.other_reader;
    const uint8_t mask = slot.by && slot.rank == touch.rank ? slot.mask : 0;
    if (slot.by) compare_with_own(slot, writes, word);
    slot = touch;
    slot.mask |= mask;
}

// Of what another block did to a word: whether this one did something there meanwhile.
void Block::compare_with_own(const RemoteTouch& touch, bool wrote, uint64_t word) {
    if (shared_.state[word * 4] == SharedMemory::mbarrier) return; // its touches are no accesses
    if (!wrote && !touch.unwritten && epoch_of(shared_.writer[word]) < touch.known)
        return; // a read, after all that was written
    shared_.enter_reads();
    bool raced = false;
    const auto compare = [&](Touch own, bool own_wrote) {
        if (epoch_of(own) < touch.known || !(mask_of(own) & touch.mask) ||
            both_strong(program_.strengths[pc_of(own)], touch.by->strength))
            return;
        note_cluster_conflict({touch.by,
                               {touch.by->pc, touch.rank, touch.warp, 1u << touch.lane, wrote},
                               {pc_of(own), rank_, warp_of(own), 1u << lane_of(own), own_wrote},
                               word * 4});
        raced = true;
    };
    compare(shared_.writer[word], true);
    if (wrote) compare(shared_.reader[word], false), compare(shared_.other_reader[word], false);
    if (touch.unwritten && !raced) never_written(touch, word * 4);
    for (UnwrittenRead& r : unwritten_reads_) r.raced |= wrote && r.at / 4 == word;
}

// Of logged reads.
void Block::compare_reads_with_own(const RemoteReads& r, bool knows) {
    const Touch* const writer = shared_.writer.data() + r.first;
    bool later = false; // something was written since the reader knew of this block
    for (uint32_t n = 0; n < r.count; ++n) later |= epoch_of(writer[n]) >= r.touch.known;
    if (!later && knows) return;
    for (uint32_t n = 0; n < r.count; ++n) {
        compare_with_own(r.of(n), false, r.first + n);
        if (!knows) outlived(r.of(n), false, uint64_t{r.first + n} * 4);
    }
}

void Block::settle_remote(bool ended) {
    if (remote_.empty()) return;
    std::erase_if(remote_.reads, [&](const RemoteReads& r) {
        const bool knows = r.touch.epoch < cluster_order.known(r.touch.rank);
        if (knows || ended) compare_reads_with_own(r, knows);
        return knows || ended;
    });
    remote_.keep_if([&](uint64_t n, RemoteWord& word) {
        const auto settle = [&](RemoteTouch& touch, bool wrote) {
            const bool knows = touch.epoch < cluster_order.known(touch.rank);
            if (!touch.by || (!knows && !ended)) return;
            compare_with_own(touch, wrote, n);
            if (!knows) outlived(touch, wrote, n * 4);
            touch = {};
        };
        settle(word.writer, true), settle(word.reader, false), settle(word.other_reader, false);
        if (!word.reader.by) std::swap(word.reader, word.other_reader);
        return word.writer.by || word.reader.by;
    });
    report_cluster_conflicts();
}

void Block::learn(const ClusterClock& clock) {
    if (cluster_order.acquire(clock)) settle_remote(false);
}

// As synchronise_shared, between blocks.
void Block::synchronise_cluster(const Warp& w, const Operation& op, const Access& a, uint32_t lanes, Block& home) {
    const auto each_word = [&](auto f) {
        for (size_t i = 0; i < trace::warp_size; ++i)
            if (lanes >> i & 1) f(offset_of(a.at[i]) / 4);
    };
    if (!home.told_to_cluster_.empty())
        each_word([&](uint64_t word) {
            if (const auto known = home.told_to_cluster_.find(word); known != home.told_to_cluster_.end())
                learn(known->second);
        });
    if (a.direction == Access::load || !(w.fenced || op.strength == Strength::publishes)) return;
    const ClusterClock mine = cluster_order.release(w.index);
    each_word([&](uint64_t word) { join(home.told_to_cluster_[word], mine); });
}

void Block::note_cluster_conflict(const ClusterConflict& conflict) {
    const auto alike = [](const ClusterConflict::Side& a, const ClusterConflict::Side& b) {
        return a.pc == b.pc && a.rank == b.rank && a.warp == b.warp && a.writes == b.writes;
    };
    const auto same = std::find_if(cluster_conflicts_.begin(), cluster_conflicts_.end(), [&](const ClusterConflict& c) {
        return alike(c.one, conflict.one) && alike(c.two, conflict.two);
    });
    if (same == cluster_conflicts_.end()) {
        cluster_conflicts_.push_back(conflict);
    } else {
        same->one.lanes |= conflict.one.lanes;
        same->two.lanes |= conflict.two.lanes;
    }
}

void Block::report_cluster_conflicts() {
    for (const ClusterConflict& c : cluster_conflicts_) cluster_race(c);
    cluster_conflicts_.clear();
}

void Block::cluster_race(const ClusterConflict& c) {
    const auto access = [&](const ClusterConflict::Side& s) {
        return Report::BlockAccess{s.pc, s.warp, s.lanes, cluster_.block(s.rank).index_, s.writes};
    };
    report.race_between_blocks(trace::FindingKind::shared_race, access(c.one), access(c.two), report.names.shared_array(c.at),
                        base::say("{} of {}", report.names.shared(*c.by, c.at), block_name(index_)),
                        base::say("byte {} of its shared memory", c.at));
}

namespace {

constexpr int64_t of_other_block = -5; // FindingKey::other

} // namespace

void Block::outlived(const RemoteTouch& touch, bool wrote, uint64_t at) {
    Block& by = cluster_.block(touch.rank);
    if (by.report.gave_up() || report.gave_up() || run_.stop) return;
    by.report.finding(
        trace::FindingKind::shared_race, by.warps_[touch.warp], *touch.by, 1u << touch.lane,
        base::say("lane {} {} {} of {}, which may have ended by then, and its shared memory with it: a barrier of the cluster before the end makes it wait",
            touch.lane, wrote ? base::say("writes") : base::say("reads"), report.names.shared(*touch.by, at), block_name(index_)),
        of_other_block);
}

void Block::never_written(const RemoteTouch& touch, uint64_t at) {
    Block& by = cluster_.block(touch.rank);
    if (by.report.gave_up()) return;
    by.report.finding(
        trace::FindingKind::uninitialised_shared, by.warps_[touch.warp], *touch.by, 1u << touch.lane,
        base::say("lane {} reads {} of {}, which nothing has written", touch.lane, report.names.shared(*touch.by, at), block_name(index_)),
        with_array(of_other_block, report.names.shared_array(at)));
}

void Block::copy_not_waited_for(const Warp& w, const Operation& op, const Access& a, uint32_t lanes) {
    const int lane = __builtin_ctz(lanes);
    report.finding(trace::FindingKind::unwaited_async_copy, w, op, lanes,
            base::say("lane {} {} {} before that block's wait for the asynchronous copy to it", lane, verb(a),
                report.names.shared(op, a.at[static_cast<size_t>(lane)])),
            of_other_block);
}

void Block::needs_cluster_space(const Warp& w, const Operation& op, uint32_t lanes, uint64_t at) {
    report.finding(
        trace::FindingKind::out_of_bounds, w, op, lanes,
        base::say("lane {} accesses {} by an instruction that reaches the own block's shared memory only: .shared::cluster or a generic address reaches the others",
            __builtin_ctz(lanes), report.names.shared(op, at)),
        of_other_block);
}

} // namespace sim
