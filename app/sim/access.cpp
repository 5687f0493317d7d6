#include "sim/access.h"

#include "sim/cluster.h"

#include <algorithm>
#include <array>
#include <bit>

namespace sim {

namespace {

uint32_t begin_of(const Pattern& p, uint32_t lane) { return static_cast<uint32_t>(p.offset[lane] + p.below); }

// Whether no lane touches what another one does, as far as it is seen at once: lanes upwards, or each in a place of its own of a few thousand.
bool apart(const Pattern& p) {
    uint64_t end = 0;
    bool ascending = true;
    for (uint32_t i = 0; i < 32; ++i) {
        if (!(p.active >> i & 1)) continue;
        ascending &= begin_of(p, i) >= end;
        end = uint64_t{begin_of(p, i)} + p.bytes;
    }
    constexpr uint64_t most = 4096;
    const auto each = static_cast<uint32_t>(std::countr_zero(p.bytes));
    if (ascending || (p.ones & (p.bytes - 1)) != 0 || !std::has_single_bit(p.bytes) ||
        (p.below + p.above) >> each >= most)
        return ascending;
    std::array<uint64_t, most / 64> taken{};
    uint64_t twice = 0;
    for (uint32_t i = 0; i < 32; ++i) {
        if (!(p.active >> i & 1)) continue;
        const uint32_t place = begin_of(p, i) >> each;
        twice |= taken[place / 64] >> place % 64 & 1;
        taken[place / 64] |= uint64_t{1} << place % 64;
    }
    return twice == 0;
}

} // namespace

void find_new_runs(Pattern& p) {
    const bool all_apart = apart(p);
    p.overlaps = false;
    for (uint32_t i = 0; i < 32; ++i) {
        if (!(p.active >> i & 1)) continue;
        const uint32_t begin = begin_of(p, i);
        bool known = false;
        for (uint32_t r = 0; !all_apart && r < p.runs && !known; ++r)
            known = begin >= p.run[r].at && begin + p.bytes <= p.run[r].at + p.run[r].bytes;
        p.overlaps |= known;
        if (known) continue;
        Pattern::Run* last = p.runs > 0 ? &p.run[p.runs - 1] : nullptr;
        if (last && last->at + last->bytes == begin && last->lane + last->bytes / p.bytes == i) last->bytes += p.bytes;
        else p.run[p.runs++] = {begin, p.bytes, i};
    }
}

std::byte* resolve(Warp& w, const Operation& op, Access& a, std::byte* host[trace::warp_size]) {
    return w.block->resolve(w, op, a, host);
}

void report_access(Warp& w, const Operation& op, const Access& a) { w.block->recorder.access(op, a, trace::Space::shared); }

const WideRows& wide_rows(const Warp& w, const Operation& op) { return w.block->program().wide[op.wide]; }

std::unique_lock<std::mutex> one_at_a_time(Warp& w) { return w.block->one_at_a_time(); }

void enter_reads(Warp& w) { w.block->enter_reads(); }

void lanes_meet(Warp& w, const Operation& op, uint32_t lanes, uint32_t named) {
    w.block->lanes_meet(w, op, lanes, named);
}

std::byte* Block::resolve(Warp& w, const Operation& op, Access& a, std::byte** host) {
    switch (op.space) {
    case Space::global: return resolve_global(w, op, a, host);
    case Space::shared: return resolve_shared(w, op, a, host);
    case Space::local: return resolve_local(w, op, a, host);
    case Space::parameter:
    case Space::generic: return resolve_generic(w, op, a, host);
    }
    return nullptr;
}

void Block::check_alignment(const Warp& w, const Operation& op, const Access& a, Space space) {
    uint64_t low_bits = a.pattern ? a.low | a.high | a.pattern->ones : ~uint64_t{0};
    if ((low_bits & (a.bytes - 1)) == 0) return;
    uint32_t lanes = 0;
    for (int i = 0; i < 32; ++i) lanes |= (a.at[static_cast<size_t>(i)] & (a.bytes - 1)) ? 1u << i : 0u;
    lanes &= a.active;
    if (lanes) report.misaligned(w, op, a, lanes, space);
}

std::byte* Block::resolve_global(Warp& w, const Operation& op, Access& a, std::byte** host) {
    check_alignment(w, op, a, Space::global);
    recorder.access(op, a, trace::Space::global);
    const bool writes = a.direction != Access::load;
    if (const Segment* s = segments.find(a.low, a.high + a.bytes); s && (s->writable || !writes)) {
        segments.advance(op, a.low, a.high);
        if (a.direction == Access::store && a.pattern && a.pattern->overlaps)
            check_overlaps(context, report, w, op, a, a.active, Space::global);
        if (s->watched >= 0) global_races.check(w, op, a, a.active, *s);
        if (!s->overlay) return s->data + (a.low - s->first);
        if (!writes)
            if (const std::byte* p = s->overlay->read(a.low - s->first, a.high + a.bytes - a.low))
                return const_cast<std::byte*>(p);
    }
    uint32_t bad = 0;
    for (int i = 0; i < 32; ++i) {
        host[i] = nullptr;
        if (!(a.active >> i & 1)) continue;
        const uint64_t at = a.at[static_cast<size_t>(i)];
        const Segment* s = segments.find(at, at + a.bytes);
        if (s && (s->writable || !writes)) {
            host[i] = Segments::host(*s, at, a.bytes, writes);
            segments.advance(op, at, at);
            if (s->watched >= 0) global_races.check(w, op, a, 1u << i, *s);
        } else {
            bad |= 1u << i;
        }
    }
    if (bad) report.out_of_bounds(w, op, a, bad, Space::global);
    return nullptr;
}

std::byte* Block::resolve_shared(Warp& w, const Operation& op, Access& a, std::byte** host) {
    if (is_distributed(a)) return resolve_distributed(w, op, a, host);
    check_alignment(w, op, a, Space::shared);
    recorder.access(op, a, trace::Space::shared);
    return reach_shared(w, op, a, host);
}

std::byte* Block::reach_shared(const Warp& w, const Operation& op, const Access& a, std::byte** host) {
    const SharedRange& range = shared_ranges_[op.memory_number];
    if (a.high < range.end && range.end - a.high >= a.bytes && a.low >= range.first) {
        touch_shared(w, op, a, a.active);
        return shared_.data.data() + a.low;
    }
    const uint64_t size = shared_.data.size();
    uint32_t good = 0, stray = 0; // stray: in another array. The GPU reads and writes there, so it is done
    for (int i = 0; i < 32; ++i) {
        const uint64_t at = a.at[static_cast<size_t>(i)];
        const bool exists = (a.active >> i & 1) && at < size && at + a.bytes <= size;
        const bool inside = exists && at >= range.first && at + a.bytes <= range.end;
        host[i] = exists ? shared_.data.data() + at : nullptr;
        good |= inside ? 1u << i : 0u;
        stray |= exists && !inside ? 1u << i : 0u;
    }
    if (stray) report.beyond_array(w, op, a, stray);
    if (const uint32_t outside = a.active & ~good & ~stray) report.out_of_bounds(w, op, a, outside, Space::shared);
    if (good) touch_shared(w, op, a, good);
    return nullptr;
}

// What each operation may access: the array that its address was made from, or all of the block's shared memory.
void Block::set_shared_ranges() {
    const uint64_t size = program_.dynamic_shared_at + run_.launch.dynamic_shared_bytes;
    for (const Operation& op : program_.operations) {
        if (op.address == no_row) continue;
        SharedRange& range = shared_ranges_[op.memory_number];
        range = {0, size};
        if (op.shared_array < 0) continue;
        const auto& array = program_.shared_variables[static_cast<size_t>(op.shared_array)];
        range.first = array.at;
        if (array.bytes > 0) range.end = array.at + array.bytes; // 0: dynamic, which ends where all ends
    }
}

std::byte* Block::resolve_local(Warp& w, const Operation& op, Access& a, std::byte** host) {
    check_alignment(w, op, a, Space::local);
    if (program_.listing->instructions[op.pc].space != trace::Space::parameter) recorder.access(op, a, trace::Space::local);
    const uint64_t size = program_.local_bytes;
    uint32_t bad = 0;
    for (int i = 0; i < 32; ++i) {
        const uint64_t at = a.at[static_cast<size_t>(i)];
        host[i] = nullptr;
        if (!(a.active >> i & 1)) continue;
        if (at < size && at + a.bytes <= size)
            host[i] = local_.data() + (uint64_t{w.index} * 32 + static_cast<uint64_t>(i)) * size + at;
        else bad |= 1u << i;
    }
    if (bad) report.out_of_bounds(w, op, a, bad, Space::local);
    return nullptr;
}

// Lanes may point to different spaces: each space's lanes are resolved on their own.
std::byte* Block::resolve_generic(Warp& w, const Operation& op, Access& a, std::byte** host) {
    auto in = [](uint64_t at, uint64_t window) { return at >= window && at - window < window_bytes; };
    uint32_t shared = 0, local = 0;
    for (int i = 0; i < 32; ++i) {
        shared |= in(a.at[static_cast<size_t>(i)], shared_window) ? 1u << i : 0u;
        local |= in(a.at[static_cast<size_t>(i)], local_window) ? 1u << i : 0u;
    }
    shared &= a.active;
    local &= a.active;
    if (!shared && !local) return resolve_global(w, op, a, host);
    std::byte* found[3][trace::warp_size] = {};
    const uint32_t lanes[3] = {a.active & ~shared & ~local, shared, local};
    for (int space = 0; space < 3; ++space) {
        if (!lanes[space]) continue;
        trace::Addresses at = a.at;
        const uint64_t window = space == 1 ? shared_window : space == 2 ? local_window : 0;
        const uint64_t first = at[static_cast<size_t>(__builtin_ctz(lanes[space]))];
        Access part{at, ~uint64_t{0}, 0, lanes[space], a.bytes, a.direction};
        for (int i = 0; i < 32; ++i) {
            uint64_t& address = at[static_cast<size_t>(i)];
            address = (lanes[space] >> i & 1 ? address : first) - window;
            part.low = std::min(part.low, address);
            part.high = std::max(part.high, address);
        }
        std::byte* base = space == 0   ? resolve_global(w, op, part, found[0])
                          : space == 1 ? resolve_shared(w, op, part, found[1])
                                       : resolve_local(w, op, part, found[2]);
        for (int i = 0; i < 32; ++i)
            if (base) found[space][i] = base + (at[static_cast<size_t>(i)] - part.low);
    }
    for (int i = 0; i < 32; ++i)
        host[i] = a.active >> i & 1 ? found[shared >> i & 1 ? 1 : local >> i & 1 ? 2 : 0][i] : nullptr;
    return nullptr;
}

void Block::check_written(const Warp& w, const Operation& op, const Access& a, uint32_t lanes) {
    uint32_t unwritten = 0, pending = 0;
    const bool copies =
        program_.listing->instructions[op.pc].kind == trace::Kind::async_copy && a.direction == Access::store;
    for (int i = 0; i < 32; ++i) {
        if (!(lanes >> i & 1)) continue;
        const uint8_t* state = shared_.state.data() + a.at[static_cast<size_t>(i)];
        for (uint32_t n = 0; n < a.bytes; ++n) {
            if (state[n] == SharedMemory::unwritten && a.direction != Access::store) unwritten |= 1u << i;
            if (state[n] == SharedMemory::pending) pending |= 1u << i;
        }
    }
    if (copies && pending) {
        copies_overlap_ = true;
        pending = copied_over(w, op, a, pending);
    }
    const auto tell = [&](trace::FindingKind kind, uint32_t bad, auto sentence) {
        const int lane = __builtin_ctz(bad);
        const uint64_t at = a.at[static_cast<size_t>(lane)];
        const int64_t array = report.names.shared_array(at);
        if (report.gave_up() || report.known(kind, op, array)) return;
        const base::Sentence text = sentence(lane, report.names.shared(op, at));
        constexpr size_t most = 64;
        if (kind != trace::FindingKind::uninitialised_shared || unwritten_reads_.size() >= most)
            return report.finding(kind, w, op, bad, text, array);
        for (const UnwrittenRead& r : unwritten_reads_)
            if (r.key == report.key(kind, op, array)) return;
        unwritten_reads_.push_back({.key = report.key(kind, op, array), .finding = report.about(kind, w, op, bad, text), .at = at});
    };
    if (unwritten)
        tell(trace::FindingKind::uninitialised_shared, unwritten, [](int lane, const base::Sentence& name) {
            return base::say("lane {} reads {}, which nothing has written", lane, name);
        });
    if (pending)
        tell(trace::FindingKind::unwaited_async_copy, pending, [&](int lane, const base::Sentence& name) {
            if (copies)
                return base::say(
                    "lane {} copies to {} before the wait for the asynchronous copy that goes there already", lane,
                    name);
            return base::say("lane {} {} {} before the wait for the asynchronous copy to it", lane,
                             a.direction == Access::store ? base::say("writes") : base::say("reads"), name);
        });
}

// What another warp has written meanwhile was no matter of never being written, but of being read too early.
void Block::settle_unwritten_reads() {
    for (UnwrittenRead& r : unwritten_reads_)
        if (!r.raced && !report.gave_up()) report.add(r.key, std::move(r.finding));
    unwritten_reads_.clear();
}

} // namespace sim
