// Puts what is wrong into findings: what was found where is counted once, and worded the first time. Each finding costs some of the
// block's budgets.
#pragma once

#include "sim/checks/findings.h"
#include "sim/lanes/access.h"
#include "sim/run/fuel.h"
#include "sim/run/memory_names.h"

#include <cstdint>
#include <string>

namespace sim {

base::Sentence verb(const Access&); // "reads"
// FindingKey::other, where what else is involved is both a place and an array.
constexpr int64_t with_array(int64_t place, int64_t array) {
    constexpr int64_t beyond_places = int64_t{1} << 40;
    return place + (array + 1) * beyond_places;
}

constexpr int64_t of_other_block = -5; // the same, of an access to another block's shared memory

class Report {
public:
    const MemoryNames names;

    Report(const BlockContext& block, Fuel& fuel) : names(block), block_(block), fuel_(fuel) {}
    void reset() { gave_up_ = false; }
    const Findings& findings() const { return findings_; } // of all blocks

    // Lanes of this block were ended, by trap or a failed assert: what follows from their absence is no finding.
    void give_up() { gave_up_ = true; }
    bool gave_up() const { return gave_up_; }

    void finding(trace::FindingKind, const Warp&, const Operation&, uint32_t lanes, base::Sentence text,
                 int64_t other = -1, trace::Severity = trace::Severity::error);
    // Whether there is a finding like this already; it is counted then.
    bool known(trace::FindingKind kind, const Operation& op, int64_t other = -1);
    bool count_known(const FindingKey&, trace::Severity = trace::Severity::warning);
    // A finding with more to say than finding() does.
    trace::Finding about(trace::FindingKind, const Warp&, const Operation&, uint32_t lanes, base::Sentence text) const;
    void add(const FindingKey&, trace::Finding);
    FindingKey key(trace::FindingKind, const Operation&, int64_t other = -1) const;
    int64_t place(uint32_t pc) const; // for keys
    trace::Finding::Other other_access(uint32_t pc, base::Dim3 block, uint32_t warp, uint32_t lanes) const;

    void check_alignment(const Warp&, const Operation&, const Access&, Space);
    void out_of_bounds(const Warp&, const Operation&, const Access&, uint32_t lanes, Space);
    void beyond_array(const Warp&, const Operation&, const Access&, uint32_t lanes);
    // Lanes of one store write different values to `at`.
    void overlap(const Warp&, const Operation&, uint32_t lanes, Space, uint64_t at);
    // An instruction of all lanes was executed by these alone.
    void not_together(const Warp&, const Operation&, uint32_t active);
    void no_such_block(const Warp&, const Operation&, uint32_t lanes, uint32_t rank);
    struct BlockAccess {
        uint32_t pc, warp, lanes;
        base::Dim3 block;
        bool writes;
    };
    void race_between_blocks(trace::FindingKind, BlockAccess, BlockAccess, int64_t array, const base::Sentence& what,
                             const base::Sentence& where);

    base::Sentence place_text(uint32_t pc) const; // "at line 12 of sgemm.cu"
    std::string statement(uint32_t pc) const;     // as listed, without its semicolon

private:
    const BlockContext& block_;
    Fuel& fuel_;
    Findings findings_;
    bool gave_up_ = false;

    void misaligned(const Warp&, const Operation&, const Access&, uint32_t lanes, Space);
};

} // namespace sim
