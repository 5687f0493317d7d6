#include "sim/run/shared_space.h"

#include "sim/run/cluster.h"

#include <algorithm>

namespace sim {

void map_address(Warp& w, const Operation& op, uint32_t active) { w.block->shared_space.map_address(w, op, active); }
void find_rank(Warp& w, const Operation& op, uint32_t active) { w.block->shared_space.find_rank(w, op, active); }

// An operation may access the array that its address was made from, or all of the block's shared memory.
SharedSpace::SharedSpace(BlockContext& block, Recorder& recorder, Report& report, SharedRaces& races,
                         ClusterRaces& cluster, Mbarriers& mbarriers)
    : block_(block), recorder_(recorder), report_(report), shared_races_(races), cluster_races_(cluster),
      mbarriers_(mbarriers), ranges_(block.program.accesses) {
    const uint64_t size = block.shared_bytes();
    for (const Operation& op : block.program.operations) {
        if (op.address == no_row) continue;
        SharedRange& range = ranges_[op.memory_number];
        range = {0, size};
        if (op.shared_array < 0) continue;
        const auto& array = block.program.shared_variables[static_cast<size_t>(op.shared_array)];
        range.first = array.at;
        if (array.bytes > 0) range.end = array.at + array.bytes; // 0: dynamic, which ends where all ends
    }
}

std::byte* SharedSpace::resolve(const Warp& w, const Operation& op, const Access& a, std::byte** host) {
    if (is_distributed(a)) return resolve_distributed(w, op, a, host);
    report_.check_alignment(w, op, a, Space::shared);
    recorder_.access(op, a, trace::Space::shared);
    return reach(w, op, a, host);
}

std::byte* SharedSpace::reach(const Warp& w, const Operation& op, const Access& a, std::byte** host) {
    const SharedRange& range = range_of(op);
    if (a.high < range.end && range.end - a.high >= a.bytes && a.low >= range.first) {
        shared_races_.check(w, op, a, a.active);
        return block_.shared.data.data() + a.low;
    }
    const uint64_t size = block_.shared.data.size();
    uint32_t good = 0, stray = 0; // stray: in another array. The GPU reads and writes there, so it is done
    for (int i = 0; i < 32; ++i) {
        const uint64_t at = a.at[static_cast<size_t>(i)];
        const bool exists = (a.active >> i & 1) && at < size && at + a.bytes <= size;
        const bool inside = exists && at >= range.first && at + a.bytes <= range.end;
        host[i] = exists ? block_.shared.data.data() + at : nullptr;
        good |= inside ? 1u << i : 0u;
        stray |= exists && !inside ? 1u << i : 0u;
    }
    if (stray) report_.beyond_array(w, op, a, stray);
    if (const uint32_t outside = a.active & ~good & ~stray) report_.out_of_bounds(w, op, a, outside, Space::shared);
    if (good) shared_races_.check(w, op, a, good);
    return nullptr;
}

bool SharedSpace::is_distributed(const Access& a) const {
    if (a.high < rank_unit) return false;
    if (a.low >= rank_unit && block_.rank_of(a.low) == block_.rank_of(a.high) &&
        block_.rank_of(a.low) < block_.cluster.size())
        return true; // all lanes, to one block
    for (size_t i = 0; i < trace::warp_size; ++i) {
        const uint32_t rank = block_.rank_of(a.at[i]);
        if (a.active >> i & 1 && a.at[i] >= rank_unit && (rank < block_.cluster.size() || rank == no_rank)) return true;
    }
    return false;
}

// The lanes of each block are resolved on their own.
std::byte* SharedSpace::resolve_distributed(const Warp& w, const Operation& op, const Access& a, std::byte** host) {
    report_.check_alignment(w, op, a, Space::shared);
    recorder_.access(op, a, trace::Space::cluster);
    if (std::byte* const all = resolve_in_one_block(w, op, a)) return all;
    uint32_t left = a.active;
    std::fill(host, host + trace::warp_size, nullptr);
    while (left) {
        const uint32_t rank = block_.rank_of(a.at[static_cast<size_t>(__builtin_ctz(left))]);
        uint32_t lanes = 0;
        for (size_t i = 0; i < trace::warp_size; ++i) lanes |= block_.rank_of(a.at[i]) == rank ? 1u << i : 0u;
        lanes &= left;
        left &= ~lanes;
        if (rank == no_rank) {
            continue; // found where the address was made
        } else if (rank >= block_.cluster.size()) {
            report_.out_of_bounds(w, op, a, lanes, Space::shared);
        } else if (rank == block_.rank) {
            reach_own(w, op, a, lanes, host);
        } else if (!op.reaches_cluster) {
            needs_cluster_space(w, op, lanes, a.at[static_cast<size_t>(__builtin_ctz(lanes))]);
        } else {
            reach_remote(w, op, a, lanes, block_.cluster.block(rank), host);
        }
    }
    return nullptr;
}

// Where all lanes lead into one other block, in bounds: what nearly all such accesses do. Else nullptr, and nothing is done yet.
std::byte* SharedSpace::resolve_in_one_block(const Warp& w, const Operation& op, const Access& a) {
    const uint32_t rank = block_.rank_of(a.low);
    if (!a.pattern || a.low < rank_unit || rank != block_.rank_of(a.high) || rank >= block_.cluster.size() ||
        rank == block_.rank || !op.reaches_cluster)
        return nullptr;
    Block& home = block_.cluster.block(rank);
    const SharedRange& range = range_of(op);
    const uint64_t low = offset_of(a.low), end = offset_of(a.high) + a.bytes;
    if (low < range.first || end > range.end || end > home.context.shared.data.size()) return nullptr;
    if (block_.run.options.checks && !cluster_races_.log_reads(w, op, a, home.cluster_races))
        check_remote(w, op, a, a.active, home);
    return home.context.shared.data.data() + low;
}

// By addresses with the own rank.
void SharedSpace::reach_own(const Warp& w, const Operation& op, const Access& a, uint32_t lanes, std::byte** host) {
    trace::Addresses at;
    const uint64_t first = offset_of(a.at[static_cast<size_t>(__builtin_ctz(lanes))]);
    Access own{at, first, first, lanes, a.bytes, a.direction, lanes == a.active ? a.pattern : nullptr};
    for (size_t i = 0; i < trace::warp_size; ++i) {
        at[i] = lanes >> i & 1 ? offset_of(a.at[i]) : first;
        own.low = std::min(own.low, at[i]);
        own.high = std::max(own.high, at[i]);
    }
    std::byte* mine[trace::warp_size];
    std::byte* const base = reach(w, op, own, mine);
    for (size_t i = 0; i < trace::warp_size; ++i)
        if (lanes >> i & 1) host[i] = base ? base + (at[i] - own.low) : mine[i];
}

void SharedSpace::reach_remote(const Warp& w, const Operation& op, const Access& a, uint32_t lanes, Block& home,
                               std::byte** host) {
    const SharedRange& range = range_of(op);
    const uint64_t size = home.context.shared.data.size();
    uint32_t good = 0, stray = 0, outside = 0; // as in reach()
    for (size_t i = 0; i < trace::warp_size; ++i) {
        if (!(lanes >> i & 1)) continue;
        const uint64_t at = offset_of(a.at[i]);
        const bool exists = at < size && a.bytes <= size - at,
                   inside = exists && at >= range.first && at + a.bytes <= range.end;
        if (exists) host[i] = home.context.shared.data.data() + at;
        (inside ? good : exists ? stray : outside) |= 1u << i;
    }
    if (stray) report_.beyond_array(w, op, a, stray);
    if (outside) report_.out_of_bounds(w, op, a, outside, Space::shared);
    if (good && block_.run.options.checks) check_remote(w, op, a, good, home);
}

void SharedSpace::check_remote(const Warp& w, const Operation& op, const Access& a, uint32_t lanes, Block& home) {
    mbarriers_.check(w, op, a, lanes, home.mbarriers);
    cluster_races_.check(w, op, a, lanes, home.cluster_races);
}

void SharedSpace::needs_cluster_space(const Warp& w, const Operation& op, uint32_t lanes, uint64_t at) {
    report_.finding(
        trace::FindingKind::out_of_bounds, w, op, lanes,
        base::say(
            "lane {} accesses {} by an instruction that reaches the own block's shared memory only: .shared::cluster or a generic address reaches the others",
            __builtin_ctz(lanes), report_.names.shared(op, at)),
        of_other_block);
}

// d, a, rank: the address of the same variable in another block of the cluster.
void SharedSpace::map_address(const Warp& w, const Operation& op, uint32_t active) {
    const uint32_t* rank = row<uint32_t>(w, op.row[2]);
    uint32_t beyond = 0;
    for (uint32_t i = 0; i < 32; ++i) {
        if (!(active >> i & 1)) continue;
        if (rank[i] >= block_.cluster.size()) beyond |= 1u << i;
        const uint64_t part = cluster_part(rank[i] < block_.cluster.size() ? rank[i] : no_rank);
        if (op.width[0] == 8) row<uint64_t>(w, op.row[0])[i] = (row<uint64_t>(w, op.row[1])[i] & ~rank_bits) | part;
        else
            row<uint32_t>(w, op.row[0])[i] =
                static_cast<uint32_t>((row<uint32_t>(w, op.row[1])[i] & ~rank_bits) | part);
    }
    if (beyond) report_.no_such_block(w, op, beyond, rank[__builtin_ctz(beyond)]);
}

void SharedSpace::find_rank(const Warp& w, const Operation& op, uint32_t active) {
    for (uint32_t i = 0; i < 32; ++i)
        if (active >> i & 1)
            row<uint32_t>(w, op.row[0])[i] =
                block_.rank_of(op.width[1] == 8 ? row<uint64_t>(w, op.row[1])[i] & (window_bytes - 1)
                                                : row<uint32_t>(w, op.row[1])[i]);
}

} // namespace sim
