// The barriers of a block: named ones, 0 to 15, at which warps arrive or wait (manual, section 9.7.13.1), and fences.
#pragma once

#include "sim/checks/grid_order.h"
#include "sim/checks/happens_before.h"
#include "sim/checks/report.h"
#include "sim/run/block_context.h"
#include "sim/run/control.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace sim {

class Mbarriers;
class UnfinishedReads;
class UnwrittenReads;

class Barriers {
public:
    static constexpr int count = 16;

    Barriers(BlockContext&, Report&, const Control&, GridOrder&, UnwrittenReads&, UnfinishedReads&, Mbarriers&);
    void reset() { arrived_.fill({}); }

    // Instructions.
    void arrive(Warp&, const Operation&, uint32_t active); // and waits, mostly
    void fence(Warp&);
    // Opens the barriers that can be, with `everyone_paused` also those that some warps will never reach, which is a finding. True: one
    // was opened.
    bool open(bool everyone_paused);

private:
    struct Arrived { // without waiting
        uint32_t threads = 0, expected = 0;
        VectorClock released{};
    };
    struct Waiting { // who is at a barrier, and who is not
        uint32_t threads = 0, expected = 0;
        bool running = false, exited = false, elsewhere = false;
        const Warp* first = nullptr; // of those who wait
        bool complete() const { return expected > 0 && threads >= expected; }
    };
    BlockContext& block_;
    Report& report_;
    const Control& control_;
    GridOrder& grid_order_;
    UnwrittenReads& unwritten_reads_;
    UnfinishedReads& unfinished_reads_;
    Mbarriers& mbarriers_;
    std::array<Arrived, count> arrived_;

    Waiting waiting_at(int barrier) const;
    bool open_if_complete(int barrier, bool everyone_paused);
    void report_absent(const Waiting&);
    void reduce(int barrier);
    void let_go(int barrier);
};

} // namespace sim
