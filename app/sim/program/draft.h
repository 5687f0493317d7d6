// What a front end makes of a kernel, and what finish() makes a program of: operations in order, on registers that have no place yet. A
// front end fills in a Draft and knows nothing of passes; the passes (passes.h) know nothing of PTX and machine code.
#pragma once

#include "sim/program/program.h"

#include <map>
#include <memory>
#include <vector>

namespace sim {

struct Register {
    uint8_t width = 4;   // bytes of a lane; 0: predicate
    bool pinned = false; // has a value from the start: special registers
    bool kept = false;   // keeps its place throughout: pinned ones, and what products write late
};

// An operand that a lane handler cannot take as machine code has it: a source that is read negated, without its sign or inverted (-R3, |R3|,
// ~R3), or 64 bits in two registers of 32 (R4, and R5 above it). Where integers change, the operation is What::compute: nobody looks behind it.
struct Adaption {
    enum Place : uint8_t { row, address, source } place = row;
    uint8_t slot = 0;                       // of a row
    RowAt high = no_row;                    // the register of the upper 32 bits; the effect's wide rows name it, too
    uint64_t keep = ~uint64_t{0}, flip = 0; // a source is ((bits & keep) ^ flip) + add
    uint64_t add = 0;
};

struct Draft {
    // Filled in, by the front end: operations with their effects, targets and handlers, and all lists that they name numbers of. A row is
    // twice the number of a register, or a row of the constants' file (RowAt); so it is in `wide`, `names` and `specials`.
    Program program;
    std::shared_ptr<const trace::Listing> listing; // by pc
    std::vector<Register> registers;
    // Where each register lies in the warp's file, of Program::register_bytes. Empty: finish() finds places.
    std::vector<RowAt> places;
    std::map<uint32_t, std::vector<Adaption>> adaptions = {}; // by operation
    std::map<uint32_t, uint32_t> meet =
        {}; // branch -> operation where its lanes meet again; others: at the post-dominator
    std::map<Origin, int32_t> shared_arrays = {}; // the origin of an array's address -> of Program::shared_variables
};

std::shared_ptr<const Program> finish(std::shared_ptr<const Draft>, Rows);

} // namespace sim
