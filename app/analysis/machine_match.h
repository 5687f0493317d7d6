// Which machine instruction came from which PTX instruction, and which stretches of the two programs are executed equally
// often. Internal to analysis/machine_counts.
#pragma once

#include "analysis/control_flow.h"
#include "analysis/machine_counts.h"

#include <map>
#include <optional>
#include <vector>

namespace analysis {

// What a PTX instruction or a machine instruction is counted under.
std::optional<Counter> counter_of(trace::Kind, trace::Space);

// The register, or variable, that the address of its first memory operand is made from, as in Listing::names; no_register: none.
int32_t base_of(const trace::Instruction&);

ControlFlow control_flow(const trace::Listing&);

class MachineMatch {
public:
    // Both must outlive this.
    MachineMatch(const trace::Listing&, const trace::MachineListing&);

    Unknown failed() const { return failed_; }                   // nothing could be matched, for this reason
    int64_t pc_of(size_t machine) const { return pc_[machine]; } // -1: from no PTX instruction of its kind
    const std::vector<uint32_t>& copies(size_t pc) const { return copies_[pc]; } // machine instructions of its kind
    bool guarded(size_t pc) const;                                               // some copy is
    const ControlFlow& ptx() const { return ptx_flow_; }
    const ControlFlow& machine() const { return machine_flow_; }

    // PTX instructions whose copies lie in the same regions of the machine code as those of `pc`, or in the region of one machine
    // instruction. They are control-equivalent: each is executed as often as those machine instructions are issued, guarded or not.
    struct Partners {
        // Stores, copies and barriers, which ptxas neither moves across branches nor leaves out.
        std::vector<uint32_t> firm;
        // Which ptxas puts beside each other at times: the second of two is then passed less often than its region.
        std::vector<uint32_t> branches;
        std::vector<uint32_t> loads;
        const std::vector<uint32_t>& strong() const { return firm.empty() ? branches : firm; }
        const std::vector<uint32_t>& best() const { return strong().empty() ? loads : strong(); }
    };
    const Partners& partners(size_t pc) const { return partners_in(regions_of(copies_[pc])); }
    const Partners& partners_of_machine(size_t machine) const {
        return partners_in({machine_flow_.region_of(machine)});
    }

    // For an instruction under a predicate: the PTX block before the branches that the predicate stands for. Found only where the
    // branch that decides about the machine instruction came from the one that decides about that block.
    std::optional<uint32_t> block_before_predicate(size_t pc) const;

private:
    Unknown match_lines();
    bool same_kind(const trace::Instruction&, const trace::MachineInstruction&) const;
    void share_split_accesses();
    void share(size_t pc, const std::vector<uint32_t>& together);
    void find_partners();
    const Partners& partners_in(const std::vector<uint32_t>& regions) const;
    std::vector<uint32_t> regions_of(const std::vector<uint32_t>& machine) const; // ascending

    const trace::Listing& listing_;
    const trace::MachineListing& code_;
    Unknown failed_ = Unknown::nothing;
    ControlFlow ptx_flow_, machine_flow_;
    std::vector<int64_t> pc_;                            // [machine]
    std::vector<std::vector<uint32_t>> copies_;          // [pc]
    std::map<std::vector<uint32_t>, Partners> partners_; // by the regions of an instruction's copies
};

} // namespace analysis
