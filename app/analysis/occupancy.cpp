#include "analysis/occupancy.h"

#include <algorithm>
#include <array>
#include <limits>

namespace analysis {
namespace {

constexpr uint32_t warp_threads = 32;
constexpr uint32_t kib = 1024;

// CUDA C++ Programming Guide 13.0, "Technical Specifications per Compute Capability"; allocation units as in the
// toolkit's cuda_occupancy.h, which the tests compare with. From sm_80 on the driver keeps 1 KiB of each block.
struct Row {
    const char* arch;
    int warps, blocks;
    uint32_t shared_kib, block_shared_kib, shared_unit, reserved;
};
constexpr std::array rows = {
    Row{"sm_70", 64, 32, 96, 96, 256, 0},      Row{"sm_72", 64, 32, 96, 96, 256, 0},
    Row{"sm_75", 32, 16, 64, 64, 256, 0},      Row{"sm_80", 64, 32, 164, 163, 128, kib},
    Row{"sm_86", 48, 16, 100, 99, 128, kib},   Row{"sm_87", 48, 16, 164, 163, 128, kib},
    Row{"sm_89", 48, 24, 100, 99, 128, kib},   Row{"sm_90", 64, 32, 228, 227, 128, kib},
    Row{"sm_100", 64, 32, 228, 227, 128, kib}, Row{"sm_103", 64, 32, 228, 227, 128, kib},
    Row{"sm_110", 48, 24, 228, 227, 128, kib}, Row{"sm_120", 48, 24, 100, 99, 128, kib},
    Row{"sm_121", 48, 24, 100, 99, 128, kib},
};

uint64_t round_up(uint64_t value, uint64_t unit) { return unit == 0 ? value : (value + unit - 1) / unit * unit; }

base::Error does_not_fit(base::Sentence what, base::Sentence todo) {
    return {base::Failure::usage, std::move(what), "", std::move(todo)};
}

// Why a block of this shape cannot run at all; an empty `what` if it can.
base::Error misfit(const Multiprocessor& sm, int threads, int registers, uint32_t shared_bytes) {
    if (threads < 1 || threads > sm.max_threads_per_block)
        return does_not_fit(base::say("a block of {} threads cannot run on {}", threads, sm.arch),
                            base::say("choose 1 to 1024 threads"));
    if (registers < 0 || registers > static_cast<int>(sm.max_registers_per_thread))
        return does_not_fit(base::say("{} registers per thread are not possible on {}", registers, sm.arch),
                            base::say("choose 0 to {}", sm.max_registers_per_thread));
    if (shared_bytes > sm.max_shared_per_block)
        return does_not_fit(base::say("a block with {} bytes of shared memory cannot run on {}", shared_bytes, sm.arch),
                            base::say("choose at most {} bytes", sm.max_shared_per_block));
    // At launch the hardware takes the warps as if they filled all of its partitions evenly.
    const auto warps = round_up(static_cast<uint64_t>(threads), warp_threads) / warp_threads;
    const uint64_t per_warp = round_up(static_cast<uint64_t>(registers) * warp_threads, sm.register_unit);
    const uint64_t needed = per_warp * round_up(warps, static_cast<uint64_t>(sm.warp_unit));
    if (needed > sm.registers)
        return does_not_fit(
            base::say("a block of {} threads with {} registers each needs {} registers on {}, which has {}", threads,
                      registers, needed, sm.arch, sm.registers),
            base::say("use fewer threads or fewer registers"));
    return {};
}

} // namespace

base::Result<Multiprocessor> multiprocessor(std::string_view arch) {
    for (const Row& row : rows) {
        if (row.arch != arch) continue;
        Multiprocessor sm;
        sm.arch = row.arch;
        sm.max_warps = row.warps;
        sm.max_blocks = row.blocks;
        sm.shared_bytes = row.shared_kib * kib;
        sm.max_shared_per_block = row.block_shared_kib * kib;
        sm.shared_unit = row.shared_unit;
        sm.reserved_shared_per_block = row.reserved;
        return sm;
    }
    std::string known;
    for (const Row& row : rows) known += (known.empty() ? "" : " ") + std::string(row.arch);
    return base::Error{base::Failure::usage, base::say("unknown architecture \"{}\"", arch), "",
                       base::say("choose one of {}", known)};
}

std::vector<std::string> architectures() {
    std::vector<std::string> names;
    for (const Row& row : rows) names.emplace_back(row.arch);
    return names;
}

const char* name(Limiter limiter) {
    switch (limiter) {
    case Limiter::registers: return "registers";
    case Limiter::shared: return "shared";
    case Limiter::threads: return "threads";
    case Limiter::blocks: return "blocks";
    }
    return "threads";
}

base::Result<Occupancy> occupancy(const Multiprocessor& sm, int threads, int registers, uint32_t shared_bytes) {
    if (base::Error why = misfit(sm, threads, registers, shared_bytes); !why.what.empty()) return why;
    constexpr uint64_t unlimited = std::numeric_limits<int>::max();

    const uint64_t warps = round_up(static_cast<uint64_t>(threads), warp_threads) / warp_threads;
    // Registers belong to one of the partitions, and a warp's registers to one partition.
    const auto partitions = static_cast<uint64_t>(sm.warp_unit);
    const uint64_t per_warp = round_up(static_cast<uint64_t>(registers) * warp_threads, sm.register_unit);
    const uint64_t by_registers = per_warp == 0 ? unlimited : sm.registers / partitions / per_warp * partitions / warps;
    const uint64_t per_block = round_up(uint64_t{shared_bytes} + sm.reserved_shared_per_block, sm.shared_unit);
    const uint64_t by_shared = per_block == 0 ? unlimited : sm.shared_bytes / per_block;
    const uint64_t by_threads = static_cast<uint64_t>(sm.max_warps) / warps;

    // Of equal limits the first is named: with threads nothing is left to gain; then what a kernel can change.
    const std::array<std::pair<uint64_t, Limiter>, 4> limits = {
        {{by_threads, Limiter::threads},
         {by_registers, Limiter::registers},
         {by_shared, Limiter::shared},
         {static_cast<uint64_t>(sm.max_blocks), Limiter::blocks}}};
    const auto least =
        std::min_element(limits.begin(), limits.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    Occupancy result;
    result.blocks = static_cast<int>(least->first);
    result.warps = static_cast<int>(least->first * warps);
    result.max_warps = sm.max_warps;
    result.limiter = least->second;
    return result;
}

} // namespace analysis
