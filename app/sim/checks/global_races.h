// Races between blocks on global memory: one block writes, another reads or writes something else, and nothing orders the two.
#pragma once

#include "sim/checks/cluster_order.h"
#include "sim/checks/global_shadow.h"
#include "sim/checks/grid_order.h"
#include "sim/checks/report.h"
#include "sim/lanes/access.h"
#include "sim/run/fuel.h"

#include <cstdint>
#include <vector>

namespace sim {

class GlobalRaces {
public:
    GlobalRaces(BlockContext& block, Report& report, Fuel& fuel, GridOrder& order, const ClusterOrder& cluster)
        : block_(block), report_(report), fuel_(fuel), order_(order), cluster_order_(cluster) {}

    // `lanes` of the access lie in this segment, which is watched (Segment::watched).
    void check(const Warp&, const Operation&, const Access&, uint32_t lanes, const Segment&);

    // Atomic operations: begin_atomics(), then check_lane() right before each lane is carried out, under a lock that is held meanwhile,
    // then end(). So they are noted in the order of the memory itself (PTX ISA, memory consistency model: coherence order),
    // on however many threads blocks are executed.
    void begin_atomics(const Warp&, const Operation&, const Access&, uint32_t lanes);
    void check_lane(const Warp&, const Operation&, const Access&, int lane, const Segment&, PageLock&);
    void end(const Warp&, const Operation&);

private:
    struct Conflict {
        GlobalTouch before;
        bool wrote = false; // `before` did
        uint64_t at = 0;
        uint32_t lanes = 0, lanes_before = 0;
    };
    BlockContext& block_;
    Report& report_;
    Fuel& fuel_;
    GridOrder& order_;
    const ClusterOrder& cluster_order_;
    std::vector<Conflict> conflicts_; // of the access being looked at
    uint32_t epoch_ = 0;              // likewise

    void begin();
    uint32_t note_own_words(const Warp&, const Operation&, const Access&, uint32_t lanes, const Segment&);
    // `stored`: the bytes of the word that are written, if they are known.
    void check_word(const Warp&, const Operation&, bool writes, int lane, uint64_t address, uint32_t mask,
                    const std::byte* stored, ShadowPage&, uint64_t word);
    bool races(GlobalTouch before, bool wrote, const Operation&, uint32_t mask, bool writes);
    bool is_atomic(uint32_t pc) const;
    void synchronise(const Warp&, const Operation&, const Access&, uint32_t lanes);
    void report(const Warp&, const Operation&, const Conflict&);
};

} // namespace sim
