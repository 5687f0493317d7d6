// Lanes of a warp that part and meet again (a stack of paths; they meet at the immediate post-dominator), and that leave the kernel.
//
// A barrier waits for the threads of the block that have not exited (PTX ISA, bar), so `if (i >= n) return;` before it is fine.
// What is not, is to go around a barrier and on behind it. Both end in the same exit; they differ in what the threads executed
// last before that.
#pragma once

#include "sim/checks/report.h"
#include "sim/run/block_context.h"
#include "sim/run/recorder.h"

#include <cstdint>
#include <vector>

namespace sim {

class Control {
public:
    Control(BlockContext& block, Recorder& recorder, Report& report)
        : block_(block), recorder_(recorder), report_(report) {}
    void reset() { left_after_.clear(); }

    // Lanes in `taken` go to the target, the rest of `mask` goes on; they meet at op.reconverge.
    void branch(Warp&, const Operation&, uint32_t taken, uint32_t mask);
    void multiway(Warp&, const Operation&, uint32_t active);
    // The lanes that run may wait for others of their warp: those go first, where the same branch parted them.
    void turn_to_other_lanes(Warp&);
    // An operation that waits for the lanes of `named` is executed by `lanes`: each knows what the others did before.
    void lanes_meet(const Warp&, const Operation&, uint32_t lanes, uint32_t named);

    bool exit(Warp&, uint32_t active); // true: the warp is done
    void note_exit(const Path&, const Operation&);
    // The lanes of the warp that are on their way to the exit, with nothing left to do; none of the path that runs.
    uint32_t leaving(const Warp&) const;
    // Whether threads that have exited had been behind this barrier without waiting at it.
    bool passed_by(const Operation& barrier) const;

private:
    bool leave(Warp&, const Operation&, uint32_t taken);
    BlockContext& block_;
    Recorder& recorder_;
    Report& report_;
    std::vector<uint32_t> left_after_; // the operations, each once, after which threads of this block exited
};

} // namespace sim
