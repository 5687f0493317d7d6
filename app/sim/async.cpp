// Asynchronous copies: pending writes that land at the wait (manual, section 9.7.9.25.3).
#include "sim/block.h"

#include <algorithm>
#include <cstring>

namespace sim {

void copy_async(Warp& w, const Operation& op, uint32_t active) { w.block->start_copy(w, op, active); }
void commit_async(Warp& w, const Operation&, uint32_t) { w.block->commit_copies(w); }
void wait_async(Warp& w, const Operation& op, uint32_t) { w.block->wait_copies(w, op); }

// The lanes' places in shared memory, with their shape.
Access Block::copy_target(Warp& w, const Operation& op, uint32_t active) {
    Access target = program_.vectors->prepare(w, op, active, op.bytes);
    if (op.address_bytes != 8 || target.high < shared_window) return target;
    const bool all = target.low >= shared_window;
    target.low = ~uint64_t{0}, target.high = 0;
    for (uint64_t& at : target.at) {
        if (at >= shared_window) at -= shared_window;
        target.low = std::min(target.low, at);
        target.high = std::max(target.high, at);
    }
    if (!all) target.pattern = nullptr;
    return target;
}

// Bytes that each lane reads: a lane that copies fewer fills up with zeros, and one that copies none, or is to ignore the source, reads nothing.
std::array<uint32_t, trace::warp_size> Block::copied_bytes(const Warp& w, const Operation& op, uint32_t active) {
    std::array<uint32_t, trace::warp_size> size{};
    uint32_t copying = active;
    if (op.row[1] != no_row) copying &= ~(*row<uint32_t>(w, op.row[1]) ^ (op.negated_predicate >> 1 & 1 ? ~0u : 0u));
    for (size_t i = 0; i < 32; ++i)
        if (copying >> i & 1)
            size[i] = op.row[0] == no_row ? op.bytes : std::min<uint32_t>(row<uint32_t>(w, op.row[0])[i], op.bytes);
    return size;
}

void Block::start_copy(Warp& w, const Operation& op, uint32_t active) {
    trace::Addresses from{};
    const auto first = static_cast<size_t>(__builtin_ctz(active));
    for (size_t i = 0; i < 32; ++i)
        from[i] = row<uint64_t>(w, op.source)[active >> i & 1 ? i : first] + static_cast<uint64_t>(op.source_offset);
    const auto [from_low, from_high] = std::minmax_element(from.begin(), from.end());
    Access target = copy_target(w, op, active);
    const trace::Addresses& to = target.at;
    check_alignment(w, op, target, Space::shared);
    recorder.access(op, target, trace::Space::shared);
    Access source{from, *from_low, *from_high, active, op.bytes, Access::load};
    check_alignment(w, op, source, Space::global);
    const std::array<uint32_t, 32> size = copied_bytes(w, op, active);
    uint32_t reading = 0;
    for (size_t i = 0; i < 32; ++i) reading |= size[i] > 0 ? 1u << i : 0u;
    report_source(op, from, reading);
    const SharedRange& allowed = shared_ranges_[op.memory_number];
    auto& copies = copies_[w.index];
    PendingCopies& mine = copies.emplace_back();
    mine.by = &op;
    mine.number = begun_[w.index]++;
    mine.group = w.committed;
    mine.bytes = op.bytes;
    const uint32_t bad = read_sources(w, from, size, mine);
    uint32_t outside = 0, stray = 0;
    for (size_t i = 0; i < 32; ++i) {
        if (!(active >> i & 1)) continue;
        mine.to[i] = static_cast<uint32_t>(to[i]);
        if (to[i] >= shared_.data.size() || op.bytes > shared_.data.size() - to[i]) outside |= 1u << i;
        else if (to[i] < allowed.first || to[i] + op.bytes > allowed.end) stray |= 1u << i;
    }
    mine.lanes = active & ~outside;
    const uint32_t issued = mine.lanes & ~stray;
    if (bad) report.out_of_bounds(w, op, source, bad, Space::global);
    if (outside) report.out_of_bounds(w, op, target, outside, Space::shared);
    if (stray) report.beyond_array(w, op, target, stray);
    if (issued) touch_shared(w, op, target, issued); // it may be written from now on, whenever the wait is
    set_pending(target, issued);
    constexpr size_t most_pending = 1 << 12; // a kernel that never waits: the oldest land
    if (copies.size() > most_pending) land(w, w.committed + 1);
}

namespace {

template <size_t bytes>
void read_lanes(std::byte* to, const std::byte* from, const trace::Addresses& at, uint64_t first) {
    for (size_t i = 0; i < trace::warp_size; ++i) std::memcpy(to + i * bytes, from + (at[i] - first), bytes);
}

} // namespace

// What the lanes are to copy, of `size` bytes each. Gives those whose source lies nowhere.
uint32_t Block::read_sources(const Warp& w, trace::Addresses& from, const std::array<uint32_t, 32>& size,
                             PendingCopies& c) {
    const auto [low, high] = std::minmax_element(from.begin(), from.end());
    const bool same = std::all_of(size.begin(), size.end(), [&](uint32_t s) { return s == c.bytes; });
    if (const Segment* const s = same ? segments.find(*low, *high + c.bytes) : nullptr;
        s && !s->overlay && s->watched < 0) { // nearly always
        segments.advance(*c.by, *low, *high);
        (c.bytes == 4   ? read_lanes<4>
         : c.bytes == 8 ? read_lanes<8>
                        : read_lanes<16>)(c.data.data(), s->data, from, s->first);
        return 0;
    }
    uint32_t bad = 0;
    for (size_t i = 0; i < 32; ++i) {
        std::memset(c.of(i), 0, c.bytes);
        if (size[i] == 0) continue;
        const Segment* const s = segments.find(from[i], from[i] + size[i]);
        if (!s) {
            bad |= 1u << i;
            continue;
        }
        std::memcpy(c.of(i), Segments::host(*s, from[i], size[i], false), size[i]);
        segments.advance(*c.by, from[i], from[i]);
        const Access part{from, *low, *high, ~0u, size[i], Access::load}; // what is filled up is not read
        if (s->watched >= 0) global_races.check(w, *c.by, part, 1u << i, *s);
    }
    return bad;
}

void Block::set_pending(const Access& target, uint32_t lanes) {
    if (target.pattern && lanes == target.active) {
        find_runs(*target.pattern);
        for (uint32_t r = 0; r < target.pattern->runs; ++r)
            shared_.set_pending(target.low + target.pattern->run[r].at, target.pattern->run[r].bytes);
        return;
    }
    for (size_t i = 0; i < 32; ++i)
        if (lanes >> i & 1) shared_.set_pending(target.at[i], target.bytes);
}

// A trace has address 0 for the lanes that read nothing.
void Block::report_source(const Operation& op, const trace::Addresses& from, uint32_t reading) {
    trace::Addresses at{};
    for (size_t i = 0; i < at.size(); ++i)
        if (reading >> i & 1) at[i] = from[i];
    recorder.access(op, Access{at, 0, 0, reading, op.bytes, Access::load}, trace::Space::global);
}

void Block::commit_copies(Warp& w) { ++w.committed; }

void Block::wait_copies(Warp& w, const Operation& op) {
    if (op.detail.groups_left == all_copies) land(w, w.committed + 1);
    else if (w.committed > op.detail.groups_left) land(w, w.committed - op.detail.groups_left);
}

// With `epoch`, as of that one.
template <class F>
void Block::land_if(const Warp& w, F chosen, std::optional<uint32_t> epoch) {
    auto& copies = copies_[w.index];
    size_t landed = 0; // the first ones: groups and numbers rise
    shared_.enter_reads();
    for (; landed < copies.size() && chosen(copies[landed]); ++landed) {
        const PendingCopies& c = copies[landed];
        land_copies(w, c);
        for (size_t i = 0; epoch && i < 32; ++i)
            if (c.lanes >> i & 1) shared_.date_back(c.to[i], c.bytes, *epoch);
    }
    copies.erase(copies.begin(), copies.begin() + static_cast<std::ptrdiff_t>(landed));
    if (!copies_overlap_) return;
    for (const PendingCopies& c : copies) // later copies to what has just been written
        for (size_t i = 0; i < 32; ++i)
            if (c.lanes >> i & 1) shared_.set_pending(c.to[i], c.bytes);
}

namespace {

template <size_t bytes, class C>
void write_lanes(SharedMemory& shared, const C& c, Touch by_lane_0) {
    for (uint32_t i = 0; i < trace::warp_size; ++i) {
        if (!(c.lanes >> i & 1)) continue;
        std::memcpy(shared.data.data() + c.to[i], c.of(i), bytes);
        std::memset(shared.state.data() + c.to[i], SharedMemory::written, bytes);
        for (size_t n = 0; n < bytes / 4; ++n) shared.writer[c.to[i] / 4 + n] = by_lane_0 | Touch{i} << touch_lane_at;
    }
}

} // namespace

// What they are in conflict with was looked for when they were issued.
void Block::land_copies(const Warp& w, const PendingCopies& c) {
    uint32_t ones = 0;
    for (size_t i = 0; i < 32; ++i) ones |= c.lanes >> i & 1 ? c.to[i] : 0;
    if (ones % 4 == 0) {
        constexpr uint32_t all_bytes = 15;
        return (c.bytes == 4 ? write_lanes<4, PendingCopies>
                : c.bytes == 8
                    ? write_lanes<8, PendingCopies>
                    : write_lanes<16, PendingCopies>)(shared_, c, shared_.touch(w.index, 0, all_bytes, c.by->pc));
    }
    trace::Addresses at{};
    for (size_t i = 0; i < 32; ++i) {
        if (!(c.lanes >> i & 1)) continue;
        std::memcpy(shared_.data.data() + c.to[i], c.of(i), c.bytes);
        at[i] = c.to[i];
        note_touch(w, *c.by, Access{at, at[i], at[i], 1u << i, c.bytes, Access::store}, static_cast<int>(i));
    }
}

// Copies of groups before `group` are written.
void Block::land(const Warp& w, uint32_t group) {
    land_if(w, [&](const PendingCopies& c) { return c.group < group; }, {});
}

// The first copies of the warp are written.
void Block::land_begun(const Warp& w, uint64_t copies, uint32_t epoch) {
    land_if(
        w, [&](const PendingCopies& c) { return c.number < copies; }, epoch);
}

// Who waits for the mbarrier that is to tell of a copy has it, though the thread that began it may have exited meanwhile.
void Block::abandon_copies(const Warp& w) {
    uint64_t told = 0; // copies before this one are
    for (const PendingArrival& a : mbarriers_.arrivals)
        if (a.warp == w.index) told = std::max(told, a.copies);
    abandon_copies(w, told, base::phrase("the thread exits without having waited for this asynchronous copy"));
    if (std::any_of(warps_.begin(), warps_.end(), [](const Warp& other) { return other.live != 0; })) return;
    for (const Warp& other : warps_)
        abandon_copies(
            other, 0,
            base::phrase(
                "the block ends without anybody having waited for the mbarrier that tells of this asynchronous copy"));
}

// Those from number `first` on.
void Block::abandon_copies(const Warp& w, uint64_t first, base::Phrase what) {
    auto& copies = copies_[w.index];
    const auto lost = std::find_if(copies.begin(), copies.end(),
                                   [&](const PendingCopies& c) { return c.number >= first && c.lanes != 0; });
    if (lost == copies.end()) return;
    uint32_t lanes = 0;
    for (auto c = lost; c != copies.end(); ++c) lanes |= c->lanes;
    if (!report.gave_up())
        report.finding(trace::FindingKind::unwaited_async_copy, w, *lost->by, lanes, what, -1, trace::Severity::warning);
    copies.erase(lost, copies.end());
}

// Of lanes that copy to where an earlier copy is still under way: those to which that one brings something else. Nothing says which of the
// two stays: groups end in the order in which they were committed, but may write in any.
uint32_t Block::copied_over(const Warp& w, const Operation& op, const Access& target, uint32_t lanes) const {
    const auto& own = copies_[w.index];
    if (own.empty() || own.back().by != &op) return lanes; // a bulk copy: what it brings is not known yet
    const PendingCopies& mine = own.back();
    uint32_t bad = 0;
    for (size_t i = 0; i < 32; ++i) {
        if (!(lanes >> i & 1)) continue;
        const auto same = [&](const PendingCopies& c, size_t lane) {
            return c.to[lane] == target.at[i] && c.bytes == mine.bytes &&
                   std::memcmp(c.of(lane), mine.of(i), c.bytes) == 0;
        };
        const auto meets = [&](const PendingCopies& c, size_t lane) {
            return c.lanes >> lane & 1 && c.to[lane] < target.at[i] + target.bytes &&
                   target.at[i] < c.to[lane] + c.bytes;
        };
        bool found = false, is_same = false; // the last one before that goes there
        for (auto c = std::next(own.rbegin()); c != own.rend() && !found; ++c)
            for (size_t lane = 32; lane-- > 0 && !found;)
                if (meets(*c, lane)) found = true, is_same = same(*c, lane);
        bad |= is_same ? 0 : 1u << i;
    }
    return bad;
}

} // namespace sim
