// Races between blocks of a cluster on the shared memory of one of them. What others did there is kept until the block acquires it,
// or ends: only then can it be said whether what it did itself was in conflict.
#pragma once

#include "sim/checks/cluster_order.h"
#include "sim/checks/remote_shadow.h"
#include "sim/checks/report.h"
#include "sim/lanes/access.h"
#include "sim/run/block_context.h"

#include <cstdint>
#include <map>
#include <vector>

namespace sim {

class UnwrittenReads;

class ClusterRaces { // on the shared memory of one block, its home
public:
    ClusterRaces(BlockContext& block, Report& report, ClusterOrder& order, UnwrittenReads& unwritten)
        : block_(block), report_(report), order_(order), unwritten_(unwritten) {}
    void reset();
    // The block has ended: who accesses its shared memory from now on, or is not known to have done so before, comes too late.
    void end() { settle(true); }

    // `lanes` of this block access another one's shared memory.
    void check(const Warp&, const Operation&, const Access&, uint32_t lanes, ClusterRaces& home);
    // The same, cheaper, of loads by a pattern with which nothing is wrong. False: that is not certain, and nothing was noted.
    bool log_reads(const Warp&, const Operation&, const Access&, ClusterRaces& home) const;
    // What another block does here, at byte `at` and not beyond its word; report() then says what was found.
    void note(const RemoteTouch&, bool writes, uint64_t at);
    void note_word(const RemoteTouch&, bool writes, uint64_t word); // the same, asked for before the block ended
    void begin_copy(const RemoteTouch& touch, uint64_t at) {
        if (block_.ended) outlived(touch, true, at);
    }
    void report();
    RemoteTouch touch(const Warp&, const Operation&, uint32_t lane, const ClusterRaces& home) const;

    // The block knows what was released with this clock.
    void acquire(const ClusterClock&);
    // Lanes of this block release and acquire through atomic accesses to words of `home`.
    void synchronise(const Warp&, const Operation&, const Access&, uint32_t lanes, ClusterRaces& home);

    static uint64_t bytes_of_a_word(const Program& p) { // of this machine's memory
        return p.cluster.count() > 1 ? sizeof(RemoteWord) : 0;
    }

private:
    struct Conflict {
        const Operation* by; // that of the first side, for names
        struct Side {
            uint32_t pc, rank, warp, lanes;
            bool writes;
        } one, two;
        uint64_t at; // in this block's shared memory
    };
    BlockContext& block_;
    Report& report_;
    ClusterOrder& order_;
    UnwrittenReads& unwritten_;
    RemoteShadow shadow_;
    std::map<uint64_t, ClusterClock> released_; // by word: through atomic accesses to it
    std::vector<Conflict> conflicts_;           // until they are reported

    void enter_reads();
    void compare_with_own(const RemoteTouch&, bool wrote, uint64_t word);
    void compare_with_own(const RemoteReads&, bool known);
    void settle(bool ended);
    void note_conflict(const Conflict&);
    void outlived(const RemoteTouch&, bool wrote, uint64_t at);
    void never_written(const RemoteTouch&, uint64_t at);
    void copy_not_waited_for(const Warp&, const Operation&, const Access&, uint32_t lanes);
};

} // namespace sim
