// Whether machine code waits for what it reads and overwrites: a forward data-flow problem over its paths (abstract interpretation; what
// may be pending on one path is pending where paths join). Nothing in the hardware checks it: a register is read when the instruction
// is issued, written or not. So code that is wrong here computes with old values; so does an executor whose decoder is wrong.
//
// A pending result is guarded by a scoreboard, which an instruction's wait mask or DEPBAR waits for, or by the stall cycles of what is
// issued in between (latency.h). What is not known for certain is not found: latencies without a row, results of functions of other
// files, products of warp groups, and who may be first in a queue that several kinds of instructions share.
#pragma once

#include "base/sentence.h"
#include "sass/instruction.h"
#include "sass/module.h"

#include <cstdint>
#include <span>
#include <vector>

namespace sass {

struct Hazard {
    uint64_t address = 0; // of the instruction that is issued too early
    uint64_t cause = 0;   // of the one that it should have waited for
    base::Sentence text;
};

// At most one an instruction, in the order of addresses. `code` begins at address 0, one instruction after the other.
std::vector<Hazard> find_hazards(int sm, std::span<const Instruction> code, std::span<const JumpTable>);

} // namespace sass
