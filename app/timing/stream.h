// What the warps of one block executed, in the order of each, with what its accesses cost.
#pragma once

#include "analysis/banks.h"
#include "trace/observer.h"
#include "trace/trace.h"

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

namespace timing {

struct Step { // there are millions: what few of them have lies elsewhere
    uint32_t pc = 0;
    uint32_t access = trace::no_access; // in Stream::accesses
};

struct Line {            // of global memory, 128 bytes
    uint64_t number = 0; // address / 128
    uint8_t sectors = 0; // a bit each
    uint8_t partial = 0; // of these, which a store writes in part
};

struct Moved {
    uint32_t sectors = 0, lines = 0;
    uint32_t first_line = 0; // in Stream::lines
};
// Of memory, by a step, or of a phase of an mbarrier alone.
struct Access : Moved {
    uint16_t wavefronts = 0, ideal = 0; // in shared memory
    uint32_t effects = 0;
    uint32_t first_effect = 0; // in Stream::effects
};

// On a phase of an mbarrier: arrivals and copies that it waits for, and who waits for it. And at a barrier.
struct Effect {
    enum What : uint8_t { arrives, arrives_after_copies, goes_on, copies, stores, meets } what = arrives;
    uint8_t barrier = 0; // of a step that meets others at a barrier which its instruction does not name,
    uint16_t warps = 0;  // and for how many it waits there; 0: all of the block
    static constexpr uint32_t no_phase = ~0u;
    uint32_t phase = no_phase;
    Moved moved; // of a bulk copy
};

struct Stream {
    std::vector<std::vector<Step>> warps;
    std::vector<std::vector<uint32_t>> events; // of a traced block: the numbers of its steps' events, by warp
    std::vector<Access> accesses;
    std::vector<Line> lines;
    std::vector<Effect> effects;
    std::vector<uint32_t> arrivals; // by phase: how many it waits for, copies among them

    std::span<const Effect> effects_of(const Step& s) const {
        if (s.access >= accesses.size()) return {}; // it has none, too
        return std::span(effects).subspan(accesses[s.access].first_effect, accesses[s.access].effects);
    }
};

// Writes a stream while a block is executed: a trace, with 256 bytes for each access, would take most of the time.
class StreamWriter : public trace::Observer {
public:
    // `most_bytes`: of the stream; then it is full, what comes behind is left out, and `stop` is asked to.
    StreamWriter(std::shared_ptr<const trace::Listing>, uint64_t threads, const analysis::BankRule&,
                 uint64_t most_bytes, std::stop_source stop);
    void access(uint32_t pc, const trace::Instruction&, const trace::Footprint&) override;
    void bulk_copy(uint32_t pc, const trace::BulkCopy&) override;
    void mbarrier(uint32_t pc, const trace::MbarrierUse&) override;
    void barrier(uint32_t pc, const trace::BarrierUse&) override;
    void executed(std::span<const uint32_t> pcs, uint16_t warp) override;
    bool full() const { return full_; }
    Stream take() { return std::move(out_); }

private:
    // An instruction's accesses mostly have one pattern: what that costs is counted once.
    struct Pattern {
        static constexpr uint64_t nowhere = ~uint64_t{0};
        uint64_t shape = 0;
        uint32_t active = 0;
        trace::Addresses offset{};
        uint64_t counted_at = nowhere; // the first address, of which `wavefronts` are
        analysis::WavefrontCount wavefronts;
        uint64_t laid_at = nowhere; // likewise, of `lines`
        std::vector<Line> lines;    // their numbers less that of the first address
    };

    std::shared_ptr<const trace::Listing> listing_;
    analysis::BankRule rule_;
    uint64_t most_bytes_;
    std::stop_source stop_;
    bool full_ = false;
    Stream out_;
    uint64_t steps_ = 0;
    // What instructions did of whose execution it has not been told.
    struct Did {
        uint32_t pc = 0;
        uint32_t access = 0; // in out_
        int parts = 0;       // of it, by access()
    };
    std::vector<Did> did_;
    std::map<std::pair<uint64_t, uint64_t>, uint32_t> phases_; // by mbarrier and number
    std::vector<Pattern> patterns_, sources_;                  // by pc; of an async copy's global source

    Did& did(uint32_t pc);
    void add_effect(uint32_t pc, const Effect&);
    static bool matches(Pattern&, const trace::Footprint&);
    void count_wavefronts(Access&, Pattern&, const trace::Instruction&, const trace::Footprint&);
    void lay_lines(Access&, Pattern&, const trace::Instruction&, const trace::Footprint&);
    uint32_t phase(uint64_t mbarrier, uint64_t number);
};

// Of a block that was traced.
Stream stream_of(const trace::Trace&, const analysis::BankRule&);

} // namespace timing
