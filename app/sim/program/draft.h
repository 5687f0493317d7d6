// What a front end makes of a kernel, and what finish() makes a program of: operations in order, on registers that have no place yet. A
// front end fills in a Draft and knows nothing of passes; the passes (passes.h) know nothing of PTX and machine code.
#pragma once

#include "sim/program/program.h"

#include <map>
#include <memory>
#include <set>
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
    std::map<uint32_t, uint32_t> meet =
        {};                   // branch -> operation where its lanes meet again; others: at the post-dominator
    bool loads_ahead = false; // loads may stand before the branches that ask for what they load, as ptxas places them
    // No register is read before it is written in what was compiled to this: where one is here, the compiler has moved the read to where
    // nobody asks for what it makes.
    bool all_assigned = false;
    // Loads whose value is used before others hear that it was read, in what was compiled to them: the compiler may have moved the use.
    std::set<uint32_t> used_in_time = {};
    std::map<Origin, int32_t> shared_arrays = {}; // the origin of an array's address -> of Program::shared_variables

    // Rows of what is new, or of what is there: of a register; of a constant, whose place is not asked for; of a plain value of `width` bytes (0:
    // a predicate, true if any bit is set); of a special register.
    RowAt add_register(uint8_t width, bool pinned = false);
    RowAt constant(Constant);
    RowAt value(uint64_t bits, uint8_t width);
    RowAt special(ptx::Special, uint8_t width);

private:
    std::map<Constant, RowAt> constant_rows_; // each with its place left out
};

// What a file's variables may take at most, and why the memory there is has no room for `bytes` of them; empty: it has.
inline constexpr uint64_t most_variable_bytes = uint64_t{1} << 30;
base::Sentence no_room_for_variables(uint64_t bytes);

inline constexpr uint32_t most_local_bytes = 512u << 10; // of a thread, as on every GPU
base::Sentence too_much_local_memory();

std::shared_ptr<const Program> finish(std::shared_ptr<const Draft>, Rows);

} // namespace sim
