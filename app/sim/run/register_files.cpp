#include "sim/run/register_files.h"

#include <algorithm>
#include <cstring>

namespace sim {

AlignedBytes::AlignedBytes(size_t bytes) : room_(std::make_unique<std::byte[]>(bytes + 64)) {
    const auto address = reinterpret_cast<uintptr_t>(room_.get());
    data_ = room_.get() + ((address + 63) / 64 * 64 - address);
}

RegisterFiles::RegisterFiles(const Program& program, const Launch& launch, std::span<const std::byte> parameters)
    : program_(program), warps_((launch.block.count() + trace::warp_size - 1) / trace::warp_size),
      registers_(warps_ * program.register_bytes), constants_(program.constant_bytes) {
    find_specials_of_threads(launch);
    fill_constants(program, parameters, constants_.data());
}

uint64_t RegisterFiles::bytes(const Program& p, uint64_t warps) {
    return p.constant_bytes + warps * (p.register_bytes + p.specials.size() * trace::warp_size * sizeof(uint64_t));
}

void fill_constants(const Program& program, std::span<const std::byte> parameters, std::byte* to) {
    Warp w;
    w.file[1] = to;
    for (const Constant& c : program.constants) {
        uint64_t bits = c.bits;
        if (c.parameter) {
            bits = 0;
            std::memcpy(&bits, parameters.data() + c.offset, c.bytes);
            if (c.sign && c.bytes < 8)
                bits = static_cast<uint64_t>(static_cast<int64_t>(bits << (64 - 8 * c.bytes)) >> (64 - 8 * c.bytes));
        }
        if (c.width == 0) *row<uint32_t>(w, c.at) = static_cast<uint32_t>(bits);
        for (int i = 0; i < 32; ++i) {
            if (c.width == 2) row<uint16_t>(w, c.at)[i] = static_cast<uint16_t>(bits);
            if (c.width == 4) row<uint32_t>(w, c.at)[i] = static_cast<uint32_t>(bits);
            if (c.width >= 8) row<uint64_t>(w, c.at)[i] = bits;
        }
    }
}

uint64_t special_value(ptx::Special s, const Launch& l, base::Dim3 cluster, base::Dim3 index, base::Dim3 thread,
                       uint32_t lane, uint32_t warp, uint32_t shared) {
    using enum ptx::Special;
    const base::Dim3 b = l.block, g = l.grid, c = cluster;
    const base::Dim3 in_cluster{index.x % c.x, index.y % c.y, index.z % c.z};
    const uint32_t bit = 1u << lane;
    switch (s) {
    case tid_x: return thread.x;
    case tid_y: return thread.y;
    case tid_z: return thread.z;
    case ntid_x: return b.x;
    case ntid_y: return b.y;
    case ntid_z: return b.z;
    case ctaid_x: return index.x;
    case ctaid_y: return index.y;
    case ctaid_z: return index.z;
    case nctaid_x: return g.x;
    case nctaid_y: return g.y;
    case nctaid_z: return g.z;
    case laneid: return lane;
    case warpid: return warp;
    case nwarpid: return (b.count() + 31) / 32;
    case nsmid: return 1;
    case clusterid_x: return index.x / c.x;
    case clusterid_y: return index.y / c.y;
    case clusterid_z: return index.z / c.z;
    case nclusterid_x: return g.x / c.x;
    case nclusterid_y: return g.y / c.y;
    case nclusterid_z: return g.z / c.z;
    case cluster_ctaid_x: return in_cluster.x;
    case cluster_ctaid_y: return in_cluster.y;
    case cluster_ctaid_z: return in_cluster.z;
    case cluster_nctaid_x: return c.x;
    case cluster_nctaid_y: return c.y;
    case cluster_nctaid_z: return c.z;
    case cluster_ctarank: return base::index_of(in_cluster, c);
    case cluster_nctarank: return c.count();
    case lanemask_eq: return bit;
    case lanemask_lt: return bit - 1;
    case lanemask_le: return bit | (bit - 1);
    case lanemask_gt: return ~(bit | (bit - 1));
    case lanemask_ge: return ~(bit - 1);
    case dynamic_smem_size: return l.dynamic_shared_bytes;
    case total_smem_size:
    case aggr_smem_size: return shared;
    default: return 0;
    }
}

namespace {

// Of threads, whatever block they are in.
bool differs_by_thread(ptx::Special s) {
    using enum ptx::Special;
    switch (s) {
    case tid_x:
    case tid_y:
    case tid_z:
    case laneid:
    case warpid:
    case lanemask_eq:
    case lanemask_lt:
    case lanemask_le:
    case lanemask_gt:
    case lanemask_ge: return true;
    default: return false;
    }
}

} // namespace

void RegisterFiles::find_specials_of_threads(const Launch& launch) {
    for (const SpecialRow& s : program_.specials) {
        if (!differs_by_thread(s.special)) continue;
        SpecialOfThreads& found =
            specials_of_threads_.emplace_back(SpecialOfThreads{&s, std::vector<std::byte>(warps_ * 32 * s.width)});
        for (size_t n = 0; n < warps_ * 32; ++n) {
            const uint64_t v = special_value(s.special, launch, {}, {}, base::position(n, launch.block), n % 32,
                                             static_cast<uint32_t>(n / 32), 0);
            std::memcpy(found.values.data() + n * s.width, &v, s.width); // least significant byte first
        }
    }
}

void RegisterFiles::reset(std::span<const Warp> warps, const Launch& launch, base::Dim3 index, uint32_t shared_bytes) {
    std::memset(registers_.data(), 0, warps_ * program_.register_bytes);
    for (const SpecialOfThreads& s : specials_of_threads_) {
        const size_t bytes = size_t{32} * s.row->width;
        for (const Warp& w : warps) std::memcpy(row<std::byte>(w, s.row->at), s.values.data() + w.index * bytes, bytes);
    }
    for (const SpecialRow& s : program_.specials) {
        if (differs_by_thread(s.special)) continue;
        const uint64_t v = special_value(s.special, launch, program_.cluster, index, {}, 0, 0, shared_bytes);
        for (const Warp& w : warps) {
            if (s.width == 2) std::fill_n(row<uint16_t>(w, s.at), 32, static_cast<uint16_t>(v));
            if (s.width == 4) std::fill_n(row<uint32_t>(w, s.at), 32, static_cast<uint32_t>(v));
            if (s.width >= 8) std::fill_n(row<uint64_t>(w, s.at), 32, v);
        }
    }
}

// The engine keeps no time: whoever looks at a clock finds it later than at the last look, so that loops that wait end.
void read_clock(Warp& w, const Operation& op, uint32_t active) {
    constexpr uint64_t between = 1024; // cycles
    w.clock += between;
    const uint64_t shown = op.detail.upper_half ? w.clock >> 32 : w.clock;
    for (uint32_t i = 0; i < 32; ++i) {
        if (!(active >> i & 1)) continue;
        if (op.width[0] == 8) row<uint64_t>(w, op.row[0])[i] = shown;
        else row<uint32_t>(w, op.row[0])[i] = static_cast<uint32_t>(shown);
    }
}

} // namespace sim
