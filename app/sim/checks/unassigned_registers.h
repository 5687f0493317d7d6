// Registers that are read before anything was written to them. Where the paths through the program allow it (Program::tracked),
// each lane is watched.
#pragma once

#include "sim/checks/report.h"
#include "sim/run/block_context.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace sim {

class UnassignedRegisters {
public:
    UnassignedRegisters(const BlockContext&, Report&);
    void reset();
    // A statement that the engine does not execute was reached: it may have written any register.
    void give_up() { gave_up_ = true; }

    // An operation of Program::tracked: checks what it reads, and executes it.
    void execute(Warp&, const Operation&, uint32_t active);
    void check_guard(const Warp&, const Operation&, uint32_t lanes);

    static uint64_t bytes(const Program& p, uint64_t warps) { // of this machine's memory
        return warps * p.tracked_registers.size() * sizeof(uint32_t);
    }

private:
    const BlockContext& block_;
    Report& report_;
    std::vector<uint32_t> assigned_; // [warp][tracked register]: lanes that have written it
    bool gave_up_ = false;

    uint32_t* assigned(const Warp& w) { return assigned_.data() + w.index * block_.program.tracked_registers.size(); }
    void check(const Warp&, const Operation&, int64_t reg, uint32_t lanes);
};

} // namespace sim
