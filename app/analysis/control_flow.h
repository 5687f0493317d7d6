// The control flow of a straight list of instructions, of PTX or of machine code: which instructions are always executed equally
// often, because one cannot be reached without the other.
#pragma once

#include "trace/machine.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

namespace analysis {

struct Step {                 // one instruction as control flow sees it
    bool conditional = false; // a branch or exit that some lanes may not take
    bool ends = false;        // never goes on to the next instruction, unless conditional
    bool indirect = false;    // a branch to somewhere unknown
    int64_t target = -1;      // of a branch; -1 with `ends`: it leaves the kernel
};

struct ControlFlow {
    bool known = false;          // false: there is an indirect branch, and nothing else is filled in
    std::vector<uint32_t> block; // [instruction]: number of its basic block, ascending
    std::vector<uint32_t>
        region; // [block]: blocks with the same number are executed equally often: each is reached exactly
                // when the others are, in the same loops. One number for each block never reached from the start
    std::vector<std::vector<uint32_t>> loops; // [block]: the loops around it, each named by its first block, ascending
    std::vector<uint32_t>
        parent; // [block]: the last block through which every way to it leads; none: there is no such block
    std::vector<uint32_t> last; // [block]: its last instruction
    static constexpr uint32_t none = std::numeric_limits<uint32_t>::max();

    uint32_t region_of(size_t instruction) const { return region[block[instruction]]; }
    const std::vector<uint32_t>& loops_of(size_t instruction) const { return loops[block[instruction]]; }
};
ControlFlow control_flow(std::span<const Step>);
ControlFlow control_flow(const trace::MachineListing&);

// What decides whether a block is executed: the innermost branch for which `counts` holds (others are passed over, as if the
// instruction stood before them), or the loop around the block if that is nearer, or nothing.
struct Decision {
    enum Kind { nothing, branch, loop } kind = nothing;
    uint32_t instruction = 0; // the branch
    uint32_t block = 0;       // the outermost block that is executed as often as the decision falls this way
};
Decision decision(const ControlFlow&, uint32_t block, const std::function<bool(uint32_t branch)>& counts);

} // namespace analysis
