#include "sim/run/bulk_copies.h"

#include "sim/run/cluster.h"
#include "sim/run/shared_address.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace sim {

void start_bulk_copy(Warp& w, const Operation& op, uint32_t active) {
    for (uint32_t lane = 0; lane < 32; ++lane)
        if (active >> lane & 1) w.block->bulk_copies.start(w, op, lane);
}
void commit_bulk_copies(Warp& w, const Operation&, uint32_t active) {
    for (uint32_t lane = 0; lane < 32; ++lane)
        if (active >> lane & 1) w.block->bulk_copies.commit(w, lane);
}
void wait_bulk_copies(Warp& w, const Operation& op, uint32_t active) {
    for (uint32_t lane = 0; lane < 32; ++lane)
        if (active >> lane & 1) w.block->bulk_copies.wait(w, op.detail.groups_left, lane);
}

BulkCopies::BulkCopies(BlockContext& block, Recorder& recorder, Report& report, Segments& segments, ClusterOrder& order,
                       GlobalRaces& global, SharedRaces& shared, ClusterRaces& cluster, UnfinishedReads& overtaken,
                       Mbarriers& mbarriers)
    : block_(block), recorder_(recorder), report_(report), segments_(segments), cluster_order_(order),
      global_races_(global), shared_races_(shared), cluster_races_(cluster), unfinished_reads_(overtaken),
      mbarriers_(mbarriers) {}

void BulkCopies::reset() {
    pending_.clear();
    committed_.clear();
}

template <class F>
void BulkCopies::land_if(F chosen) {
    if (std::none_of(pending_.begin(), pending_.end(), chosen)) return;
    const auto later =
        std::stable_partition(pending_.begin(), pending_.end(), [&](const BulkCopy& c) { return !chosen(c); });
    const std::vector<BulkCopy> now(later, pending_.end());
    pending_.erase(later, pending_.end());
    for (const BulkCopy& c : now) land(c);
}

void BulkCopies::start(const Warp& w, const Operation& op, uint32_t lane) {
    const BulkUse& use = block_.program.bulk_copies[op.detail.number];
    BulkCopy c;
    c.by = &op;
    c.warp = w.index;
    c.lane = lane;
    c.rank = block_.rank;
    c.thread = thread_of(w, use.of_warp ? 0 : lane);
    c.group = committed_[c.thread];
    const bool good = use.from_registers ? open_store(w, op, use, c)
                      : use.dimensions   ? open_tensor_copy(w, op, use, c)
                                         : open_bulk(w, op, use, c);
    if (!good) return;
    if (use.to_shared && !send(w, c, use)) return;
    record(c);
    if (!use.to_shared) queue(c);
}

// To the block, or the blocks, whose shared memory the copy writes. False, and a finding: that cannot be.
bool BulkCopies::send(const Warp& w, BulkCopy& c, const BulkUse& use) {
    const Operation& op = *c.by;
    const uint64_t barrier = shared_address(w, op, op.row[1], use.barrier_bytes, use.barrier_offset, c.lane);
    c.barrier = barrier;
    if (!use.multicast) return deliver(w, c, home_of(c.to), barrier);
    const uint32_t mask = row<uint16_t>(w, op.row[7])[c.lane], beyond = mask >> block_.cluster.size();
    if (beyond)
        report_.no_such_block(w, op, 1u << c.lane,
                              block_.cluster.size() + static_cast<uint32_t>(__builtin_ctz(beyond)));
    bool good = true;
    for (uint32_t rank = 0; rank < block_.cluster.size(); ++rank)
        if (mask >> rank & 1)
            good &= deliver(w, c, block_.cluster.block(rank).bulk_copies, cluster_part(rank) + offset_of(barrier));
    return good;
}

bool BulkCopies::deliver(const Warp& w, const BulkCopy& asked, BulkCopies& home, uint64_t barrier) {
    BulkCopy c = asked; // by reference: GCC notes each argument by value that wants 64-byte alignment
    const bool remote = &home != this;
    if (remote) c.to = offset_of(c.to);
    else c.to = block_.own_offset(c.to);
    const SharedMemory& there = home.block_.shared;
    if (c.to >= there.data.size() || c.bytes > there.data.size() - c.to) {
        trace::Addresses at;
        at.fill(remote ? cluster_part(home.block_.rank) + c.to : c.to);
        report_.out_of_bounds(w, *c.by,
                              Access{at, at[0], at[0], 1u << c.lane, static_cast<uint32_t>(c.bytes), Access::store},
                              1u << c.lane, Space::shared);
        return false;
    }
    if (&home_of(barrier) != &home) {
        mbarriers_.misuse(w, *c.by, c.lane, barrier,
                          base::say("is of another block than what is written, whose mbarrier is to count it"));
        return false;
    }
    c.barrier = home.block_.own_offset(barrier);
    if (!remote) {
        if (c.bytes > 0) check_shared(c, c.to, Access::store); // it may be written from now on
        unfinished_reads_.begin_copy(c);
        c.epoch = block_.shared.epoch();
        (void)block_.shared.release(w.index); // what its thread does from here on is told apart
    } else if (block_.run.options.checks) {
        c.epoch = block_.shared.epoch();
        c.known = cluster_order_.known(home.block_.rank);
        c.released = cluster_order_.release(w.index);
        home.cluster_races_.begin_copy(remote_touch(c), c.to);
    }
    if (c.bytes > 0) home.block_.shared.set_pending(c.to, static_cast<uint32_t>(c.bytes));
    home.queue(c);
    return true;
}

const BulkUse& BulkCopies::use_of(const BulkCopy& c) const { return block_.program.bulk_copies[c.by->detail.number]; }

BulkCopies& BulkCopies::home_of(uint64_t address) { return block_.cluster.home_of(address, block_).bulk_copies; }

void BulkCopies::queue(const BulkCopy& c) {
    constexpr size_t most_pending = 1 << 14; // a kernel that never waits: all of them land
    if (pending_.size() >= most_pending) land_if([](const BulkCopy&) { return true; });
    pending_.push_back(c);
}

RemoteTouch BulkCopies::remote_touch(const BulkCopy& c) {
    return {.by = c.by,
            .epoch = c.epoch,
            .known = c.known,
            .rank = static_cast<uint8_t>(c.rank),
            .warp = static_cast<uint8_t>(c.warp),
            .lane = static_cast<uint8_t>(c.lane)};
}

// Tells the observer, and the trace if there is one. Copies between blocks of a cluster are not told.
void BulkCopies::record(const BulkCopy& c) {
    const BulkUse& use = use_of(c);
    if (!recorder_.wants_copies() || c.bytes == 0 || use.from_registers || use.to_shared == use.from_shared) return;
    trace::BulkCopy told;
    told.thread = static_cast<uint16_t>(c.warp * trace::warp_size + c.lane);
    told.to_shared = use.to_shared;
    told.shared = offset_of(use.to_shared ? c.to : c.from);
    told.swizzle = c.box ? c.box->map.swizzle : 0;
    told.row_bytes = c.box ? c.box->map.row_bytes() : static_cast<uint32_t>(c.bytes);
    told.rows =
        c.box ? c.box->rows() : std::vector{trace::BulkCopy::Row{use.to_shared ? c.from : c.to, 0, told.row_bytes}};
    if (use.to_shared && &home_of(c.barrier) == this) {
        told.mbarrier = offset_of(c.barrier);
        told.phase = mbarriers_.phase_of(told.mbarrier);
    }
    recorder_.bulk_copy(c.by->pc, std::move(told));
}

// Fills in where the copy leads and how long it is. False, and a finding: that cannot be.
bool BulkCopies::open_bulk(const Warp& w, const Operation& op, const BulkUse& use, BulkCopy& c) {
    const auto global = [&](RowAt at, int64_t offset) {
        return row<uint64_t>(w, at)[c.lane] + static_cast<uint64_t>(offset);
    };
    c.bytes = row<uint32_t>(w, op.row[0])[c.lane];
    c.to = use.to_shared ? shared_address(w, op, op.address, op.address_bytes, op.offset, c.lane)
                         : global(op.address, op.offset);
    c.from = use.from_shared
                 ? block_.own_offset(shared_address(w, op, op.source, use.source_bytes, op.source_offset, c.lane))
                 : global(op.source, op.source_offset);
    if ((c.to | c.from | c.bytes) % 16 == 0)
        return !use.to_shared || reach(w, c, c.from, c.bytes, use.from_shared, false);
    if (!report_.known(trace::FindingKind::misaligned, op))
        report_.finding(trace::FindingKind::misaligned, w, op, 1u << c.lane,
                        base::say("lane {} copies {} bytes from {:#x} to {:#x}: a bulk copy's addresses and size "
                                  "are multiples of 16",
                                  c.lane, c.bytes, c.from, c.to));
    return false;
}

// The same of an asynchronous store.
bool BulkCopies::open_store(const Warp& w, const Operation& op, const BulkUse& use, BulkCopy& c) {
    c.to = shared_address(w, op, op.address, op.address_bytes, op.offset, c.lane);
    c.bytes = uint64_t{use.element_bytes} * op.elements;
    for (uint32_t e = 0; e < op.elements; ++e) {
        const uint64_t value =
            use.element_bytes == 8 ? row<uint64_t>(w, op.row[2 + e])[c.lane] : row<uint32_t>(w, op.row[2 + e])[c.lane];
        std::memcpy(c.stored.data() + e * use.element_bytes, &value, use.element_bytes);
    }
    if (c.to % c.bytes == 0) return true;
    if (!report_.known(trace::FindingKind::misaligned, op))
        report_.finding(trace::FindingKind::misaligned, w, op, 1u << c.lane,
                        base::say("lane {} stores {} bytes at {:#x} of shared memory, which is not a multiple of that",
                                  c.lane, c.bytes, offset_of(c.to)));
    return false;
}

void BulkCopies::commit(const Warp& w, uint32_t lane) { ++committed_[thread_of(w, lane)]; }

void BulkCopies::wait(const Warp& w, uint32_t still_pending, uint32_t lane) {
    const uint32_t thread = thread_of(w, lane), committed = committed_[thread];
    land_if([&](const BulkCopy& c) {
        return c.thread == thread && !use_of(c).to_shared && c.group < committed && committed - c.group > still_pending;
    });
}

void BulkCopies::land_at(uint64_t barrier) {
    land_if([&](const BulkCopy& c) { return c.barrier == barrier && use_of(c).to_shared; });
}

// The host's memory of a part of one end of a copy; nullptr, and a finding: it is out of bounds.
std::byte* BulkCopies::reach(const Warp& w, const BulkCopy& c, uint64_t address, uint64_t bytes, bool shared,
                             bool writes) {
    if (bytes == 0) return block_.shared.data.data();
    trace::Addresses at{};
    at.fill(address);
    const Access a{
        at, address, address, 1u << c.lane, static_cast<uint32_t>(bytes), writes ? Access::store : Access::load};
    if (shared) {
        if (address < block_.shared.data.size() && bytes <= block_.shared.data.size() - address)
            return block_.shared.data.data() + address;
    } else if (const Segment* s = segments_.find(address, address + bytes); s && (s->writable || !writes)) {
        segments_.advance(*c.by, address, address + bytes);
        if (s->watched >= 0) global_races_.check(w, *c.by, a, a.active, *s);
        return Segments::host(*s, address, bytes, writes);
    }
    report_.out_of_bounds(w, *c.by, a, a.active, shared ? Space::shared : Space::global);
    return nullptr;
}

void BulkCopies::check_shared(const BulkCopy& c, uint64_t address, Access::Direction direction) {
    trace::Addresses at{};
    at.fill(address);
    shared_races_.check(block_.warps[c.warp], *c.by,
                        Access{at, address, address, 1u << c.lane, static_cast<uint32_t>(c.bytes), direction},
                        1u << c.lane);
}

void BulkCopies::land(const BulkCopy& c) {
    const BulkUse& use = use_of(c);
    Block& by = block_.cluster.block(c.rank);
    const Warp& w = by.context.warps[c.warp];
    if (c.box) by.bulk_copies.move_box(w, c, use, *this);
    else by.bulk_copies.move_bytes(w, c, use, *this);
    if (!use.to_shared) return;
    note_landed(w, c);
    const bool remote = c.rank != block_.rank;
    const uint64_t barrier = remote ? cluster_part(block_.rank) + c.barrier : c.barrier;
    Mbarrier* const m = by.mbarriers.find(w, *c.by, c.lane, barrier);
    if (!m) return;
    m->transactions -= static_cast<int64_t>(c.bytes);
    if (!remote) {
        VectorClock until{};
        until[w.index] = c.epoch + 1;
        return mbarriers_.arrive(w, *c.by, c.lane, barrier, *m,
                                 block_.shared.since_barrier(c.epoch) ? until : block_.shared.release(w.index));
    }
    join(m->arriving_blocks, c.released);
    by.mbarriers.end_phase(w, *c.by, c.lane, barrier, *m);
}

// What it is in conflict with in its own block was looked for when it was issued.
void BulkCopies::note_landed(const Warp& w, const BulkCopy& c) {
    if (c.bytes == 0) return;
    block_.shared.enter_reads();
    if (c.rank == block_.rank) {
        trace::Addresses at{};
        at.fill(c.to);
        shared_races_.note(w, *c.by,
                           Access{at, c.to, c.to, 1u << c.lane, static_cast<uint32_t>(c.bytes), Access::store},
                           static_cast<int>(c.lane));
        return block_.shared.date_back(c.to, c.bytes, c.epoch);
    }
    const uint64_t end = c.to + c.bytes;
    std::fill(block_.shared.state.begin() + static_cast<std::ptrdiff_t>(c.to),
              block_.shared.state.begin() + static_cast<std::ptrdiff_t>(end), SharedMemory::written);
    if (!block_.run.options.checks) return;
    RemoteTouch touch = remote_touch(c);
    for (uint64_t word = c.to / 4; word <= (end - 1) / 4; ++word) {
        touch.mask = static_cast<uint8_t>(bytes_of_word(word, c.to, end));
        cluster_races_.note_word(touch, true, word);
    }
    cluster_races_.report();
}

// `home`: whose shared memory it writes, if it does.
void BulkCopies::move_bytes(const Warp& w, const BulkCopy& c, const BulkUse& use, BulkCopies& home) {
    if (c.bytes == 0) return;
    const std::byte* from = use.from_registers ? c.stored.data() : reach(w, c, c.from, c.bytes, use.from_shared, false);
    std::byte* to = use.to_shared ? home.block_.shared.data.data() + c.to : reach(w, c, c.to, c.bytes, false, true);
    if (!from || !to) return;
    if (use.from_shared) check_shared(c, c.from, Access::load);
    if (!use.combine) {
        std::memmove(to, from, c.bytes);
        return;
    }
    for (uint64_t n = 0; n < c.bytes; n += use.element_bytes) use.combine(to + n, from + n);
}

void BulkCopies::abandon(const Warp& w) {
    if (pending_.empty()) return;
    for (const BulkCopy& c : pending_) {
        if (c.warp != w.index || use_of(c).to_shared || report_.gave_up()) continue;
        report_.finding(trace::FindingKind::unwaited_async_copy, w, *c.by, 1u << c.lane,
                        base::say("the thread exits without having waited for this bulk copy"), -1,
                        trace::Severity::warning);
    }
    land_if([&](const BulkCopy& c) { return c.warp == w.index && !use_of(c).to_shared; });
    if (report_.gave_up() || block_.any_live()) return;
    for (const BulkCopy& c : pending_)
        report_.finding(trace::FindingKind::unwaited_async_copy, w, *c.by, 1u << c.lane,
                        use_of(c).from_registers
                            ? base::say("the block ends without anybody having waited for this asynchronous store")
                            : base::say("the block ends without anybody having waited for this bulk copy"),
                        -1, trace::Severity::warning);
    pending_.clear();
}

} // namespace sim
