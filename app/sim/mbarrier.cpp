// mbarriers (manual, section 9.7.13.15). What a wait waits for lands at the wait: bulk copies and arrivals after cp.async.
#include "sim/cluster.h"

#include <cstring>

namespace sim {

void use_mbarrier(Warp& w, const Operation& op, uint32_t active) {
    for (uint32_t lane = 0; lane < 32; ++lane)
        if (active >> lane & 1) w.block->use_mbarrier(w, op, lane);
}
void poll_mbarrier(Warp& w, const Operation& op, uint32_t active) { w.block->poll_mbarrier(w, op, active); }
void arrive_after_copies(Warp& w, const Operation& op, uint32_t active) { w.block->arrive_after_copies(w, op, active); }

void pending_count(Warp& w, const Operation& op, uint32_t active) {
    for (uint32_t lane = 0; lane < 32; ++lane)
        if (active >> lane & 1)
            row<uint32_t>(w, op.row[0])[lane] =
                static_cast<uint32_t>(Mbarrier::pending_of(row<uint64_t>(w, op.row[1])[lane]));
}

uint64_t Block::shared_address(const Warp& w, const Operation& op, RowAt at, uint8_t bytes, int64_t offset,
                               uint32_t lane) const {
    return bytes == 4 ? shared_address(op, row<uint32_t>(w, at)[lane], bytes, offset)
                      : shared_address(op, row<uint64_t>(w, at)[lane], bytes, offset);
}

uint64_t Block::shared_address(const Operation& op, uint64_t in_register, uint8_t bytes, int64_t offset) {
    const uint64_t address = in_register + static_cast<uint64_t>(offset);
    if (bytes == 4) return static_cast<uint32_t>(address);
    return op.space == Space::shared && address < window_bytes
               ? address
               : address - shared_window; // elsewhere: beyond all shared memory
}

void Block::misuse(const Warp& w, const Operation& op, uint32_t lane, uint64_t at, const base::Sentence& what) {
    if (!report.known(trace::FindingKind::mbarrier_misuse, op))
        report.finding(trace::FindingKind::mbarrier_misuse, w, op, 1u << lane,
                base::say("lane {}: {} {}", lane, report.names.shared(op, at), what));
}

Mbarrier* Block::mbarrier(const Warp& w, const Operation& op, uint32_t lane, uint64_t address) {
    Block& home = home_of(address);
    const auto found = home.mbarriers_.live.find(home.own_offset(address));
    if (found != home.mbarriers_.live.end()) return &found->second;
    misuse(w, op, lane, address, base::say("is not an mbarrier: nothing initialised one there"));
    return nullptr;
}

void Block::after_arrival(const Warp& w, const Operation& op, uint32_t lane, uint64_t address, Mbarrier& m,
                          const VectorClock& mine) {
    if (&home_of(address) == this) join(m.arriving, mine);
    if (cluster_.size() > 1) join(m.arriving_blocks, cluster_order.release(w.index));
    end_phase(w, op, lane, address, m);
}

void Block::end_phase(const Warp& w, const Operation& op, uint32_t lane, uint64_t address, Mbarrier& m) {
    Block& home = home_of(address);
    home.mbarriers_.fruitless = 0;
    if (m.pending < 0) {
        misuse(w, op, lane, address, base::say("gets more arrivals than its phase waits for"));
        m.pending = 0;
    }
    if (std::abs(m.transactions) > Mbarrier::most) {
        misuse(w, op, lane, address, base::say("waits for more bytes than an mbarrier can count"));
        m.transactions = 0;
    }
    m.complete();
    const uint64_t state = m.token();
    std::memcpy(home.shared_.data.data() + home.own_offset(address), &state, sizeof state);
}

Block& Block::home_of(uint64_t shared_address) {
    const uint32_t rank = rank_of(shared_address);
    return rank < cluster_.size() ? cluster_.block(rank) : *this;
}

// At an mbarrier of another block, which must still be there.
void Block::reach_out(const Warp& w, const Operation& op, uint32_t lane, uint64_t address) {
    Block& home = home_of(address);
    if (&home == this || !run_.options.checks) return;
    const uint64_t at = offset_of(address);
    const RemoteTouch touch{.by = &op,
                            .epoch = shared_.epoch(),
                            .known = cluster_order.known(home.rank_),
                            .rank = static_cast<uint8_t>(rank_),
                            .warp = static_cast<uint8_t>(w.index),
                            .lane = static_cast<uint8_t>(lane),
                            .mask = 15};
    if (home.ended_) home.outlived(touch, true, at);
    else home.note_remote(touch, true, at / 4);
    home.report_cluster_conflicts();
}

void Block::initialise_mbarrier(const Warp& w, const Operation& op, uint32_t lane, uint64_t at, uint32_t count) {
    if (at % 8 != 0 || at >= shared_.data.size() || shared_.data.size() - at < 8)
        return misuse(w, op, lane, at, base::say("cannot be an mbarrier: it needs 8 bytes, aligned, of shared memory"));
    if (count == 0 || count > Mbarrier::most)
        return misuse(w, op, lane, at,
                      base::say("is initialised to wait for {} arrivals; 1 to {} are possible", count, Mbarrier::most));
    if (mbarriers_.live.contains(at))
        misuse(w, op, lane, at, base::say("is initialised while it is an mbarrier already: mbarrier.inval ends one"));
    Mbarrier m{.expected = count, .pending = count};
    const uint64_t state = m.token();
    std::memcpy(shared_.data.data() + at, &state, sizeof state);
    shared_.begin_mbarrier(at);
    mbarriers_.live[at] = m;
}

// A GPU keeps the state of an mbarrier elsewhere and writes it to its bytes when it likes, until
// mbarrier.inval.
void Block::check_mbarriers(const Warp& w, const Operation& op, const Access& a, uint32_t lanes, Block& home) {
    const auto& live = home.mbarriers_.live;
    if (live.empty()) return;
    for (uint32_t lane = 0; lane < 32; ++lane) {
        if (!(lanes >> lane & 1)) continue;
        const uint64_t at = offset_of(a.at[lane]);
        const auto m = live.lower_bound(at / 8 * 8);
        if (m == live.end() || m->first >= at + a.bytes || home.shared_.state[m->first] != SharedMemory::mbarrier)
            continue;
        misuse(w, op, lane, &home == this ? m->first : cluster_part(home.rank_) + m->first,
               a.direction == Access::load
                   ? base::say("is an mbarrier, and is read as data: what is there is unknown before mbarrier.inval")
                   : base::say("is an mbarrier, and is written as data: the GPU may write the barrier's state over it, "
                               "until mbarrier.inval"));
        home.shared_.end_mbarrier(m->first); // told once
    }
}

// rows: 0 the state, 1 the count.
void Block::use_mbarrier(const Warp& w, const Operation& op, uint32_t lane) {
    const MbarrierUse use = program_.mbarrier_uses[op.detail.number];
    const uint64_t at =
        own_offset(shared_address(w, op, op.address, op.address_bytes, op.offset, lane)); // or another block's address
    const uint32_t count = op.row[1] == no_row ? 1 : row<uint32_t>(w, op.row[1])[lane];
    if (use.what == MbarrierUse::initialise) return initialise_mbarrier(w, op, lane, at, count);
    Mbarrier* m = mbarrier(w, op, lane, at);
    if (!m) return;
    reach_out(w, op, lane, at);
    if (use.what == MbarrierUse::invalidate && &home_of(at) != this)
        return misuse(w, op, lane, at, base::say("is another block's: only its own block ends an mbarrier"));
    const uint64_t before = m->token();
    switch (use.what) {
    case MbarrierUse::invalidate:
        mbarriers_.live.erase(at);
        shared_.end_mbarrier(at);
        return;
    case MbarrierUse::expect: m->transactions += count; break;
    case MbarrierUse::complete: m->transactions -= count; break;
    case MbarrierUse::arrive: {
        if (use.expects) m->transactions += count;
        const int64_t arrivals = use.expects ? 1 : count;
        if (use.drops) m->expected -= arrivals;
        m->pending -= arrivals;
        if (use.stays_incomplete && m->pending <= 0)
            misuse(w, op, lane, at, base::say("gets the last arrival of its phase with .noComplete"));
        break;
    }
    default: break;
    }
    const VectorClock mine = shared_.release(w.index);
    tell_reads(w, op, mine[w.index]);
    after_arrival(w, op, lane, at, *m, mine);
    if (op.row[0] != no_row) row<uint64_t>(w, op.row[0])[lane] = before;
}

void Block::arrive_after_copies(const Warp& w, const Operation& op, uint32_t active) {
    const bool counts = !op.detail.counted; // without .noinc the phase waits for this arrival on top of the others
    const uint32_t epoch = shared_.epoch();
    const VectorClock clocks = shared_.release(w.index);
    for (uint32_t lane = 0; lane < 32; ++lane) {
        if (!(active >> lane & 1)) continue;
        const uint64_t at = shared_offset(w, op, op.address, op.address_bytes, op.offset, lane);
        Mbarrier* m = mbarrier(w, op, lane, at);
        if (!m) continue;
        if (counts) ++m->pending;
        auto& last = mbarriers_.arrivals;
        if (!last.empty() && last.back().by == &op && last.back().warp == w.index && last.back().barrier == at &&
            last.back().copies == begun_[w.index])
            last.back().lanes |= 1u << lane;
        else last.push_back({&op, w.index, at, 1u << lane, begun_[w.index], epoch, clocks});
    }
    constexpr size_t most_pending = 1 << 12; // a kernel that never waits: those at the oldest one's mbarrier arrive
    if (mbarriers_.arrivals.size() > most_pending) settle(mbarriers_.arrivals.front().barrier);
}

// What was to arrive at the mbarrier arrives.
void Block::settle(uint64_t at) {
    auto& arrivals = mbarriers_.arrivals;
    for (size_t n = 0; n < arrivals.size();) {
        if (arrivals[n].barrier != at) {
            ++n;
            continue;
        }
        const PendingArrival arrival = arrivals[n];
        arrivals.erase(arrivals.begin() + static_cast<std::ptrdiff_t>(n));
        Warp& w = warps_[arrival.warp];
        land_begun(w, arrival.copies, arrival.epoch);
        const auto m = mbarriers_.live.find(at);
        if (m == mbarriers_.live.end()) continue;
        for (uint32_t lane = 0; lane < 32; ++lane) {
            if (!(arrival.lanes >> lane & 1)) continue;
            --m->second.pending;
            after_arrival(w, *arrival.by, lane, at, m->second,
                          shared_.since_barrier(arrival.epoch) ? arrival.clocks : shared_.release(w.index));
        }
    }
    land_bulk(
        [&](const BulkCopy& c) { return c.barrier == at && program_.bulk_copies[c.by->detail.number].to_shared; });
}

// rows: 0 whether the phase is complete, 1 its state or parity.
void Block::poll_mbarrier(Warp& w, const Operation& op, uint32_t active) {
    const bool parity = op.detail.parity;
    uint32_t complete = 0, waits = 0; // lanes
    uint64_t settled = ~uint64_t{0};  // the mbarrier that the lane before looked at: mostly the same for all lanes
    const Mbarrier* m = nullptr;      // of it,
    bool joined = false;              // and whether `known` has what it knows
    VectorClock known{};
    ClusterClock blocks{};
    for (uint32_t lane = 0; lane < 32; ++lane) {
        if (!(active >> lane & 1)) continue;
        const uint64_t at = shared_offset(w, op, op.address, op.address_bytes, op.offset, lane);
        if (at != settled || !m) {
            if (at != settled) settle(at);
            settled = at;
            m = &home_of(at) == this ? mbarrier(w, op, lane, at) : nullptr;
            joined = false;
            if (&home_of(at) != this)
                misuse(w, op, lane, at, base::say("is another block's: only its own block can wait for an mbarrier"));
        }
        const bool done = !m || (parity ? (m->phase & 1) != (row<uint32_t>(w, op.row[1])[lane] & 1)
                                        : m->phase != Mbarrier::phase_of(row<uint64_t>(w, op.row[1])[lane]));
        (done ? complete : waits) |= 1u << lane;
        if (!m || !done || joined) continue;
        join(known, m->known);
        join(blocks, m->known_blocks);
        joined = true;
    }
    if (op.row[0] != no_row) {
        uint32_t* p = row<uint32_t>(w, op.row[0]);
        *p = (*p & ~active) | complete;
    }
    if (complete) {
        learn(blocks);
        shared_.acquire(w.index, known);
        shared_.lanes_meet(w.index, complete);
    }
    if (waits) wait_for_others(w, op, waits);
}

// The warp pauses so that others can run; its other lanes go first when it goes on.
void Block::wait_for_others(Warp& w, const Operation& op, uint32_t lanes) {
    constexpr uint64_t rounds =
        20000; // a wait may be given up by the kernel after so many tries; nobody else can do anything meanwhile
    w.polling = true;
    if (++mbarriers_.fruitless < rounds * warps_.size()) return;
    mbarriers_.fruitless = 0;
    const uint64_t at =
        shared_offset(w, op, op.address, op.address_bytes, op.offset, static_cast<uint32_t>(__builtin_ctz(lanes)));
    const Mbarrier& m = mbarriers_.live[at];
    report.finding(
        trace::FindingKind::mbarrier_misuse, w, op, lanes,
        base::say(
            "waits forever for {}: its phase still needs {} arrivals and {} bytes, and every other warp waits or has ended",
            report.names.shared(op, at), m.pending, m.transactions));
    fuel.stop_run();
}

} // namespace sim
