// The registers of a block as its warps give them back and take them (manual, section 9.7.19.5, "setmaxnreg"): what it was launched with is
// all that there is, and who takes more than is free waits until others have given some back. Nothing is said of warps that exit: they give
// none back.
#pragma once

#include "sim/checks/report.h"
#include "sim/run/block_context.h"
#include "sim/run/fuel.h"

#include <cstdint>
#include <vector>

namespace sim {

class Mbarriers;

class RegisterPool {
public:
    RegisterPool(BlockContext&, Report&, Fuel&, Mbarriers&);
    void reset();

    // From here on the warp has so many for each lane, Operation::detail says: at most, or at least.
    void set(Warp&, const Operation&, uint32_t active);

private:
    BlockContext& block_;
    Report& report_;
    Fuel& fuel_;
    Mbarriers& mbarriers_;
    std::vector<uint32_t> held_; // [warp], for each lane; 0: nobody knows how many the block was launched with
    uint32_t free_ = 0;          // for each lane of one warp

    void wait(Warp&, const Operation&, uint32_t active);
};

} // namespace sim
