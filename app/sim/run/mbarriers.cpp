#include "sim/run/mbarriers.h"

#include "sim/run/cluster.h"
#include "sim/run/recorder.h"
#include "sim/run/shared_address.h"

#include <cstdlib>
#include <cstring>

namespace sim {

void use_mbarrier(Warp& w, const Operation& op, uint32_t active) {
    for (uint32_t lane = 0; lane < 32; ++lane)
        if (active >> lane & 1) w.block->mbarriers.use(w, op, lane);
}
void poll_mbarrier(Warp& w, const Operation& op, uint32_t active) { w.block->mbarriers.poll(w, op, active); }
void arrive_after_copies(Warp& w, const Operation& op, uint32_t active) {
    w.block->mbarriers.arrive_after_copies(w, op, active);
}

void pending_count(Warp& w, const Operation& op, uint32_t active) {
    for (uint32_t lane = 0; lane < 32; ++lane)
        if (active >> lane & 1)
            row<uint32_t>(w, op.row[0])[lane] =
                static_cast<uint32_t>(Mbarrier::pending_of(row<uint64_t>(w, op.row[1])[lane]));
}

bool Mbarrier::complete() {
    if (pending > 0 || transactions != 0) return false;
    ++phase;
    pending = expected;
    ended.end();
    join(released, arriving);
    join(released_blocks, arriving_blocks);
    return true;
}

Mbarriers::Mbarriers(BlockContext& block, Recorder& recorder, Report& report, Fuel& fuel, ClusterOrder& order,
                     ClusterRaces& races, UnfinishedReads& overtaken, Copies& copies, BulkCopies& bulk_copies)
    : block_(block), recorder_(recorder), report_(report), fuel_(fuel), cluster_order_(order), cluster_races_(races),
      unfinished_reads_(overtaken), copies_(copies), bulk_copies_(bulk_copies) {}

void Mbarriers::reset() {
    for (const auto& [at, m] : live_) block_.shared.end_mbarrier(at);
    live_.clear();
    arrivals_.clear();
    fruitless_ = 0;
}

Mbarriers& Mbarriers::home_of(uint64_t address) { return block_.cluster.home_of(address, block_).mbarriers; }

// In this block's shared memory, or another block's address.
uint64_t Mbarriers::operand(const Warp& w, const Operation& op, uint32_t lane) const {
    return block_.own_offset(shared_address(w, op, op.address, op.address_bytes, op.offset, lane));
}

void Mbarriers::misuse(const Warp& w, const Operation& op, uint32_t lane, uint64_t at, const base::Sentence& what) {
    if (!report_.known(trace::FindingKind::mbarrier_misuse, op))
        report_.finding(trace::FindingKind::mbarrier_misuse, w, op, 1u << lane,
                        base::say("lane {}: {} {}", lane, report_.names.shared(op, at), what));
}

Mbarrier* Mbarriers::find(const Warp& w, const Operation& op, uint32_t lane, uint64_t address) {
    Mbarriers& home = home_of(address);
    const auto found = home.live_.find(home.block_.own_offset(address));
    if (found != home.live_.end()) return &found->second;
    misuse(w, op, lane, address, base::say("is not an mbarrier: nothing initialised one there"));
    return nullptr;
}

void Mbarriers::arrive(const Warp& w, const Operation& op, uint32_t lane, uint64_t address, Mbarrier& m,
                       const VectorClock& mine) {
    if (&home_of(address) == this) join(m.arriving, mine);
    if (block_.cluster.size() > 1) join(m.arriving_blocks, cluster_order_.release(w.index));
    end_phase(w, op, lane, address, m);
}

void Mbarriers::end_phase(const Warp& w, const Operation& op, uint32_t lane, uint64_t address, Mbarrier& m) {
    Mbarriers& home = home_of(address);
    home.note_progress();
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
    std::memcpy(home.block_.shared.data.data() + home.block_.own_offset(address), &state, sizeof state);
}

// An mbarrier of another block, which must still be there.
void Mbarriers::reach(const Warp& w, const Operation& op, uint32_t lane, uint64_t address) {
    if (&home_of(address) == this || !block_.run.options.checks) return;
    ClusterRaces& home = block_.cluster.home_of(address, block_).cluster_races;
    home.note(cluster_races_.touch(w, op, lane, home), true, offset_of(address));
    home.report();
}

void Mbarriers::initialise(const Warp& w, const Operation& op, uint32_t lane, uint64_t at, uint32_t count) {
    SharedMemory& shared = block_.shared;
    if (at % 8 != 0 || at >= shared.data.size() || shared.data.size() - at < 8)
        return misuse(w, op, lane, at, base::say("cannot be an mbarrier: it needs 8 bytes, aligned, of shared memory"));
    if (count == 0 || count > Mbarrier::most)
        return misuse(w, op, lane, at,
                      base::say("is initialised to wait for {} arrivals; 1 to {} are possible", count, Mbarrier::most));
    if (live_.contains(at))
        misuse(w, op, lane, at, base::say("is initialised while it is an mbarrier already: mbarrier.inval ends one"));
    Mbarrier m{.expected = count, .pending = count};
    const uint64_t state = m.token();
    std::memcpy(shared.data.data() + at, &state, sizeof state);
    shared.begin_mbarrier(at);
    live_[at] = m;
}

// A GPU keeps the state of an mbarrier elsewhere and writes it to its bytes when it likes, until mbarrier.inval.
void Mbarriers::check(const Warp& w, const Operation& op, const Access& a, uint32_t lanes, Mbarriers& home) {
    const auto& live = home.live_;
    if (live.empty()) return;
    for (uint32_t lane = 0; lane < 32; ++lane) {
        if (!(lanes >> lane & 1)) continue;
        const uint64_t at = offset_of(a.at[lane]);
        const auto m = live.lower_bound(at / 8 * 8);
        if (m == live.end() || m->first >= at + a.bytes || home.block_.shared.state[m->first] != SharedMemory::mbarrier)
            continue;
        misuse(w, op, lane, &home == this ? m->first : cluster_part(home.block_.rank) + m->first,
               a.direction == Access::load
                   ? base::say("is an mbarrier, and is read as data: what is there is unknown before mbarrier.inval")
                   : base::say("is an mbarrier, and is written as data: the GPU may write the barrier's state over it, "
                               "until mbarrier.inval"));
        home.block_.shared.end_mbarrier(m->first); // told once
    }
}

// rows: 0 the state, 1 the count.
void Mbarriers::use(const Warp& w, const Operation& op, uint32_t lane) {
    const MbarrierUse use = block_.program.mbarrier_uses[op.detail.number];
    const uint64_t at = operand(w, op, lane);
    const uint32_t number = op.row[1] == no_row ? 1 : row<uint32_t>(w, op.row[1])[lane];
    if (use.what == MbarrierUse::initialise) return initialise(w, op, lane, at, number);
    Mbarrier* const m = find(w, op, lane, at);
    if (!m) return;
    reach(w, op, lane, at);
    if (use.what == MbarrierUse::invalidate) {
        if (&home_of(at) != this)
            return misuse(w, op, lane, at, base::say("is another block's: only its own block ends an mbarrier"));
        live_.erase(at);
        block_.shared.end_mbarrier(at);
        return;
    }
    const uint64_t before = m->token();
    if (use.what == MbarrierUse::arrive && &home_of(at) == this)
        recorder_.mbarrier(op, {trace::MbarrierUse::arrives, 0, at, m->phase});
    count(use, number, *m);
    if (use.what == MbarrierUse::arrive && use.stays_incomplete && m->pending <= 0)
        misuse(w, op, lane, at, base::say("gets the last arrival of its phase with .noComplete"));
    const VectorClock mine = block_.shared.release(w.index);
    unfinished_reads_.release(w, op, mine[w.index]);
    if (use.what == MbarrierUse::arrive) m->ended.arrive(w.index, mine[w.index]);
    arrive(w, op, lane, at, *m, mine);
    if (op.row[0] != no_row) row<uint64_t>(w, op.row[0])[lane] = before;
}

void Mbarriers::count(const MbarrierUse& use, uint32_t number, Mbarrier& m) {
    const bool arrives = use.what == MbarrierUse::arrive;
    if (use.what == MbarrierUse::complete) m.transactions -= number;
    if (use.what == MbarrierUse::expect || (arrives && use.expects)) m.transactions += number;
    if (!arrives || use.expects) m.ended.wait_for_copies();
    if (!arrives) return;
    const int64_t arrivals = use.expects ? 1 : number;
    if (use.drops) m.expected -= arrivals;
    m.pending -= arrivals;
}

uint64_t Mbarriers::phase_of(uint64_t at) const {
    const auto found = live_.find(at);
    return found == live_.end() ? 0 : found->second.phase;
}

void Mbarriers::arrive_after_copies(const Warp& w, const Operation& op, uint32_t active) {
    const bool counts = !op.detail.counted; // without .noinc the phase waits for this arrival on top of the others
    const uint32_t epoch = block_.shared.epoch();
    const VectorClock clock = block_.shared.release(w.index);
    const uint64_t copies = copies_.begun(w);
    for (uint32_t lane = 0; lane < 32; ++lane) {
        if (!(active >> lane & 1)) continue;
        const uint64_t at = operand(w, op, lane);
        Mbarrier* m = find(w, op, lane, at);
        if (!m) continue;
        if (counts) ++m->pending;
        m->ended.arrive(w.index, clock[w.index]);
        m->ended.wait_for_copies();
        recorder_.mbarrier(op, {trace::MbarrierUse::arrives_after_copies, 0, at, m->phase});
        PendingArrival* const last = arrivals_.empty() ? nullptr : &arrivals_.back();
        if (last && last->by == &op && last->warp == w.index && last->barrier == at && last->copies == copies)
            last->lanes |= 1u << lane;
        else arrivals_.push_back({&op, w.index, at, 1u << lane, copies, epoch, clock});
    }
    constexpr size_t most_pending = 1 << 12; // a kernel that never waits: those at the oldest one's mbarrier arrive
    if (arrivals_.size() > most_pending) settle(arrivals_.front().barrier);
}

uint64_t Mbarriers::awaited_copies(const Warp& w) const {
    uint64_t copies = 0;
    for (const PendingArrival& a : arrivals_)
        if (a.warp == w.index) copies = std::max(copies, a.copies);
    return copies;
}

// What was to arrive at the mbarrier arrives.
void Mbarriers::settle(uint64_t at) {
    for (size_t n = 0; n < arrivals_.size();) {
        if (arrivals_[n].barrier != at) {
            ++n;
            continue;
        }
        const PendingArrival arrival = arrivals_[n];
        arrivals_.erase(arrivals_.begin() + static_cast<std::ptrdiff_t>(n));
        const Warp& w = block_.warps[arrival.warp];
        copies_.land_begun(w, arrival.copies, arrival.epoch);
        const auto m = live_.find(at);
        if (m == live_.end()) continue;
        for (uint32_t lane = 0; lane < 32; ++lane) {
            if (!(arrival.lanes >> lane & 1)) continue;
            --m->second.pending;
            arrive(w, *arrival.by, lane, at, m->second,
                   block_.shared.since_barrier(arrival.epoch) ? arrival.clock : block_.shared.release(w.index));
        }
    }
    bulk_copies_.land_at(at);
}

// rows: 0 whether the phase is complete, 1 its state or parity.
void Mbarriers::poll(Warp& w, const Operation& op, uint32_t active) {
    const bool parity = op.detail.poll.parity;
    uint32_t complete = 0, waits = 0; // lanes
    uint64_t settled = ~uint64_t{0};  // the mbarrier that the lane before looked at: mostly the same for all lanes
    Mbarrier* m = nullptr;            // of it,
    bool joined = false;              // and whether the clocks have what it released
    VectorClock released{};
    ClusterClock released_blocks{};
    for (uint32_t lane = 0; lane < 32; ++lane) {
        if (!(active >> lane & 1)) continue;
        const uint64_t at = operand(w, op, lane);
        if (at != settled || !m) {
            const bool own = &home_of(at) == this;
            if (at != settled) settle(at);
            settled = at;
            m = own ? find(w, op, lane, at) : nullptr;
            joined = false;
            if (!own)
                misuse(w, op, lane, at, base::say("is another block's: only its own block can wait for an mbarrier"));
        }
        const uint64_t asked =
            parity ? row<uint32_t>(w, op.row[1])[lane] & 1 : Mbarrier::parity_of(row<uint64_t>(w, op.row[1])[lane]);
        const bool done = !m || (m->phase & 1) != asked;
        (done ? complete : waits) |= 1u << lane;
        if (!m || !done || joined) continue;
        go_on(w, op, lane, at, *m);
        join(released, m->released);
        join(released_blocks, m->released_blocks);
        joined = true;
    }
    if (op.row[0] != no_row) {
        uint32_t* p = row<uint32_t>(w, op.row[0]);
        *p = (*p & ~active) | complete;
    }
    if (complete) {
        cluster_races_.acquire(released_blocks);
        block_.shared.acquire(w.index, released);
        block_.shared.lanes_meet(w.index, complete);
    }
    if (waits) wait_for_others(w, op, waits);
}

// A wait is over.
void Mbarriers::go_on(const Warp& w, const Operation& op, uint32_t lane, uint64_t at, Mbarrier& m) {
    if (m.phase == 0) return; // it is new, and counts as past a phase of parity 1
    const uint64_t ended = m.phase - 1;
    recorder_.mbarrier(op, {trace::MbarrierUse::goes_on, 0, at, ended});
    // What the blocks of a cluster tell each other is not followed so far.
    if (op.detail.poll.parity && ended > 0 && block_.cluster.size() == 1 && block_.run.options.checks &&
        !m.ended.is_next(block_.shared, w.index))
        misuse(
            w, op, lane, at,
            ended == 1
                ? base::say("has ended its phase 1 here, but the warp may come during phase 0, and a new mbarrier "
                            "lets it through")
                : base::say("has ended its phase {} here, but the warp may come during phase {}: phase {} has the same "
                            "parity, and lets it through",
                            ended, ended - 1, ended - 2));
    m.ended.see(w.index, block_.shared.epoch());
}

bool Mbarriers::polls_in_vain(Warp& w, uint64_t rounds) {
    w.polling = true;
    if (++fruitless_ < rounds * block_.warps.size()) return false;
    fruitless_ = 0;
    return true;
}

// Its other lanes go first when the warp goes on.
void Mbarriers::wait_for_others(Warp& w, const Operation& op, uint32_t lanes) {
    // A wait may be given up by the kernel after so many tries; nobody else can do anything meanwhile.
    constexpr uint64_t rounds = 20000, longest_suspension = 1000;
    w.suspended = op.detail.poll.suspends && fruitless_ < longest_suspension * block_.warps.size();
    if (!polls_in_vain(w, rounds)) return;
    const uint64_t at = operand(w, op, static_cast<uint32_t>(__builtin_ctz(lanes)));
    const Mbarrier& m = live_[at];
    report_.finding(
        trace::FindingKind::mbarrier_misuse, w, op, lanes,
        base::say(
            "waits forever for {}: its phase still needs {} arrivals and {} bytes, and every other warp waits or has ended",
            report_.names.shared(op, at), m.pending, m.transactions));
    fuel_.stop_run();
}

} // namespace sim
