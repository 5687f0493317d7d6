#include "sim/run/address_spaces.h"

#include "sim/run/block.h"
#include "sim/run/stores.h"

#include <algorithm>

namespace sim {

void is_in_space(Warp& w, const Operation& op, uint32_t active) { w.block->spaces.is_in_space(w, op, active); }

AddressSpaces::AddressSpaces(BlockContext& block, Recorder& recorder, Report& report, Segments& segments,
                             GlobalRaces& global, SharedSpace& shared)
    : block_(block), recorder_(recorder), report_(report), segments_(segments), global_races_(global), shared_(shared),
      local_(bytes(block.program, block.run.launch)) {}

std::byte* AddressSpaces::resolve(const Warp& w, const Operation& op, const Access& a, std::byte** host) {
    switch (op.space) {
    case Space::global: return resolve_global(w, op, a, host);
    case Space::shared: return shared_.resolve(w, op, a, host);
    case Space::local: return resolve_local(w, op, a, host);
    case Space::parameter:
    case Space::generic: return resolve_generic(w, op, a, host);
    }
    return nullptr;
}

std::byte* AddressSpaces::resolve_global(const Warp& w, const Operation& op, const Access& a, std::byte** host) {
    report_.check_alignment(w, op, a, Space::global);
    recorder_.access(op, a, trace::Space::global);
    const bool writes = a.direction != Access::load;
    if (const Segment* s = segments_.find(a.low, a.high + a.bytes); s && (s->writable || !writes)) {
        segments_.advance(op, a.low, a.high);
        if (a.direction == Access::store && a.pattern && a.pattern->overlaps)
            check_overlaps(block_, report_, w, op, a, a.active, Space::global);
        if (s->watched >= 0) global_races_.check(w, op, a, a.active, *s);
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
        const Segment* s = segments_.find(at, at + a.bytes);
        if (s && (s->writable || !writes)) {
            host[i] = Segments::host(*s, at, a.bytes, writes);
            segments_.advance(op, at, at);
            if (s->watched >= 0) global_races_.check(w, op, a, 1u << i, *s);
        } else {
            bad |= 1u << i;
        }
    }
    if (bad) report_.out_of_bounds(w, op, a, bad, Space::global);
    return nullptr;
}

std::byte* AddressSpaces::resolve_local(const Warp& w, const Operation& op, const Access& a, std::byte** host) {
    report_.check_alignment(w, op, a, Space::local);
    if (block_.program.listing->instructions[op.pc].space != trace::Space::parameter)
        recorder_.access(op, a, trace::Space::local);
    const uint64_t size = block_.program.local_bytes;
    uint32_t bad = 0;
    for (int i = 0; i < 32; ++i) {
        const uint64_t at = a.at[static_cast<size_t>(i)];
        host[i] = nullptr;
        if (!(a.active >> i & 1)) continue;
        if (at < size && at + a.bytes <= size) host[i] = local(w, static_cast<uint32_t>(i)) + at;
        else bad |= 1u << i;
    }
    if (bad) report_.out_of_bounds(w, op, a, bad, Space::local);
    return nullptr;
}

// Lanes may point to different spaces: each space's lanes are resolved on their own.
std::byte* AddressSpaces::resolve_generic(const Warp& w, const Operation& op, const Access& a, std::byte** host) {
    auto in = [](uint64_t at, uint64_t window) { return at >= window && at - window < window_bytes; };
    for (const uint64_t window : {shared_window, local_window}) { // mostly all lead to one
        if (!in(a.low, window) || !in(a.high, window)) continue;
        trace::Addresses at;
        for (size_t i = 0; i < trace::warp_size; ++i) at[i] = a.at[i] - window;
        const Access there{at, a.low - window, a.high - window, a.active, a.bytes, a.direction, a.pattern};
        return window == shared_window ? shared_.resolve(w, op, there, host) : resolve_local(w, op, there, host);
    }
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
                          : space == 1 ? shared_.resolve(w, op, part, found[1])
                                       : resolve_local(w, op, part, found[2]);
        for (int i = 0; i < 32; ++i)
            if (base) found[space][i] = base + (at[static_cast<size_t>(i)] - part.low);
    }
    for (int i = 0; i < 32; ++i)
        host[i] = a.active >> i & 1 ? found[shared >> i & 1 ? 1 : local >> i & 1 ? 2 : 0][i] : nullptr;
    return nullptr;
}

void AddressSpaces::is_in_space(const Warp& w, const Operation& op, uint32_t active) {
    const uint64_t* a = row<uint64_t>(w, op.row[1]);
    uint32_t inside = 0;
    for (int i = 0; i < 32; ++i) {
        const Space space = a[i] >= local_window       ? Space::local
                            : a[i] >= shared_window    ? Space::shared
                            : a[i] >= parameter_window ? Space::parameter
                                                       : Space::global;
        const bool elsewhere =
            space == Space::shared && !op.reaches_cluster && block_.rank_of(a[i] - shared_window) != block_.rank;
        inside |= space == op.space && !elsewhere ? 1u << i : 0u;
    }
    uint32_t* p = row<uint32_t>(w, op.row[0]);
    *p = (*p & ~active) | (inside & active);
}

} // namespace sim
