#include "sim/access.h"

#include "sim/block.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace sim {

std::byte* resolve(Warp& w, const Operation& op, Access& a, std::byte* host[trace::warp_size]) { return w.block->resolve(w, op, a, host); }

void report_access(Warp& w, const Operation& op, const Access& a) { w.block->report(op, a, trace::Space::shared); }

void enter_reads(Warp& w) { w.block->enter_reads(); }

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
    if (lanes) misaligned(w, op, a, lanes, space);
}

// Tells the observer, and the trace if there is one, of an access that led to `space`. A trace says one space for an instruction:
// of an instruction with generic addresses that lead elsewhere it has no addresses.
void Block::report(const Operation& op, const Access& a, trace::Space space) {
    if (stepping_) return;
    const trace::Instruction& listed = program_.listing->instructions[op.pc];
    const bool elsewhere = op.space == Space::generic && space != listed.space && listed.kind != trace::Kind::async_copy;
    if (observer_ && elsewhere) {
        trace::Instruction instruction = listed;
        instruction.space = space;
        observer_->access(op.pc, instruction, a.active, a.at);
    } else if (observer_) {
        observer_->access(op.pc, listed, a.active, a.at);
    }
    if (!trace_ || trace_->truncated || elsewhere) return;
    if (last_access_ == trace::no_access) last_access_ = static_cast<uint32_t>(trace_->accesses.size());
    trace_->accesses.push_back(a.at);
}

const Segment* Block::segment(uint64_t low, uint64_t end) {
    if (last_segment_ && last_segment_->holds(low, end)) return last_segment_;
    for (const Segment& s : run_.segments)
        if (s.holds(low, end)) return last_segment_ = &s;
    return nullptr;
}

void Block::advance(const Operation& op, uint64_t low, uint64_t high) {
    Reached& r = reached_[op.memory_number];
    if (low >= r.low && high <= r.high) return;
    r.low = std::min(r.low, low);
    r.high = std::max(r.high, high);
    advanced_ = true;
}

std::byte* Block::host_of(const Segment& s, uint64_t address, uint64_t bytes, bool writes) {
    const uint64_t at = address - s.first;
    if (!s.overlay) return s.data + at;
    const std::byte* p = writes ? nullptr : s.overlay->read(at, bytes);
    return p ? const_cast<std::byte*>(p) : s.overlay->own(at, bytes); // const: nothing is written through it
}

std::byte* Block::resolve_global(Warp& w, const Operation& op, Access& a, std::byte** host) {
    check_alignment(w, op, a, Space::global);
    report(op, a, trace::Space::global);
    const bool writes = a.direction != Access::load;
    if (const Segment* s = segment(a.low, a.high + a.bytes); s && (s->writable || !writes)) {
        advance(op, a.low, a.high);
        if (!s->overlay) return s->data + (a.low - s->first);
        if (!writes)
            if (const std::byte* p = s->overlay->read(a.low - s->first, a.high + a.bytes - a.low)) return const_cast<std::byte*>(p);
    }
    uint32_t bad = 0;
    for (int i = 0; i < 32; ++i) {
        host[i] = nullptr;
        if (!(a.active >> i & 1)) continue;
        const uint64_t at = a.at[static_cast<size_t>(i)];
        const Segment* s = segment(at, at + a.bytes);
        if (s && (s->writable || !writes)) {
            host[i] = host_of(*s, at, a.bytes, writes);
            advance(op, at, at);
        } else {
            bad |= 1u << i;
        }
    }
    if (bad) out_of_bounds(w, op, a, bad, Space::global);
    return nullptr;
}

std::byte* Block::resolve_shared(Warp& w, const Operation& op, Access& a, std::byte** host) {
    check_alignment(w, op, a, Space::shared);
    report(op, a, trace::Space::shared);
    const uint64_t size = shared_.data.size();
    if (a.high < size && a.high + a.bytes <= size) {
        touch_shared(w, op, a, a.active);
        return shared_.data.data() + a.low;
    }
    uint32_t good = 0;
    for (int i = 0; i < 32; ++i) {
        const uint64_t at = a.at[static_cast<size_t>(i)];
        const bool inside = (a.active >> i & 1) && at < size && at + a.bytes <= size;
        host[i] = inside ? shared_.data.data() + at : nullptr;
        good |= inside ? 1u << i : 0u;
    }
    out_of_bounds(w, op, a, a.active & ~good, Space::shared);
    if (good) touch_shared(w, op, a, good);
    return nullptr;
}

std::byte* Block::resolve_local(Warp& w, const Operation& op, Access& a, std::byte** host) {
    check_alignment(w, op, a, Space::local);
    if (program_.listing->instructions[op.pc].space != trace::Space::parameter) report(op, a, trace::Space::local);
    const uint64_t size = program_.local_bytes;
    uint32_t bad = 0;
    for (int i = 0; i < 32; ++i) {
        const uint64_t at = a.at[static_cast<size_t>(i)];
        host[i] = nullptr;
        if (!(a.active >> i & 1)) continue;
        if (at < size && at + a.bytes <= size) host[i] = local_.data() + (uint64_t{w.index} * 32 + static_cast<uint64_t>(i)) * size + at;
        else bad |= 1u << i;
    }
    if (bad) out_of_bounds(w, op, a, bad, Space::local);
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
        std::byte* base = space == 0 ? resolve_global(w, op, part, found[0])
                          : space == 1 ? resolve_shared(w, op, part, found[1]) : resolve_local(w, op, part, found[2]);
        for (int i = 0; i < 32; ++i)
            if (base) found[space][i] = base + (at[static_cast<size_t>(i)] - part.low);
    }
    for (int i = 0; i < 32; ++i) host[i] = a.active >> i & 1 ? found[shared >> i & 1 ? 1 : local >> i & 1 ? 2 : 0][i] : nullptr;
    return nullptr;
}

void Block::check_written(const Warp& w, const Operation& op, const Access& a, uint32_t lanes) {
    uint32_t unwritten = 0, pending = 0;
    for (int i = 0; i < 32; ++i) {
        if (!(lanes >> i & 1)) continue;
        const uint8_t* state = shared_.state.data() + a.at[static_cast<size_t>(i)];
        for (uint32_t n = 0; n < a.bytes; ++n) {
            if (state[n] == SharedMemory::unwritten) unwritten |= 1u << i;
            if (state[n] == SharedMemory::pending) pending |= 1u << i;
        }
    }
    const auto say = [&](trace::FindingKind kind, uint32_t bad, const char* what) {
        if (bad == 0 || gave_up_) return;
        const int lane = __builtin_ctz(bad);
        const uint64_t at = a.at[static_cast<size_t>(lane)];
        const int64_t array = shared_number(at);
        if (!known(kind, op, array)) finding(kind, w, op, bad, fmt::format("lane {} reads {}{}", lane, shared_name(op, at), what), array);
    };
    say(trace::FindingKind::uninitialised_shared, unwritten, ", which nothing has written");
    say(trace::FindingKind::unwaited_async_copy, pending, " before the wait for the asynchronous copy to it");
}

void Block::note_conflict(Touch before, bool wrote, int lane, uint32_t word) {
    const auto same = std::find_if(conflicts_.begin(), conflicts_.end(), [&](const Conflict& c) { return c.before == before && c.wrote == wrote; });
    if (same != conflicts_.end()) same->lanes |= 1u << lane;
    else conflicts_.push_back({before, wrote, word, 1u << lane});
}

void Block::touch_word(const Warp& w, const Operation& op, const Access& a, int lane, uint32_t word) {
    const uint32_t mine = shared_.tag(w.index);
    const Touch touch = static_cast<Touch>(mine) << 32 | op.pc;
    auto of_others = [&](Touch t) { return touch_tag(t) >> 5 == shared_.epoch && touch_tag(t) != mine; };
    Touch &writer = shared_.writer[word], &reader = shared_.reader[word], &other = shared_.other_reader[word];
    if (of_others(writer)) note_conflict(writer, true, lane, word);
    if (a.direction == Access::load) {
        shared_.note_read(touch, word);
        return;
    }
    if (of_others(reader)) note_conflict(reader, false, lane, word);
    else if (of_others(other)) note_conflict(other, false, lane, word);
    writer = touch;
}

// Notes who reads and writes which words, and finds races and reads of what was never written.
void Block::touch_shared(const Warp& w, const Operation& op, const Access& a, uint32_t lanes) {
    shared_.enter_reads();
    if (a.direction == Access::load) check_written(w, op, a, lanes);
    for (int i = 0; i < 32; ++i) {
        if (!(lanes >> i & 1)) continue;
        const uint64_t at = a.at[static_cast<size_t>(i)];
        if (a.direction != Access::load) std::memset(shared_.state.data() + at, SharedMemory::written, a.bytes);
        if (a.direction == Access::atomic) continue; // atomics do not race with each other
        for (uint64_t word = at / 4; word <= (at + a.bytes - 1) / 4; ++word) touch_word(w, op, a, i, static_cast<uint32_t>(word));
    }
    for (const Conflict& c : conflicts_) race(w, op, a, c);
    conflicts_.clear();
}

} // namespace sim
