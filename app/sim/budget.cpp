#include "sim/budget.h"

#include "base/memory.h"
#include "sim/run/cluster.h"

#include <fmt/format.h>

#include <algorithm>

namespace sim {
namespace {

constexpr uint64_t thread_bytes = 1 << 20; // of its stack and its allocator, beside its blocks

std::string amount(double bytes) {
    return bytes >= 0x1p30 ? fmt::format("{:.3g} GiB", bytes / 0x1p30) : fmt::format("{:.3g} MiB", bytes / 0x1p20);
}

base::Error too_large(const Program& p, const Launch& l, uint64_t each, uint64_t needed, uint64_t available) {
    const uint64_t blocks = p.cluster.count(), local = blocks * l.block.count() * p.local_bytes;
    const base::Sentence who = blocks == 1 ? base::say("one block") : base::say("one cluster of {} blocks", blocks);
    const bool mostly_local = local > each / 2;
    const std::string need = amount(static_cast<double>(needed));
    return {.what = base::say("executing {} takes {}, and this machine has {} left", who,
                              mostly_local ? base::say("{} of memory, mostly for {} bytes of local memory a thread",
                                                       need, p.local_bytes)
                                           : base::say("{} of memory", need),
                              amount(static_cast<double>(available))),
            .where = {},
            .todo = mostly_local ? base::say("use less local memory, or fewer threads in a block")
                                 : base::say("use a smaller kernel, or fewer threads in a block")};
}

// Each of Run::watch_memory: pointers to pages from the beginning, pages when they are touched.
struct Shadow {
    uint64_t pointers = 0, pages = 0;
};
Shadow shadow_of(const Launch& l, const Memory& memory, const Options& o) {
    if (!o.checks || o.traced_block_only || l.grid.count() == 1 || o.shadow_bytes == 0) return {};
    uint64_t pages = 0;
    for (const trace::Buffer& b : memory.buffers()) pages += b.bytes / (ShadowPage::words * 4) + 1;
    return {pages * sizeof(void*), std::min(o.shadow_bytes, pages * ShadowPage::most_bytes())};
}

} // namespace

base::Result<Options> fit_memory(const Program& p, const Launch& l, const Memory& memory, const Options& asked) {
    const uint64_t available =
        asked.memory_bytes ? *asked.memory_bytes : static_cast<uint64_t>(std::min(base::memory_available(), 0x1p62));
    const uint64_t usable = available - available / 16; // others want some meanwhile
    const uint64_t each = p.cluster.count() * Block::bytes(p, l) + thread_bytes;
    const Shadow shadow = shadow_of(l, memory, asked);
    const uint64_t fixed =
        p.variables.size() + p.listing->instructions.size() * sizeof(trace::InstructionCounts) + shadow.pointers;
    if (fixed + each > usable) return too_large(p, l, each, fixed + each, available);

    Options fitted = asked;
    const uint64_t clusters = asked.traced_block_only ? 1 : l.grid.count() / p.cluster.count();
    uint64_t left = usable - fixed - each;                 // beside one thread
    if (asked.traced_block && !asked.events_to_observer) { // twice: a vector that grows has room for as much again
        fitted.trace_bytes = std::min(asked.trace_bytes, left / 4);
        left -= 2 * fitted.trace_bytes;
    }
    fitted.shadow_bytes =
        std::min(asked.shadow_bytes, std::max<uint64_t>(left, 1)); // 0 asks for none, and would not be told
    left -= std::min(shadow.pages, left);
    fitted.threads =
        static_cast<int>(std::min({static_cast<uint64_t>(std::max(asked.threads, 1)), clusters, 1 + left / each}));
    return fitted;
}

} // namespace sim
