// The constants of time: what a multiprocessor, its caches and the memory behind them take, in cycles of the multiprocessor's clock.
// machine_table.inc has one row for each, with the microbenchmark of bench/gpu that measured it.
#pragma once

#include <span>
#include <string_view>

namespace timing {

struct Machine {
#define CONSTANT(name, value, unit, from, meaning) double name = value;
#include "timing/machine_table.inc"
#undef CONSTANT
};

struct ConstantRow {
    const char* name;
    double value;
    const char* unit;
    const char* from; // the result of a microbenchmark; "fitted": to the calibrating half of the record
    const char* meaning;
    double Machine::*member;
};
std::span<const ConstantRow> constant_rows();

// "sm_90", "sm_90a": measured. nullptr: no constants are known of it, and no time is shown.
const Machine* machine(std::string_view arch);

} // namespace timing
