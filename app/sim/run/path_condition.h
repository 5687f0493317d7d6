// What is watched of a block while it is executed, and what it was seen to do there (block_forms.h says what for).
#pragma once

#include "sim/program/operation.h"

#include <cstdint>
#include <vector>

namespace sim {

__extension__ using Wide = __int128; // of differences of 64-bit numbers

// An operation that may compare, extend or choose between what has forms.
struct Watch {
    enum Kind : uint8_t {
        compare, // rows `slot` and `slot` + 1
        range,   // the same: a result that is extended, shifted to the right or put together of bits
        divide,  // row `slot`, by a number: quotient or remainder
        choose,  // the predicate in row 3 chooses between rows 1 and 2
        generic, // whether the address lies in global memory
        box,     // of a tensor copy: indices in rows 2 and following
    } kind = range;
    enum Order : uint8_t { equality, less, less_or_equal };
    Order order = less;
    uint8_t slot = 1;
    uint8_t bits[2] = {32, 32}; // of the two rows; 0: there is none
    bool is_signed = false;
    uint64_t divisor = 1;
    uint32_t operation = 0;
    Handler full = nullptr, masked = nullptr; // of the operation; in it stands one that looks first
};

// What one block was seen to do there.
struct Noted {
    struct Range { // of all lanes, each time; none: low > high
        Wide low = INT64_MAX, high = INT64_MIN;
        void add(Wide v) { low = v < low ? v : low, high = v > high ? v : high; }
        bool any() const { return low <= high; }
    };
    Range value[2]; // of the rows; of divide: of the row and of the remainder
    Range below, equal,
        above; // of their difference: less than nothing, nothing (of equality only) and more, with which the order begins
    bool chosen[2] = {};    // some lane took the first, the second
    bool elsewhere = false; // a generic address that leads to no global memory
    struct Index {          // of a box
        Range at;
        int64_t last = 0;  // at which it lies in the tensor
        uint64_t step = 0; // bytes
    } index[5];
};

// Where lanes went from each operation: on to the next one, or away, as a branch says.
struct Edges {
    std::vector<bool> on, away;
    bool from(uint32_t operation) const { return on[operation] || away[operation]; } // it was executed
};

// What an executed block tells: how blocks must be to do the same.
struct PathCondition {
    std::vector<Noted> noted; // by watch
    Edges edges;
    struct Reached {                                               // in one buffer; `exact`: in several
        uint64_t low = ~uint64_t{0}, end = 0, first = 0, last = 0; // addresses; of the buffer
        bool exact = false;
    };
    std::vector<Reached> reached; // by Dependences::accesses()
};

} // namespace sim
