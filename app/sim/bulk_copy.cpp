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
    const auto global = [&](RowAt at, int64_t offset) { return row<uint64_t>(w, at)[lane] + static_cast<uint64_t>(offset); };
    BulkCopy c{.by = &op, .warp = w.index, .lane = lane, .bytes = row<uint32_t>(w, op.row[0])[lane], .group = mbarriers_.committed[w.index * 32 + lane]};
    c.to = use.to_shared ? shared_offset(w, op, op.address, op.address_bytes, op.offset, lane) : global(op.address, op.offset);
    c.from = use.from_shared ? shared_offset(w, op, op.source, use.source_bytes, op.source_offset, lane) : global(op.source, op.source_offset);
    if ((c.to | c.from | c.bytes) % 16 != 0) {
        if (!known(trace::FindingKind::misaligned, op))
            finding(trace::FindingKind::misaligned, w, op, 1u << lane,
                    fmt::format("lane {} copies {} bytes from {:#x} to {:#x}: a bulk copy's addresses and size are multiples of 16", lane, c.bytes, c.from, c.to));
        return;
    }
    if (use.to_shared) {
        c.barrier = shared_offset(w, op, op.row[1], use.barrier_bytes, use.barrier_offset, lane);
        if (!reach_bulk(w, c, c.from, use.from_shared, false) || !reach_bulk(w, c, c.to, true, true)) return;
        touch_bulk(c, c.to, Access::store); // it may be written from now on
        shared_.set_pending(c.to, static_cast<uint32_t>(c.bytes));
    }
    constexpr size_t most_pending = 1 << 14; // a kernel that never waits: all of them land
    if (mbarriers_.copies.size() >= most_pending) land_bulk([](const BulkCopy&) { return true; });
    mbarriers_.copies.push_back(c);
}

void Block::commit_bulk_copies(const Warp& w, uint32_t lane) { ++mbarriers_.committed[w.index * 32 + lane]; }

void Block::wait_bulk_copies(const Warp& w, uint32_t pending, uint32_t lane) {
    const uint32_t committed = mbarriers_.committed[w.index * 32 + lane];
    land_bulk([&](const BulkCopy& c) { return c.warp == w.index && c.lane == lane && !program_.bulk_copies[c.by->extra].to_shared && c.group < committed && committed - c.group > pending; });
}

// The host's memory of one end of a copy; nullptr, and a finding: it is out of bounds.
std::byte* Block::reach_bulk(const Warp& w, const BulkCopy& c, uint64_t address, bool shared, bool writes) {
    if (c.bytes == 0) return shared_.data.data();
    if (shared) {
        if (address < shared_.data.size() && c.bytes <= shared_.data.size() - address) return shared_.data.data() + address;
    } else if (const Segment* s = segment(address, address + c.bytes); s && (s->writable || !writes)) {
        advance(*c.by, address, address + c.bytes);
        return host_of(*s, address, c.bytes, writes);
    }
    trace::Addresses at{};
    at.fill(address);
    const Access a{at, address, address, 1u << c.lane, static_cast<uint32_t>(c.bytes), writes ? Access::store : Access::load};
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
    const std::byte* from = reach_bulk(w, c, c.from, use.from_shared, false);
    std::byte* to = reach_bulk(w, c, c.to, use.to_shared, true);
    if (from && to && c.bytes > 0) {
        if (use.from_shared) touch_bulk(c, c.from, Access::load);
        if (use.combine) {
            for (uint64_t n = 0; n < c.bytes; n += use.element_bytes) use.combine(to + n, from + n);
        } else {
            std::memmove(to, from, c.bytes);
        }
        if (use.to_shared) {
            shared_.enter_reads();
            trace::Addresses at{};
            at.fill(c.to);
            note_touch(w, *c.by, Access{at, c.to, c.to, 1u << c.lane, static_cast<uint32_t>(c.bytes), Access::store}, static_cast<int>(c.lane));
        }
    }
    if (!use.to_shared) return;
    if (Mbarrier* m = mbarrier(w, *c.by, c.lane, c.barrier)) {
        m->transactions -= static_cast<int64_t>(c.bytes);
        after_arrival(w, *c.by, c.lane, c.barrier, *m);
    }
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
