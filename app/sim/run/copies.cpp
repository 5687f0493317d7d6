#include "sim/run/copies.h"

#include "sim/lanes/vectors.h"
#include "sim/run/block.h"

#include <algorithm>
#include <cstring>

namespace sim {

void copy_async(Warp& w, const Operation& op, uint32_t active) { w.block->copies.start(w, op, active); }
void commit_async(Warp& w, const Operation&, uint32_t) { w.block->copies.commit(w); }
void wait_async(Warp& w, const Operation& op, uint32_t) { w.block->copies.wait(w, op); }

Copies::Copies(BlockContext& block, Recorder& recorder, Report& report, Segments& segments, GlobalRaces& global,
               SharedRaces& shared, const SharedSpace& space, const Mbarriers& mbarriers)
    : block_(block), recorder_(recorder), report_(report), segments_(segments), global_races_(global),
      shared_races_(shared), space_(space), mbarriers_(mbarriers), pending_(block.warps.size()),
      begun_(block.warps.size()) {}

void Copies::reset() {
    for (auto& pending : pending_) pending.clear();
    std::fill(begun_.begin(), begun_.end(), 0);
    overlap_ = false;
}

// The lanes' places in shared memory, with their shape.
Access Copies::target(Warp& w, const Operation& op, uint32_t active) const {
    Access target = block_.program.vectors->prepare(w, op, active, op.bytes);
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
Copies::Sizes Copies::copied_bytes(const Warp& w, const Operation& op, uint32_t active) {
    Sizes size{};
    uint32_t copying = active;
    if (op.row[1] != no_row) copying &= ~(*row<uint32_t>(w, op.row[1]) ^ (op.negated_predicate >> 1 & 1 ? ~0u : 0u));
    for (size_t i = 0; i < 32; ++i)
        if (copying >> i & 1)
            size[i] = op.row[0] == no_row ? op.bytes : std::min<uint32_t>(row<uint32_t>(w, op.row[0])[i], op.bytes);
    return size;
}

void Copies::start(Warp& w, const Operation& op, uint32_t active) {
    trace::Addresses from{};
    const auto first = static_cast<size_t>(__builtin_ctz(active));
    for (size_t i = 0; i < 32; ++i)
        from[i] = row<uint64_t>(w, op.source)[active >> i & 1 ? i : first] + static_cast<uint64_t>(op.source_offset);
    const auto [from_low, from_high] = std::minmax_element(from.begin(), from.end());
    const Access to = target(w, op, active);
    report_.check_alignment(w, op, to, Space::shared);
    recorder_.access(op, to, trace::Space::shared);
    const Access source{from, *from_low, *from_high, active, op.bytes, Access::load};
    report_.check_alignment(w, op, source, Space::global);
    const Sizes size = copied_bytes(w, op, active);
    record_sources(op, from, size);
    auto& pending = pending_[w.index];
    Pending& mine = pending.emplace_back();
    mine.by = &op;
    mine.number = begun_[w.index]++;
    mine.group = w.committed;
    mine.bytes = op.bytes;
    if (const uint32_t bad = read_sources(w, from, size, mine))
        report_.out_of_bounds(w, op, source, bad, Space::global);
    const uint32_t issued = place(w, op, to, active, mine);
    if (issued) shared_races_.check(w, op, to, issued); // it may be written from now on, whenever the wait is
    set_pending(to, issued);
    constexpr size_t most_pending = 1 << 12; // a kernel that never waits: the oldest land
    if (pending.size() > most_pending) land_groups(w, w.committed + 1);
}

// Fills in where the lanes copy to. Gives those that copy to the array that their addresses were made from.
uint32_t Copies::place(const Warp& w, const Operation& op, const Access& to, uint32_t active, Pending& mine) {
    const SharedRange& allowed = space_.range_of(op);
    const uint64_t size = block_.shared.data.size();
    uint32_t outside = 0, stray = 0;
    for (size_t i = 0; i < 32; ++i) {
        if (!(active >> i & 1)) continue;
        mine.to[i] = static_cast<uint32_t>(to.at[i]);
        if (to.at[i] >= size || op.bytes > size - to.at[i]) outside |= 1u << i;
        else if (to.at[i] < allowed.first || to.at[i] + op.bytes > allowed.end) stray |= 1u << i;
    }
    mine.lanes = active & ~outside;
    if (outside) report_.out_of_bounds(w, op, to, outside, Space::shared);
    if (stray) report_.beyond_array(w, op, to, stray);
    return mine.lanes & ~stray;
}

namespace {

template <size_t bytes>
void read_lanes(std::byte* to, const std::byte* from, const trace::Addresses& at, uint64_t first) {
    for (size_t i = 0; i < trace::warp_size; ++i) std::memcpy(to + i * bytes, from + (at[i] - first), bytes);
}

} // namespace

// What the lanes are to copy, of `size` bytes each. Gives those whose source lies nowhere.
uint32_t Copies::read_sources(const Warp& w, trace::Addresses& from, const Sizes& size, Pending& c) {
    const auto [low, high] = std::minmax_element(from.begin(), from.end());
    const bool same = std::all_of(size.begin(), size.end(), [&](uint32_t s) { return s == c.bytes; });
    if (const Segment* const s = same ? segments_.find(*low, *high + c.bytes) : nullptr;
        s && !s->overlay && s->watched < 0) { // nearly always
        segments_.advance(*c.by, *low, *high);
        (c.bytes == 4   ? read_lanes<4>
         : c.bytes == 8 ? read_lanes<8>
                        : read_lanes<16>)(c.data.data(), s->data, from, s->first);
        return 0;
    }
    uint32_t bad = 0;
    for (size_t i = 0; i < 32; ++i) {
        std::memset(c.of(i), 0, c.bytes);
        if (size[i] == 0) continue;
        const Segment* const s = segments_.find(from[i], from[i] + size[i]);
        if (!s) {
            bad |= 1u << i;
            continue;
        }
        std::memcpy(c.of(i), Segments::host(*s, from[i], size[i], false), size[i]);
        segments_.advance(*c.by, from[i], from[i]);
        const Access part{from, *low, *high, ~0u, size[i], Access::load}; // what is filled up is not read
        if (s->watched >= 0) global_races_.check(w, *c.by, part, 1u << i, *s);
    }
    return bad;
}

void Copies::set_pending(const Access& target, uint32_t lanes) {
    if (target.pattern && lanes == target.active) {
        find_runs(*target.pattern);
        for (uint32_t r = 0; r < target.pattern->runs; ++r)
            block_.shared.set_pending(target.low + target.pattern->run[r].at, target.pattern->run[r].bytes);
        return;
    }
    for (size_t i = 0; i < 32; ++i)
        if (lanes >> i & 1) block_.shared.set_pending(target.at[i], target.bytes);
}

// A trace has address 0 for the lanes that read nothing.
void Copies::record_sources(const Operation& op, const trace::Addresses& from, const Sizes& size) {
    trace::Addresses at{};
    uint32_t reading = 0;
    for (size_t i = 0; i < at.size(); ++i)
        if (size[i] > 0) at[i] = from[i], reading |= 1u << i;
    recorder_.access(op, Access{at, 0, 0, reading, op.bytes, Access::load}, trace::Space::global);
}

void Copies::wait(const Warp& w, const Operation& op) {
    if (op.detail.groups_left == all_copies) land_groups(w, w.committed + 1);
    else if (w.committed > op.detail.groups_left) land_groups(w, w.committed - op.detail.groups_left);
}

// With `epoch`, as of that one.
template <class F>
void Copies::land_if(const Warp& w, F chosen, std::optional<uint32_t> epoch) {
    auto& copies = pending_[w.index];
    size_t landed = 0; // the first ones: groups and numbers rise
    block_.shared.enter_reads();
    for (; landed < copies.size() && chosen(copies[landed]); ++landed) {
        const Pending& c = copies[landed];
        land(w, c);
        for (size_t i = 0; epoch && i < 32; ++i)
            if (c.lanes >> i & 1) block_.shared.date_back(c.to[i], c.bytes, *epoch);
    }
    copies.erase(copies.begin(), copies.begin() + static_cast<std::ptrdiff_t>(landed));
    if (!overlap_) return;
    for (const Pending& c : copies) // later copies to what has just been written
        for (size_t i = 0; i < 32; ++i)
            if (c.lanes >> i & 1) block_.shared.set_pending(c.to[i], c.bytes);
}

namespace {

template <size_t bytes>
void write_lanes(SharedMemory& shared, const Copies::Pending& c, Touch by_lane_0) {
    for (uint32_t i = 0; i < trace::warp_size; ++i) {
        if (!(c.lanes >> i & 1)) continue;
        std::memcpy(shared.data.data() + c.to[i], c.of(i), bytes);
        std::memset(shared.state.data() + c.to[i], SharedMemory::written, bytes);
        for (size_t n = 0; n < bytes / 4; ++n) shared.writer[c.to[i] / 4 + n] = by_lane_0 | Touch{i} << touch_lane_at;
    }
}

} // namespace

// What they are in conflict with was looked for when they were issued.
void Copies::land(const Warp& w, const Pending& c) {
    uint32_t ones = 0;
    for (size_t i = 0; i < 32; ++i) ones |= c.lanes >> i & 1 ? c.to[i] : 0;
    if (ones % 4 == 0) {
        constexpr uint32_t all_bytes = 15;
        return (c.bytes == 4 ? write_lanes<4>
                : c.bytes == 8
                    ? write_lanes<8>
                    : write_lanes<16>)(block_.shared, c, block_.shared.touch(w.index, 0, all_bytes, c.by->pc));
    }
    trace::Addresses at{};
    for (size_t i = 0; i < 32; ++i) {
        if (!(c.lanes >> i & 1)) continue;
        std::memcpy(block_.shared.data.data() + c.to[i], c.of(i), c.bytes);
        at[i] = c.to[i];
        shared_races_.note(w, *c.by, Access{at, at[i], at[i], 1u << i, c.bytes, Access::store}, static_cast<int>(i));
    }
}

// Copies of groups before `group` are written.
void Copies::land_groups(const Warp& w, uint32_t group) {
    land_if(w, [&](const Pending& c) { return c.group < group; }, {});
}

void Copies::land_begun(const Warp& w, uint64_t copies, uint32_t epoch) {
    land_if(
        w, [&](const Pending& c) { return c.number < copies; }, epoch);
}

void Copies::abandon(const Warp& w) {
    abandon(w, mbarriers_.awaited_copies(w),
            base::phrase("the thread exits without having waited for this asynchronous copy"));
    if (block_.any_live()) return;
    for (const Warp& other : block_.warps)
        abandon(
            other, 0,
            base::phrase(
                "the block ends without anybody having waited for the mbarrier that tells of this asynchronous copy"));
}

// Those from number `first` on.
void Copies::abandon(const Warp& w, uint64_t first, base::Phrase what) {
    auto& copies = pending_[w.index];
    const auto lost =
        std::find_if(copies.begin(), copies.end(), [&](const Pending& c) { return c.number >= first && c.lanes != 0; });
    if (lost == copies.end()) return;
    uint32_t lanes = 0;
    for (auto c = lost; c != copies.end(); ++c) lanes |= c->lanes;
    if (!report_.gave_up())
        report_.finding(trace::FindingKind::unwaited_async_copy, w, *lost->by, lanes, what, -1,
                        trace::Severity::warning);
    copies.erase(lost, copies.end());
}

// Of lanes that copy to where an earlier copy is still under way: those to which that one brings something else. Nothing says which of the
// two stays: groups end in the order in which they were committed, but may write in any.
uint32_t Copies::copied_over(const Warp& w, const Operation& op, const Access& target, uint32_t lanes) {
    overlap_ = true;
    const auto& own = pending_[w.index];
    if (own.empty() || own.back().by != &op) return lanes; // a bulk copy: what it brings is not known yet
    const Pending& mine = own.back();
    uint32_t bad = 0;
    for (size_t i = 0; i < 32; ++i) {
        if (!(lanes >> i & 1)) continue;
        const auto same = [&](const Pending& c, size_t lane) {
            return c.to[lane] == target.at[i] && c.bytes == mine.bytes &&
                   std::memcmp(c.of(lane), mine.of(i), c.bytes) == 0;
        };
        const auto meets = [&](const Pending& c, size_t lane) {
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
