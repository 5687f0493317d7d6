// Bulk copies and asynchronous stores (manual, sections 9.7.9.25.4, 9.7.9.12 and 9.7.13.7): to shared memory, of any block of the
// cluster, they land when somebody waits for their mbarrier, to global memory when their thread waits for their group.
#include "sim/cluster.h"

#include <algorithm>
#include <cstring>

namespace sim {

void start_bulk_copy(Warp& w, const Operation& op, uint32_t active) {
    for (uint32_t lane = 0; lane < 32; ++lane)
        if (active >> lane & 1) w.block->start_bulk_copy(w, op, lane);
}
void commit_bulk_copies(Warp& w, const Operation&, uint32_t active) {
    for (uint32_t lane = 0; lane < 32; ++lane)
        if (active >> lane & 1) w.block->commit_bulk_copies(w, lane);
}
void wait_bulk_copies(Warp& w, const Operation& op, uint32_t active) {
    for (uint32_t lane = 0; lane < 32; ++lane)
        if (active >> lane & 1) w.block->wait_bulk_copies(w, op.detail.groups_left, lane);
}

void Block::start_bulk_copy(const Warp& w, const Operation& op, uint32_t lane) {
    const BulkUse& use = program_.bulk_copies[op.detail.number];
    BulkCopy c;
    c.by = &op;
    c.warp = w.index;
    c.lane = lane;
    c.rank = rank_;
    c.group = mbarriers_.committed[w.index * 32 + lane];
    const bool good = use.from_registers ? open_store(w, op, use, c)
                      : use.dimensions   ? open_tensor_copy(w, op, use, c)
                                         : open_bulk(w, op, use, c);
    if (!good) return;
    if (use.to_shared && !send(w, c, use)) return;
    report_bulk(c);
    if (!use.to_shared) queue(c);
}

// To the block, or the blocks, whose shared memory the copy writes. False, and a finding: that cannot be.
bool Block::send(const Warp& w, const BulkCopy& c, const BulkUse& use) {
    const Operation& op = *c.by;
    const uint64_t barrier = shared_address(w, op, op.row[1], use.barrier_bytes, use.barrier_offset, c.lane);
    if (!use.multicast) return deliver(w, c, home_of(c.to), barrier);
    const uint32_t mask = row<uint16_t>(w, op.row[7])[c.lane], beyond = mask >> cluster_.size();
    if (beyond) report.no_such_block(w, op, 1u << c.lane, cluster_.size() + static_cast<uint32_t>(__builtin_ctz(beyond)));
    bool good = true;
    for (uint32_t rank = 0; rank < cluster_.size(); ++rank)
        if (mask >> rank & 1) good &= deliver(w, c, cluster_.block(rank), cluster_part(rank) + offset_of(barrier));
    return good;
}

bool Block::deliver(const Warp& w, BulkCopy c, Block& home, uint64_t barrier) {
    const bool remote = &home != this;
    if (remote) c.to = offset_of(c.to);
    else c.to = own_offset(c.to);
    if (c.to >= home.shared_.data.size() || c.bytes > home.shared_.data.size() - c.to) {
        trace::Addresses at;
        at.fill(remote ? cluster_part(home.rank_) + c.to : c.to);
        report.out_of_bounds(w, *c.by, Access{at, at[0], at[0], 1u << c.lane, static_cast<uint32_t>(c.bytes), Access::store},
                      1u << c.lane, Space::shared);
        return false;
    }
    if (&home_of(barrier) != &home) {
        misuse(w, *c.by, c.lane, barrier,
               base::say("is of another block than what is written, whose mbarrier is to count it"));
        return false;
    }
    c.barrier = home.own_offset(barrier);
    if (!remote) {
        if (c.bytes > 0) touch_bulk(c, c.to, Access::store); // it may be written from now on
        overtake_reads(c);
        c.epoch = shared_.epoch();
        (void)shared_.release(w.index); // what its thread does from here on is told apart
    } else if (run_.options.checks) {
        c.epoch = shared_.epoch();
        c.known = cluster_order.known(home.rank_);
        c.told = cluster_order.release(w.index);
        if (home.ended_) home.outlived(remote_touch(c), true, c.to);
    }
    if (c.bytes > 0) home.shared_.set_pending(c.to, static_cast<uint32_t>(c.bytes));
    home.queue(c);
    return true;
}

void Block::queue(const BulkCopy& c) {
    constexpr size_t most_pending = 1 << 14; // a kernel that never waits: all of them land
    if (mbarriers_.copies.size() >= most_pending) land_bulk([](const BulkCopy&) { return true; });
    mbarriers_.copies.push_back(c);
}

RemoteTouch Block::remote_touch(const BulkCopy& c) {
    return {.by = c.by,
            .epoch = c.epoch,
            .known = c.known,
            .rank = static_cast<uint8_t>(c.rank),
            .warp = static_cast<uint8_t>(c.warp),
            .lane = static_cast<uint8_t>(c.lane)};
}

// Tells the observer, and the trace if there is one. Copies between blocks of a cluster are not told.
void Block::report_bulk(const BulkCopy& c) {
    const BulkUse& use = program_.bulk_copies[c.by->detail.number];
    if (!recorder.wants_copies() || c.bytes == 0 || use.from_registers || use.to_shared == use.from_shared) return;
    trace::BulkCopy told;
    told.thread = static_cast<uint16_t>(c.warp * trace::warp_size + c.lane);
    told.to_shared = use.to_shared;
    told.shared = offset_of(use.to_shared ? c.to : c.from);
    told.swizzle = c.box ? c.box->map.swizzle : 0;
    told.row_bytes = c.box ? c.box->map.row_bytes() : static_cast<uint32_t>(c.bytes);
    told.rows =
        c.box ? c.box->rows() : std::vector{trace::BulkCopy::Row{use.to_shared ? c.from : c.to, 0, told.row_bytes}};
    recorder.bulk_copy(c.by->pc, std::move(told));
}

// Fills in where the copy leads and how long it is. False, and a finding: that cannot be.
bool Block::open_bulk(const Warp& w, const Operation& op, const BulkUse& use, BulkCopy& c) {
    const auto global = [&](RowAt at, int64_t offset) {
        return row<uint64_t>(w, at)[c.lane] + static_cast<uint64_t>(offset);
    };
    c.bytes = row<uint32_t>(w, op.row[0])[c.lane];
    c.to = use.to_shared ? shared_address(w, op, op.address, op.address_bytes, op.offset, c.lane)
                         : global(op.address, op.offset);
    c.from = use.from_shared ? shared_offset(w, op, op.source, use.source_bytes, op.source_offset, c.lane)
                             : global(op.source, op.source_offset);
    if ((c.to | c.from | c.bytes) % 16 == 0)
        return !use.to_shared || reach_bulk(w, c, c.from, c.bytes, use.from_shared, false);
    if (!report.known(trace::FindingKind::misaligned, op))
        report.finding(trace::FindingKind::misaligned, w, op, 1u << c.lane,
                base::say("lane {} copies {} bytes from {:#x} to {:#x}: a bulk copy's addresses and size "
                          "are multiples of 16",
                          c.lane, c.bytes, c.from, c.to));
    return false;
}

// The same of an asynchronous store.
bool Block::open_store(const Warp& w, const Operation& op, const BulkUse& use, BulkCopy& c) {
    c.to = shared_address(w, op, op.address, op.address_bytes, op.offset, c.lane);
    c.bytes = uint64_t{use.element_bytes} * op.elements;
    for (uint32_t e = 0; e < op.elements; ++e) {
        const uint64_t value =
            use.element_bytes == 8 ? row<uint64_t>(w, op.row[2 + e])[c.lane] : row<uint32_t>(w, op.row[2 + e])[c.lane];
        std::memcpy(c.stored.data() + e * use.element_bytes, &value, use.element_bytes);
    }
    if (c.to % c.bytes == 0) return true;
    if (!report.known(trace::FindingKind::misaligned, op))
        report.finding(trace::FindingKind::misaligned, w, op, 1u << c.lane,
                base::say("lane {} stores {} bytes at {:#x} of shared memory, which is not a multiple of that", c.lane,
                          c.bytes, offset_of(c.to)));
    return false;
}

void Block::commit_bulk_copies(const Warp& w, uint32_t lane) { ++mbarriers_.committed[w.index * 32 + lane]; }

void Block::wait_bulk_copies(const Warp& w, uint32_t pending, uint32_t lane) {
    const uint32_t committed = mbarriers_.committed[w.index * 32 + lane];
    land_bulk([&](const BulkCopy& c) {
        return c.warp == w.index && c.lane == lane && !program_.bulk_copies[c.by->detail.number].to_shared &&
               c.group < committed && committed - c.group > pending;
    });
}

// The host's memory of a part of one end of a copy; nullptr, and a finding: it is out of bounds.
std::byte* Block::reach_bulk(const Warp& w, const BulkCopy& c, uint64_t address, uint64_t bytes, bool shared,
                             bool writes) {
    if (bytes == 0) return shared_.data.data();
    trace::Addresses at{};
    at.fill(address);
    const Access a{
        at, address, address, 1u << c.lane, static_cast<uint32_t>(bytes), writes ? Access::store : Access::load};
    if (shared) {
        if (address < shared_.data.size() && bytes <= shared_.data.size() - address)
            return shared_.data.data() + address;
    } else if (const Segment* s = segments.find(address, address + bytes); s && (s->writable || !writes)) {
        segments.advance(*c.by, address, address + bytes);
        if (s->watched >= 0) global_races.check(w, *c.by, a, a.active, *s);
        return Segments::host(*s, address, bytes, writes);
    }
    report.out_of_bounds(w, *c.by, a, a.active, shared ? Space::shared : Space::global);
    return nullptr;
}

void Block::touch_bulk(const BulkCopy& c, uint64_t address, Access::Direction direction) {
    trace::Addresses at{};
    at.fill(address);
    touch_shared(warps_[c.warp], *c.by,
                 Access{at, address, address, 1u << c.lane, static_cast<uint32_t>(c.bytes), direction}, 1u << c.lane);
}

void Block::land_one(const BulkCopy& c) {
    const BulkUse& use = program_.bulk_copies[c.by->detail.number];
    Block& by = cluster_.block(c.rank);
    const Warp& w = by.warps_[c.warp];
    if (c.box) by.move_box(w, c, use, *this);
    else by.move_bytes(w, c, use, *this);
    if (!use.to_shared) return;
    note_landed(w, c);
    const bool remote = &by != this;
    const uint64_t barrier = remote ? cluster_part(rank_) + c.barrier : c.barrier;
    Mbarrier* const m = by.mbarrier(w, *c.by, c.lane, barrier);
    if (!m) return;
    m->transactions -= static_cast<int64_t>(c.bytes);
    if (!remote) {
        VectorClock until{};
        until[w.index] = c.epoch + 1;
        return after_arrival(w, *c.by, c.lane, barrier, *m,
                             shared_.since_barrier(c.epoch) ? until : shared_.release(w.index));
    }
    join(m->arriving_blocks, c.told);
    by.end_phase(w, *c.by, c.lane, barrier, *m);
}

// What it is in conflict with in its own block was looked for when it was issued.
void Block::note_landed(const Warp& w, const BulkCopy& c) {
    if (c.bytes == 0) return;
    shared_.enter_reads();
    if (c.rank == rank_) {
        trace::Addresses at{};
        at.fill(c.to);
        note_touch(w, *c.by, Access{at, c.to, c.to, 1u << c.lane, static_cast<uint32_t>(c.bytes), Access::store},
                   static_cast<int>(c.lane));
        return shared_.date_back(c.to, c.bytes, c.epoch);
    }
    const uint64_t end = c.to + c.bytes;
    std::fill(shared_.state.begin() + static_cast<std::ptrdiff_t>(c.to),
              shared_.state.begin() + static_cast<std::ptrdiff_t>(end), SharedMemory::written);
    if (!run_.options.checks) return;
    RemoteTouch touch = remote_touch(c);
    for (uint64_t word = c.to / 4; word <= (end - 1) / 4; ++word) {
        touch.mask = static_cast<uint8_t>(bytes_of_word(word, c.to, end));
        note_remote(touch, true, word);
    }
    report_cluster_conflicts();
}

// `home`: whose shared memory it writes, if it does.
void Block::move_bytes(const Warp& w, const BulkCopy& c, const BulkUse& use, Block& home) {
    if (c.bytes == 0) return;
    const std::byte* from =
        use.from_registers ? c.stored.data() : reach_bulk(w, c, c.from, c.bytes, use.from_shared, false);
    std::byte* to = use.to_shared ? home.shared_.data.data() + c.to : reach_bulk(w, c, c.to, c.bytes, false, true);
    if (!from || !to) return;
    if (use.from_shared) touch_bulk(c, c.from, Access::load);
    if (!use.combine) {
        std::memmove(to, from, c.bytes);
        return;
    }
    for (uint64_t n = 0; n < c.bytes; n += use.element_bytes) use.combine(to + n, from + n);
}

void Block::abandon_bulk_copies(const Warp& w) {
    for (const BulkCopy& c : mbarriers_.copies) {
        if (c.warp != w.index || program_.bulk_copies[c.by->detail.number].to_shared || report.gave_up()) continue;
        report.finding(trace::FindingKind::unwaited_async_copy, w, *c.by, 1u << c.lane,
                base::say("the thread exits without having waited for this bulk copy"), -1, trace::Severity::warning);
    }
    land_bulk([&](const BulkCopy& c) { return c.warp == w.index && !program_.bulk_copies[c.by->detail.number].to_shared; });
    if (report.gave_up() || std::any_of(warps_.begin(), warps_.end(), [](const Warp& other) { return other.live != 0; }))
        return;
    for (const BulkCopy& c : mbarriers_.copies)
        report.finding(trace::FindingKind::unwaited_async_copy, w, *c.by, 1u << c.lane,
                program_.bulk_copies[c.by->detail.number].from_registers
                    ? base::say("the block ends without anybody having waited for this asynchronous store")
                    : base::say("the block ends without anybody having waited for this bulk copy"),
                -1, trace::Severity::warning);
    mbarriers_.copies.clear();
}

} // namespace sim
