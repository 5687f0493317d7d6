// Video instructions (manual, section 9.7.18): arithmetic on a part of a register, or on two or four of them at once.
#pragma once

#include "ptx/module.h"

#include <cstdint>

namespace sim {

// What is fixed of an instruction. Its rows: d, a, b, c.
struct VideoUse {
    enum What : uint8_t {
        add,
        subtract,
        average,
        difference,
        minimum,
        maximum,
        shift_left,
        shift_right,
        multiply_add,
        compare
    } what = add;
    enum Second : uint8_t {
        merges,
        adds,
        takes_minimum,
        takes_maximum
    } second = merges; // what is done with the result and c
    enum Relation : uint8_t { equal, unequal, less, at_most, greater, at_least } relation = equal;
    bool signed_a = false, signed_b = false, signed_d = false, saturates = false;
    bool wraps = false;                                                // a shift's amount
    bool negates_product = false, negates_c = false, plus_one = false; // of multiply_add
    uint8_t scale = 0;                                                 // bits that its result is shifted down by
    uint8_t parts = 1;        // 2 and 4: a's and b's parts are numbered from a's lowest to b's highest
    ptx::Part a = {}, b = {}; // one number a part
    ptx::Part d = {};         // the parts that are written
};

} // namespace sim
