// What a GPU counts, from what the engine counted of the PTX: ptxas fuses, predicates and unrolls, and the machine code says where.
#pragma once

#include "analysis/counters.h"
#include "trace/machine.h"

#include <string_view>
#include <vector>

namespace analysis {

// Of PTX: shared-memory accesses that ptxas may fuse with one beside them: another of the same kind, in the same basic block, from the
// same register, less than 16 bytes away. One entry per pc.
std::vector<bool> fusible(const trace::Listing&);

enum class Unknown { // why a counter of the machine code cannot be said
    nothing,         // it can
    no_machine_code,
    no_lines,        // compiled without -lineinfo, or lines that are not those of the PTX
    indirect_branch, // control flow cannot be followed
    unmatched,       // an instruction that comes from none of its kind in the PTX
    moved,           // an instruction stands where it is executed more or less often than its PTX
    guard,           // an instruction has a predicate, and how often it is issued cannot be derived
    width,           // an access was split, or fused where the engine did not expect it
    merged,          // stores of the PTX were merged or left out
    diverged,        // copies of an unrolled loop were executed by parts of a warp
};
const char* name(Unknown); // "no_lines"

struct Basis { // what a counter rests on: the machine code, or the PTX because of `unknown`
    Unknown unknown = Unknown::no_machine_code;
    int source_line = 0; // of the instruction that is in the way; 0: none
    bool machine() const { return unknown == Unknown::nothing; }
};

// Counters as Nsight Compute's source page shows them, where the basis is the machine code; otherwise those of the PTX.
// A counter is known if every machine instruction behind it is matched with the PTX instruction that it came from, by the line
// that ptxas notes. Lanes and addresses are those of the PTX instruction; a fused access covers the aligned bytes around them.
// A predicated instruction is issued as often as instructions that control flow cannot reach without passing it.
// The other rows are always counted in the PTX.
struct MachineCounts {
    Totals totals;
    std::array<Basis, counter_count> basis{}; // of the rows of Program::machine_code

    const Basis& of(Counter counter) const { return basis[static_cast<size_t>(counter)]; }
    Basis of_all() const; // why one of them is not known; Unknown::nothing: all are
};
MachineCounts machine_counts(const trace::Listing&, const trace::Counts&, const trace::MachineListing&);

// Memory accesses in the program text, by width: PTX and machine code side by side.
struct AccessWidth {
    trace::Kind kind = trace::Kind::load;
    trace::Space space = trace::Space::none;
    int bytes = 0; // per lane
    int source_line = 0;
    uint32_t ptx = 0, machine = 0; // instructions
};
// Of shared and global memory, by kind, space, width and source line, in this order.
std::vector<AccessWidth> access_widths(const trace::Listing&, const trace::MachineListing&);

} // namespace analysis
