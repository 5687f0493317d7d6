// Bulk copies (manual, section 9.7.9.25.4): to shared memory they land when somebody waits for their mbarrier, to global
// memory when their thread waits for their group.
#include "sim/block.h"

#include <fmt/format.h>

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
        if (active >> lane & 1) w.block->wait_bulk_copies(w, op.extra, lane);
}

void Block::start_bulk_copy(const Warp& w, const Operation& op, uint32_t lane) {
    const BulkUse& use = program_.bulk_copies[op.extra];
    BulkCopy c;
    c.by = &op;
    c.warp = w.index;
    c.lane = lane;
    c.group = mbarriers_.committed[w.index * 32 + lane];
    if (!(use.dimensions ? open_tensor_copy(w, op, use, c) : open_bulk(w, op, use, c))) return;
    if (use.to_shared) {
        c.barrier = shared_offset(w, op, op.row[1], use.barrier_bytes, use.barrier_offset, lane);
        if (!reach_bulk(w, c, c.to, c.bytes, true, true)) return;
        touch_bulk(c, c.to, Access::store); // it may be written from now on
        shared_.set_pending(c.to, static_cast<uint32_t>(c.bytes));
    }
    report_bulk(c);
    constexpr size_t most_pending = 1 << 14; // a kernel that never waits: all of them land
    if (mbarriers_.copies.size() >= most_pending) land_bulk([](const BulkCopy&) { return true; });
    mbarriers_.copies.push_back(c);
}

// Tells the observer, and the trace if there is one. Copies between blocks of a cluster are not told.
void Block::report_bulk(const BulkCopy& c) {
    const BulkUse& use = program_.bulk_copies[c.by->extra];
    if (stepping_ || c.bytes == 0 || use.to_shared == use.from_shared) return;
    const bool traced = trace_ && !trace_->truncated;
    if (!observer_ && !traced) return;
    trace::BulkCopy told;
    told.thread = static_cast<uint16_t>(c.warp * trace::warp_size + c.lane);
    told.to_shared = use.to_shared;
    told.shared = use.to_shared ? c.to : c.from;
    told.swizzle = c.box ? c.box->map.swizzle : 0;
    told.row_bytes = c.box ? c.box->map.row_bytes() : static_cast<uint32_t>(c.bytes);
    told.rows = c.box ? c.box->rows()
                      : std::vector{trace::BulkCopy::Row{use.to_shared ? c.from : c.to, 0, told.row_bytes}};
    if (observer_) observer_->bulk_copy(c.by->pc, told);
    if (!traced) return;
    told.event = static_cast<uint32_t>(trace_->events.size()); // which record() is about to add
    bulk_trace_bytes_ += sizeof told + told.rows.size() * sizeof told.rows[0];
    trace_->bulk_copies.push_back(std::move(told));
}

// Fills in where the copy leads and how long it is. False, and a finding: that cannot be.
bool Block::open_bulk(const Warp& w, const Operation& op, const BulkUse& use, BulkCopy& c) {
    const auto global = [&](RowAt at, int64_t offset) {
        return row<uint64_t>(w, at)[c.lane] + static_cast<uint64_t>(offset);
    };
    c.bytes = row<uint32_t>(w, op.row[0])[c.lane];
    c.to = use.to_shared ? shared_offset(w, op, op.address, op.address_bytes, op.offset, c.lane)
                         : global(op.address, op.offset);
    c.from = use.from_shared ? shared_offset(w, op, op.source, use.source_bytes, op.source_offset, c.lane)
                             : global(op.source, op.source_offset);
    if ((c.to | c.from | c.bytes) % 16 == 0)
        return !use.to_shared || reach_bulk(w, c, c.from, c.bytes, use.from_shared, false);
    if (!known(trace::FindingKind::misaligned, op))
        finding(trace::FindingKind::misaligned, w, op, 1u << c.lane,
                fmt::format("lane {} copies {} bytes from {:#x} to {:#x}: a bulk copy's addresses and size "
                            "are multiples of 16",
                            c.lane, c.bytes, c.from, c.to));
    return false;
}

void Block::commit_bulk_copies(const Warp& w, uint32_t lane) { ++mbarriers_.committed[w.index * 32 + lane]; }

void Block::wait_bulk_copies(const Warp& w, uint32_t pending, uint32_t lane) {
    const uint32_t committed = mbarriers_.committed[w.index * 32 + lane];
    land_bulk([&](const BulkCopy& c) { return c.warp == w.index && c.lane == lane && !program_.bulk_copies[c.by->extra].to_shared && c.group < committed && committed - c.group > pending; });
}

// The host's memory of a part of one end of a copy; nullptr, and a finding: it is out of bounds.
std::byte* Block::reach_bulk(const Warp& w, const BulkCopy& c, uint64_t address, uint64_t bytes, bool shared,
                             bool writes) {
    if (bytes == 0) return shared_.data.data();
    trace::Addresses at{};
    at.fill(address);
    const Access a{at,
                   address,
                   address,
                   1u << c.lane,
                   static_cast<uint32_t>(bytes),
                   writes ? Access::store : Access::load};
    if (shared) {
        if (address < shared_.data.size() && bytes <= shared_.data.size() - address)
            return shared_.data.data() + address;
    } else if (const Segment* s = segment(address, address + bytes); s && (s->writable || !writes)) {
        advance(*c.by, address, address + bytes);
        if (s->watched >= 0) watch(w, *c.by, a, a.active, *s);
        return host_of(*s, address, bytes, writes);
    }
    out_of_bounds(w, *c.by, a, a.active, shared ? Space::shared : Space::global);
    return nullptr;
}

void Block::touch_bulk(const BulkCopy& c, uint64_t address, Access::Direction direction) {
    trace::Addresses at{};
    at.fill(address);
    touch_shared(warps_[c.warp], *c.by, Access{at, address, address, 1u << c.lane, static_cast<uint32_t>(c.bytes), direction}, 1u << c.lane);
}

void Block::land_one(const BulkCopy& c) {
    const BulkUse& use = program_.bulk_copies[c.by->extra];
    const Warp& w = warps_[c.warp];
    if (c.box)
        move_box(w, c, use);
    else
        move_bytes(w, c, use);
    if (!use.to_shared) return;
    if (c.bytes > 0) {
        shared_.enter_reads();
        trace::Addresses at{};
        at.fill(c.to);
        note_touch(w, *c.by,
                   Access{at, c.to, c.to, 1u << c.lane, static_cast<uint32_t>(c.bytes), Access::store},
                   static_cast<int>(c.lane));
    }
    if (Mbarrier* m = mbarrier(w, *c.by, c.lane, c.barrier)) {
        m->transactions -= static_cast<int64_t>(c.bytes);
        after_arrival(w, *c.by, c.lane, c.barrier, *m);
    }
}

void Block::move_bytes(const Warp& w, const BulkCopy& c, const BulkUse& use) {
    const std::byte* from = reach_bulk(w, c, c.from, c.bytes, use.from_shared, false);
    std::byte* to = reach_bulk(w, c, c.to, c.bytes, use.to_shared, true);
    if (!from || !to || c.bytes == 0) return;
    if (use.from_shared) touch_bulk(c, c.from, Access::load);
    if (!use.combine) {
        std::memmove(to, from, c.bytes);
        return;
    }
    for (uint64_t n = 0; n < c.bytes; n += use.element_bytes) use.combine(to + n, from + n);
}

void Block::abandon_bulk_copies(const Warp& w) {
    for (const BulkCopy& c : mbarriers_.copies) {
        if (c.warp != w.index || program_.bulk_copies[c.by->extra].to_shared || gave_up_) continue;
        finding(trace::FindingKind::unwaited_async_copy, w, *c.by, 1u << c.lane, "the thread exits without having waited for this bulk copy", -1, trace::Severity::warning);
    }
    land_bulk([&](const BulkCopy& c) { return c.warp == w.index && !program_.bulk_copies[c.by->extra].to_shared; });
    if (gave_up_ || std::any_of(warps_.begin(), warps_.end(), [](const Warp& other) { return other.live != 0; })) return;
    for (const BulkCopy& c : mbarriers_.copies)
        finding(trace::FindingKind::unwaited_async_copy, w, *c.by, 1u << c.lane, "the block ends without anybody having waited for this bulk copy", -1, trace::Severity::warning);
    mbarriers_.copies.clear();
}

} // namespace sim
