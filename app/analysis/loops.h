// The loops of a straight list of instructions, of PTX or of machine code.
#pragma once

#include "trace/machine.h"

#include <cstdint>
#include <span>
#include <vector>

namespace analysis {

struct Step {                 // one instruction as control flow sees it
    bool conditional = false; // a branch or exit that some lanes may not take
    bool ends = false;        // never goes on to the next instruction, unless conditional
    bool indirect = false;    // a branch to somewhere unknown
    int64_t target = -1;      // of a branch; -1 with `ends`: it leaves the kernel
};

// Natural loops (Aho, Lam, Sethi, Ullman, "Compilers", 9.6.6), each named by its first basic block.
struct Loops {
    bool known = false;                        // false: there is an indirect branch, and nothing else is filled in
    std::vector<uint32_t> block;               // [instruction]: number of its basic block, ascending
    std::vector<std::vector<uint32_t>> around; // [block]: the loops around it, ascending

    const std::vector<uint32_t>& of(size_t instruction) const { return around[block[instruction]]; }
};
Loops loops(std::span<const Step>);
Loops loops(const trace::MachineListing&);

} // namespace analysis
