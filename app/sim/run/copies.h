// Asynchronous copies of threads (cp.async; manual, section 9.7.9.25.3): pending writes that land at the wait.
#pragma once

#include "sim/checks/report.h"
#include "sim/lanes/access.h"
#include "sim/run/block_context.h"
#include "sim/run/recorder.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace sim {

class GlobalRaces;
class Mbarriers;
class Segments;
class SharedRaces;
class SharedSpace;

class Copies {
public:
    Copies(BlockContext&, Recorder&, Report&, Segments&, GlobalRaces&, SharedRaces&, const SharedSpace&,
           const Mbarriers&);
    void reset();

    // Instructions.
    void start(Warp&, const Operation&, uint32_t active);
    void commit(Warp& w) { ++w.committed; }
    void wait(const Warp&, const Operation&);

    uint64_t begun(const Warp& w) const { return begun_[w.index]; } // copies of the warp, counted
    // The first so many copies of the warp are written, as in this epoch.
    void land_begun(const Warp&, uint64_t copies, uint32_t epoch);
    // Of lanes of the copy that begins to where others are under way: those for which it is not certain what is there afterwards.
    uint32_t copied_over(const Warp&, const Operation&, const Access& target, uint32_t lanes);
    // The warp exits. Who waits for the mbarrier that is to tell of a copy has it, though the thread that began it may have gone.
    void abandon(const Warp&);

    struct Pending { // of one operation; `to` and `data` of its lanes
        const Operation* by = nullptr;
        uint64_t number = 0;                               // of all operations that the warp began
        uint32_t group = 0;                                // of the warp's commits
        uint32_t lanes = 0, bytes = 0;                     // bytes: of a lane, 4, 8 or 16
        std::array<uint32_t, trace::warp_size> to;         // in shared memory
        std::array<std::byte, 16 * trace::warp_size> data; // of lane n from n * bytes on
        Pending() {}                                       // what is filled in need not be zeros before
        const std::byte* of(size_t lane) const { return data.data() + lane * bytes; }
        std::byte* of(size_t lane) { return data.data() + lane * bytes; }
    };

private:
    using Sizes = std::array<uint32_t, trace::warp_size>; // bytes of each lane
    BlockContext& block_;
    Recorder& recorder_;
    Report& report_;
    Segments& segments_;
    GlobalRaces& global_races_;
    SharedRaces& shared_races_;
    const SharedSpace& space_;
    const Mbarriers& mbarriers_;
    std::vector<std::vector<Pending>> pending_; // [warp], as issued
    std::vector<uint64_t> begun_;               // [warp]: operations, ever
    bool overlap_ = false;                      // some were begun to where others were under way

    Access target(Warp&, const Operation&, uint32_t active) const;
    static Sizes copied_bytes(const Warp&, const Operation&, uint32_t active);
    uint32_t place(const Warp&, const Operation&, const Access& target, uint32_t active, Pending&);
    uint32_t read_sources(const Warp&, trace::Addresses& from, const Sizes&, Pending&);
    void record_sources(const Operation&, const trace::Addresses& from, const Sizes&);
    void set_pending(const Access& target, uint32_t lanes);
    void land(const Warp&, const Pending&);
    template <class F>
    void land_if(const Warp&, F chosen, std::optional<uint32_t> epoch); // chosen(copy)
    void land_groups(const Warp&, uint32_t group);
    void abandon(const Warp&, uint64_t first, base::Phrase what);
};

} // namespace sim
