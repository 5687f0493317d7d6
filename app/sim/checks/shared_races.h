// Races between threads of a block on its shared memory, and what else an access there may be in: mbarriers taken for data, reads of
// what nothing has written.
#pragma once

#include "sim/checks/report.h"
#include "sim/lanes/access.h"
#include "sim/run/block_context.h"

#include <cstdint>
#include <map>
#include <vector>

namespace sim {

class ClusterRaces;
class Mbarriers;
class ProductReads;
class UnwrittenReads;

class SharedRaces {
public:
    SharedRaces(BlockContext& block, Report& report, UnwrittenReads& unwritten, Mbarriers& mbarriers,
                ClusterRaces& cluster, ProductReads& products)
        : block_(block), report_(report), unwritten_(unwritten), mbarriers_(mbarriers), cluster_races_(cluster),
          product_reads_(products) {}
    void reset() { released_.clear(); }

    // `lanes` access the block's shared memory: looks for all that, and notes who reads and writes which words.
    void check(const Warp&, const Operation&, const Access&, uint32_t lanes);
    // Only notes it, of one lane.
    void note(const Warp&, const Operation&, const Access&, int lane);

private:
    struct Conflict { // of one access with an earlier one of another thread
        Touch before = 0;
        bool wrote = false; // the earlier one
        uint64_t at = 0;    // of the lowest lane
        uint32_t lanes = 0, lanes_before = 0;
    };
    BlockContext& block_;
    Report& report_;
    UnwrittenReads& unwritten_;
    Mbarriers& mbarriers_;
    ClusterRaces& cluster_races_;
    ProductReads& product_reads_;
    std::map<uint64_t, VectorClock> released_; // by word: through atomic accesses to it
    std::vector<Conflict> conflicts_;          // of the access being looked at

    bool note_unconflicted(const Warp&, const Operation&, const Access&, uint32_t lanes);
    void look_for_conflicts(const Warp&, const Operation&, const Access&, int lane);
    bool races(Touch before, const Warp&, const Operation&, int lane, uint32_t mask) const;
    static bool is_in_step(const Warp&, uint32_t lane);
    bool met_since(Touch before, const Operation&) const;
    void note_conflict(Touch before, bool wrote, int lane, uint64_t at);
    void synchronise(const Warp&, const Operation&, const Access&, uint32_t lanes);
    void report(const Warp&, const Operation&, const Access&, const Conflict&);
};

} // namespace sim
