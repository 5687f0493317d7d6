// A kernel's machine code as facts: one entry per instruction, in the order of addresses. Where each came from is in it: the
// line of the PTX and of the source that ptxas noted.
#pragma once

#include "trace/listing.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace trace {

// What ptxas decided about time; nvdisasm prints none of it. https://doi.org/10.1145/3725843.3756041 tells what the hardware makes of it.
struct Control {
    static constexpr uint8_t none = 7;

    uint8_t stall = 0;            // cycles until the warp's next instruction
    bool yield = false;           // the scheduler shall prefer another warp
    uint8_t write_barrier = none; // scoreboard 0..5 that is released when the result is written
    uint8_t read_barrier = none;  // ... when the operands have been read
    uint8_t wait_mask = 0;        // of the scoreboards that are waited for before the issue
    uint8_t reuse = 0;            // operands A (bit 0), B and C that are kept in the reuse cache
};

struct MachineInstruction {
    std::string_view opcode; // "LDS", static text; empty: not in the decoder's table
    uint16_t code = 0;       // the twelve bits of the instruction word that name it
    Kind kind = Kind::arithmetic;
    Space space = Space::none; // of a load, store or atomic whose opcode names it; generic accesses: none
    uint8_t bytes = 0;      // per lane, of a load, store or asynchronous copy; 0: not one, or a width that is not known
    uint8_t guard = always; // predicate register 0..6, on which the instruction depends
    bool guard_negated = false;
    bool second_predicate = false; // a branch or exit that depends on another predicate besides the guard
    bool ends = false;             // never goes on to the next instruction, unless conditional()
    bool indirect = false;         // a branch whose target stands in a register
    int64_t target = -1;           // index of a direct branch's target; -1: not a branch, or its target is not known
    int ptx_line = 0;              // 1-based line in MachineListing::ptx; 0: unknown
    int source_line = 0;           // 1-based line in the kernel's source; 0: unknown
    std::string text;              // as nvdisasm prints it
    Control control;

    static constexpr uint8_t always = 7;
    bool guarded() const { return guard != always || guard_negated; }
    bool conditional() const { return guarded() || second_predicate; }
};

struct MachineListing {
    int sm = 0;             // 90 of "sm_90"
    uint64_t code_hash = 0; // FNV-1a of the kernel's machine code: the same number, the same program
    std::vector<MachineInstruction> instructions;
    std::vector<std::string>
        ptx; // the lines that ptx_line counts, as the cubin holds them: no comments, blanks trimmed
};

} // namespace trace
