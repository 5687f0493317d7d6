// The mbarriers of a block (manual, section 9.7.13.15). What a wait waits for lands at the wait: bulk copies and arrivals after
// cp.async.
#pragma once

#include "sim/checks/cluster_order.h"
#include "sim/checks/happens_before.h"
#include "sim/checks/report.h"
#include "sim/lanes/access.h"
#include "sim/program/mbarrier.h"
#include "sim/run/block_context.h"
#include "sim/run/ended_phases.h"

#include <cstdint>
#include <map>
#include <vector>

namespace sim {

class BulkCopies;
class ClusterRaces;
class Recorder;
class Copies;
class UnfinishedReads;

struct Mbarrier {
    uint64_t phase = 0;                 // how many are complete
    int64_t expected = 0;               // arrivals of a phase
    int64_t pending = 0;                // arrivals that the phase still waits for
    int64_t transactions = 0;           // bytes that it still waits for
    VectorClock arriving{}, released{}; // of those who arrived in this phase; of the phases before
    ClusterClock arriving_blocks{}, released_blocks{};
    EndedPhases ended{};
    static constexpr int64_t most = (1 << 20) - 1; // of arrivals; of bytes either way

    // As mbarrier.arrive gives it to the kernel, and as ptxas takes it apart: numbers of arrivals count up to zero, and what overflows then
    // is the phase's parity.
    static constexpr int expected_at = 1, pending_at = 43, parity_at = 63;
    uint64_t token() const {
        return (phase & 1) << parity_at | static_cast<uint64_t>(-pending & most) << pending_at |
               static_cast<uint64_t>(-expected & most) << expected_at;
    }
    static uint64_t parity_of(uint64_t token) { return token >> parity_at; }
    static uint64_t pending_of(uint64_t token) {
        return static_cast<uint64_t>(-static_cast<int64_t>(token >> pending_at) & most);
    }
    // Ends the phase if nothing is missing.
    bool complete();
};

class Mbarriers {
public:
    Mbarriers(BlockContext&, Recorder&, Report&, Fuel&, ClusterOrder&, ClusterRaces&, UnfinishedReads&, Copies&,
              BulkCopies&);
    void reset(); // before shared memory is

    // Instructions. `lane`: of a thread.
    void use(const Warp&, const Operation&, uint32_t lane);
    void poll(Warp&, const Operation&, uint32_t active);
    void arrive_after_copies(const Warp&, const Operation&, uint32_t active);
    void misuse(const Warp&, const Operation&, uint32_t lane, uint64_t at, const base::Sentence& what);
    // Finds mbarriers of `home` that `lanes` of this block access as data.
    void check(const Warp&, const Operation&, const Access&, uint32_t lanes, Mbarriers& home);

    // At an address that may be another block's. nullptr, and a finding: there is none.
    Mbarrier* find(const Warp&, const Operation&, uint32_t lane, uint64_t address);
    // Somebody arrived at it, or bytes did; `mine`: what who brought them released by that.
    void arrive(const Warp&, const Operation&, uint32_t lane, uint64_t address, Mbarrier&, const VectorClock& mine);
    void end_phase(const Warp&, const Operation&, uint32_t lane, uint64_t address, Mbarrier&); // if nothing is missing

    // Copies of this warp with smaller numbers (Copies::begun) arrive at an mbarrier once somebody waits for it.
    uint64_t awaited_copies(const Warp&) const;
    uint64_t phase_of(uint64_t at) const; // of one of this block; 0: there is none
    // Something happened that a warp may wait for which polls in vain.
    void note_progress() { fruitless_ = 0; }
    bool progressed() const { return fruitless_ == 0; }
    // The warp polls in vain and pauses so that others can run. True: for so many rounds of all warps nothing has happened.
    bool polls_in_vain(Warp&, uint64_t rounds);

private:
    // cp.async.mbarrier.arrive of some lanes: they arrive when the copies that their warp began before are done.
    struct PendingArrival {
        const Operation* by = nullptr;
        uint32_t warp = 0;
        uint64_t barrier = 0;
        uint32_t lanes = 0;
        uint64_t copies = 0; // that the warp had begun
        uint32_t epoch = 0;  // in which it was asked for,
        VectorClock clock{}; // and what the warp released then
    };
    BlockContext& block_;
    Recorder& recorder_;
    Report& report_;
    Fuel& fuel_;
    ClusterOrder& cluster_order_;
    ClusterRaces& cluster_races_;
    UnfinishedReads& unfinished_reads_;
    Copies& copies_;
    BulkCopies& bulk_copies_;
    std::map<uint64_t, Mbarrier> live_; // by their offset in shared memory
    std::vector<PendingArrival> arrivals_;
    uint64_t fruitless_ = 0; // polls since note_progress()

    Mbarriers& home_of(uint64_t address); // this one, if there is none
    uint64_t operand(const Warp&, const Operation&, uint32_t lane) const;
    void initialise(const Warp&, const Operation&, uint32_t lane, uint64_t at, uint32_t count);
    void reach(const Warp&, const Operation&, uint32_t lane, uint64_t address);
    static void count(const MbarrierUse&, uint32_t number, Mbarrier&);
    void settle(uint64_t at);
    void go_on(const Warp&, const Operation&, uint32_t lane, uint64_t at, Mbarrier&);
    void wait_for_others(Warp&, const Operation&, uint32_t lanes);
};

} // namespace sim
