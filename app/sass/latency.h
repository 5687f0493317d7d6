// How soon a result may be read that no scoreboard guards: the hardware does not check it, so ptxas writes stall cycles that are enough.
#pragma once

#include "sass/instruction.h"

#include <cstddef>
#include <cstdint>

namespace sass {

// Who makes a value, and who reads it: parts of a multiprocessor that pass results on equally fast. Results that are predicates have
// units of their own; an instruction's guard, a branch's condition and predicates of memory instructions are read by `guard`.
enum class Unit : uint8_t {
    integer,
    fma, // FP32, and integers that are multiplied
    half,
    fp64,
    matrix,
    memory,
    special, // of varying latency, but no memory: conversions, MUFU, S2R
    uniform,
    uniform_move, // UMOV, ULDC
    predicate,
    uniform_predicate,
    guard,
    count
};
constexpr size_t unit_count = static_cast<size_t>(Unit::count);

// Of an instruction's results that are no predicates, and of its operands.
Unit unit_of(const Instruction&);

// Cycles from the issue of who makes the result to the issue of who reads it: a lower bound, 0 where none is known.
// latency_table.inc says where they come from.
uint8_t latency(int sm, Unit result, Unit reader);

} // namespace sass
