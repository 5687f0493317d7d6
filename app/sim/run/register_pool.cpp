#include "sim/run/register_pool.h"

#include "sim/run/block.h"

#include <algorithm>
#include <numeric>

namespace sim {

void set_registers(Warp& w, const Operation& op, uint32_t active) { w.block->register_pool.set(w, op, active); }

RegisterPool::RegisterPool(BlockContext& block, Report& report, Fuel& fuel, Mbarriers& mbarriers)
    : block_(block), report_(report), fuel_(fuel), mbarriers_(mbarriers), held_(block.warps.size()) {}

void RegisterPool::reset() {
    constexpr uint32_t unit = 8; // of a lane, in which a GPU deals them out
    std::fill(held_.begin(), held_.end(), (block_.program.registers + unit - 1) / unit * unit);
    free_ = 0;
}

// row 0: whether it has them.
void RegisterPool::set(Warp& w, const Operation& op, uint32_t active) {
    uint32_t& held = held_[w.index];
    const auto [count, takes] = op.detail.registers;
    if (block_.program.registers > 0 && (takes ? count > held : count < held)) {
        if (takes && count - held > free_) return wait(w, op, active);
        free_ += held; // and takes the others again
        free_ -= count;
        held = count;
        mbarriers_.note_progress();
    }
    if (op.row[0] != no_row) *row<uint32_t>(w, op.row[0]) |= active;
}

void RegisterPool::wait(Warp& w, const Operation& op, uint32_t active) {
    // Fewer than for an mbarrier: who waits there mostly waits for this warp.
    constexpr uint64_t rounds = 10000;
    w.suspended = true;
    if (!mbarriers_.polls_in_vain(w, rounds)) return;
    const uint32_t held = held_[w.index], lanes = trace::warp_size;
    const uint32_t all = std::accumulate(held_.begin(), held_.end(), free_);
    report_.finding(
        trace::FindingKind::endless_loop, w, op, active,
        base::say(
            "waits forever for {} more registers: the warp has {} a thread and asks for {}; {} of the {} at launch are free",
            (op.detail.registers.count - held) * lanes, held, op.detail.registers.count, free_ * lanes, all * lanes));
    fuel_.stop_run();
}

} // namespace sim
