// What a front end says of an operation beside its rows and its handlers: all that the passes over a program, and the analyses of its
// blocks, ask of one. Neither PTX nor machine code.
#pragma once

#include "sim/program/operation.h"

namespace sim {

enum class Made : uint8_t { // what results are made of
    of_operands,            // alone
    of_memory,              // or of what else nobody follows
    of_other,
};

struct WhatRow {
    Made made;
    bool meets_lanes; // waits for other lanes of its warp
};
constexpr WhatRow what_rows[] = {
#define WHAT(name, made, lanes) {Made::of_##made, #lanes[0] == 'm'},
#include "sim/program/what_table.inc"
#undef WHAT
};
constexpr const WhatRow& row_of(What what) { return what_rows[static_cast<size_t>(what)]; }

struct Effect {
    uint8_t written = 0; // bit n: Operation::row[n] is written; the other rows are read
    bool silent = false; // part of an instruction that another of its operations is counted and recorded for
    // Of what computes:
    bool integers = false;  // from integers or bits, to such
    bool is_signed = false; // what it reads
    bool carries = false;   // reads or writes a carry
    bool saturates = false;
    enum Half : uint8_t { low, high, both } half = low; // of a product
    uint8_t bits = 0, source_bits = 0;                  // of the result, and of what it reads
    enum Order : uint8_t {
        none,
        equality,
        less,
        less_or_equal
    } order = none; // of a comparison of integers; less: or not less
};

} // namespace sim
