// Asynchronous copies: pending writes that land at the wait (manual, section 9.7.9.25.3).
#include "sim/block.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace sim {

void copy_async(Warp& w, const Operation& op, uint32_t active) { w.block->start_copy(w, op, active); }
void commit_async(Warp& w, const Operation&, uint32_t) { w.block->commit_copies(w); }
void wait_async(Warp& w, const Operation& op, uint32_t) { w.block->wait_copies(w, op); }

void Block::start_copy(Warp& w, const Operation& op, uint32_t active) {
    trace::Addresses to{}, from{};
    const auto first = static_cast<size_t>(__builtin_ctz(active));
    for (size_t i = 0; i < 32; ++i) {
        const size_t lane = active >> i & 1 ? i : first;
        to[i] = op.address_bytes == 8 ? row<uint64_t>(w, op.address)[lane] + static_cast<uint64_t>(op.offset)
                                      : static_cast<uint32_t>(row<uint32_t>(w, op.address)[lane] + static_cast<uint32_t>(op.offset));
        from[i] = row<uint64_t>(w, op.source)[lane] + static_cast<uint64_t>(op.source_offset);
        if (op.address_bytes == 8 && to[i] >= shared_window) to[i] -= shared_window;
    }
    const auto range = [](const trace::Addresses& at) { return std::minmax_element(at.begin(), at.end()); };
    const auto [to_low, to_high] = range(to);
    Access target{to, *to_low, *to_high, active, op.bytes, Access::store};
    check_alignment(w, op, target, Space::shared);
    report(op, target, trace::Space::shared);
    const auto [from_low, from_high] = range(from);
    Access source{from, *from_low, *from_high, active, op.bytes, Access::load};
    check_alignment(w, op, source, Space::global);
    // A lane that copies fewer bytes fills up with zeros, and one that copies none, or is to ignore the
    // source, reads nothing.
    std::array<uint32_t, 32> size{};
    uint32_t reading = 0, ignoring = 0;
    if (op.row[1] != no_row)
        ignoring = *row<uint32_t>(w, op.row[1]) ^ (op.negated_predicate >> 1 & 1 ? ~0u : 0u);
    for (size_t i = 0; i < 32; ++i) {
        if (!(active >> i & 1)) continue;
        size[i] = op.row[0] == no_row ? op.bytes : std::min<uint32_t>(row<uint32_t>(w, op.row[0])[i], op.bytes);
        if (ignoring >> i & 1) size[i] = 0;
        reading |= size[i] > 0 ? 1u << i : 0u;
    }
    report_source(op, from, reading);
    const SharedRange& allowed = shared_ranges_[op.memory_number];
    uint32_t outside = 0, stray = 0, issued = 0, bad = 0;
    for (size_t i = 0; i < 32; ++i) {
        if (!(active >> i & 1)) continue;
        PendingCopy copy{&op, to[i], w.committed, static_cast<uint8_t>(i), op.bytes, begun_[w.index]++, {}};
        const Segment* s = segment(from[i], from[i] + size[i]);
        if (size[i] > 0 && s) {
            std::memcpy(copy.data, host_of(*s, from[i], size[i], false), size[i]);
            advance(op, from[i], from[i]);
            const Access part{from, *from_low, *from_high, active, size[i], Access::load}; // what is filled up is not read
            if (s->watched >= 0) watch(w, op, part, 1u << i, *s);
        }
        if (size[i] > 0 && !s) bad |= 1u << i;
        if (to[i] >= shared_.data.size() || op.bytes > shared_.data.size() - to[i]) {
            outside |= 1u << i;
            continue;
        }
        if (to[i] < allowed.first || to[i] + op.bytes > allowed.end) stray |= 1u << i;
        else issued |= 1u << i;
        copies_[w.index].push_back(copy);
    }
    if (bad) out_of_bounds(w, op, source, bad, Space::global);
    if (outside) out_of_bounds(w, op, target, outside, Space::shared);
    if (stray) beyond_array(w, op, target, stray);
    if (issued) touch_shared(w, op, target, issued); // it may be written from now on, whenever the wait is
    for (size_t i = 0; i < 32; ++i)
        if (issued >> i & 1) shared_.set_pending(to[i], op.bytes);
    constexpr size_t most_pending = 1 << 16; // a kernel that never waits: the oldest land
    if (copies_[w.index].size() > most_pending) land(w, w.committed + 1);
}

// A trace has address 0 for the lanes that read nothing.
void Block::report_source(const Operation& op, const trace::Addresses& from, uint32_t reading) {
    trace::Addresses at{};
    for (size_t i = 0; i < at.size(); ++i)
        if (reading >> i & 1) at[i] = from[i];
    report(op, Access{at, 0, 0, reading, op.bytes, Access::load}, trace::Space::global);
}

void Block::commit_copies(Warp& w) { ++w.committed; }

void Block::wait_copies(Warp& w, const Operation& op) {
    if (op.extra == all_copies) land(w, w.committed + 1);
    else if (w.committed > op.extra) land(w, w.committed - op.extra);
}

// With `epoch`, as of that one.
template <class F>
void Block::land_if(const Warp& w, F chosen, std::optional<uint32_t> epoch) {
    auto& copies = copies_[w.index];
    trace::Addresses at{};
    size_t kept = 0;
    shared_.enter_reads();
    for (PendingCopy& c : copies) {
        if (!chosen(c)) {
            copies[kept++] = c;
            continue;
        }
        std::memcpy(shared_.data.data() + c.to, c.data, c.bytes);
        at[c.lane] = c.to;
        const Access target{at, c.to, c.to, 1u << c.lane, c.bytes, Access::store};
        note_touch(w, *c.by, target, c.lane); // what it is in conflict with was looked for when it was issued
        if (epoch) shared_.date_back(c.to, c.bytes, *epoch);
    }
    copies.resize(kept);
    if (!copies_overlap_) return;
    for (const PendingCopy& c : copies) shared_.set_pending(c.to, c.bytes); // a later copy to what has just been written
}

// Copies of groups before `group` are written.
void Block::land(const Warp& w, uint32_t group) {
    land_if(w, [&](const PendingCopy& c) { return c.group < group; }, {});
}

// The first copies of the warp are written.
void Block::land_begun(const Warp& w, uint64_t copies, uint32_t epoch) {
    land_if(w, [&](const PendingCopy& c) { return c.number < copies; }, epoch);
}

// Who waits for the mbarrier that is to tell of a copy has it, though the thread that began it may have exited meanwhile.
void Block::abandon_copies(const Warp& w) {
    uint64_t told = 0; // copies before this one are
    for (const PendingArrival& a : mbarriers_.arrivals)
        if (a.warp == w.index) told = std::max(told, a.copies);
    abandon_copies(w, told, "the thread exits without having waited for this asynchronous copy");
    if (std::any_of(warps_.begin(), warps_.end(), [](const Warp& other) { return other.live != 0; })) return;
    for (const Warp& other : warps_) abandon_copies(other, 0, "the block ends without anybody having waited for the mbarrier that tells of this asynchronous copy");
}

// Those from number `first` on.
void Block::abandon_copies(const Warp& w, uint64_t first, const char* what) {
    auto& copies = copies_[w.index];
    const auto lost = std::find_if(copies.begin(), copies.end(), [&](const PendingCopy& c) { return c.number >= first; });
    if (lost == copies.end()) return;
    uint32_t lanes = 0;
    for (auto c = lost; c != copies.end(); ++c) lanes |= 1u << c->lane;
    if (!gave_up_) finding(trace::FindingKind::unwaited_async_copy, w, *lost->by, lanes, what, -1, trace::Severity::warning);
    copies.erase(lost, copies.end());
}

// Of lanes that copy to where an earlier copy is still under way: those to which that one brings something else. Nothing says which of the
// two stays: groups end in the order in which they were committed, but may write in any.
uint32_t Block::copied_over(const Warp& w, const Operation& op, const Access& target, uint32_t lanes) const {
    const auto& own = copies_[w.index];
    if (own.empty() || own.back().by != &op) return lanes; // a bulk copy: what it brings is not known yet
    const uint64_t first = begun_[w.index] - static_cast<uint64_t>(__builtin_popcount(target.active)); // of this instruction's own
    const auto earlier = std::find_if(own.rbegin(), own.rend(), [&](const PendingCopy& c) { return c.number < first; });
    uint32_t bad = 0;
    for (size_t i = 0; i < 32; ++i) {
        if (!(lanes >> i & 1)) continue;
        const uint64_t at = target.at[i], end = at + target.bytes;
        const auto mine = std::find_if(own.rbegin(), own.rend(), [&](const PendingCopy& c) { return c.lane == i; });
        const auto before = std::find_if(earlier, own.rend(), [&](const PendingCopy& c) { return c.to < end && at < c.to + c.bytes; });
        const bool same = before != own.rend() && before->to == at && before->bytes == mine->bytes && std::memcmp(before->data, mine->data, mine->bytes) == 0;
        bad |= same ? 0 : 1u << i;
    }
    return bad;
}

} // namespace sim
