// What a front end makes of a kernel, and what finish() makes a program of: operations in order, on registers that have no place yet. A
// front end fills in a Draft and knows nothing of passes; the passes (passes.h) know nothing of PTX and machine code.
#pragma once

#include "sim/program.h"

#include <map>
#include <memory>
#include <vector>

namespace sim {

struct Register {
    uint8_t width = 4;   // bytes of a lane; 0: predicate
    bool pinned = false; // has a value from the start: special registers
    bool kept = false;   // keeps its place throughout: pinned ones, and what products write late
};

struct Draft {
    // Filled in, by the front end: operations with their effects, targets and handlers, and all lists that they name numbers of. A row is
    // twice the number of a register, or a row of the constants' file (RowAt); so it is in `wide`, `names` and `specials`.
    Program program;
    std::shared_ptr<const trace::Listing> listing; // by pc
    std::vector<Register> registers;
    // Where each register lies in the warp's file, of Program::register_bytes. Empty: finish() finds places.
    std::vector<RowAt> places;
    std::map<Origin, int32_t> shared_arrays = {}; // the origin of an array's address -> of Program::shared_variables
};

std::shared_ptr<const Program> finish(std::shared_ptr<const Draft>, Rows);

} // namespace sim
