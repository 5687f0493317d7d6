// What an operation needs beside its rows, by what it does: one of them stands in each operation (Operation::detail). All of them are 0
// where nothing is said, and without constructors, so that a union may hold them.
#pragma once

#include <cstdint>

namespace sim {

enum class Rounding : uint8_t { nearest, zero, down, up };

struct Logic {     // of lop3
    uint8_t table; // bit 4 a + 2 b + c: the result
    bool any;      // a predicate is its result or-ed, not and-ed, with another
};

struct Terms {                 // of add_with_carries; bit n: term n
    uint8_t negated, inverted; // inverted: its bits, without one more
};

struct Comparison {                                                  // of setp and set
    enum With : uint8_t { alone, and_with, or_with, xor_with } with; // another predicate
    enum One : uint8_t { all_bits, f32, f16, bf16 } one;             // what set writes for true
};

struct Conversion { // of cvt
    Rounding rounding;
    bool away : 1;     // ties away from zero (rna)
    bool integral : 1; // float to float of the same size, to an integer's value
    bool sat : 1, ftz : 1, relu : 1;
    bool finite : 1; // at most the largest number
    bool operator==(const Conversion&) const = default;
};

struct Float8Conversion {
    bool e5m2 : 1; // else e4m3
    bool relu : 1;
    bool to_halves : 1, from_halves : 1; // else from two floats
};

struct Pack {     // of cvt.pack
    uint8_t bits; // of a part
    bool is_signed;
};

struct Poll {          // of an mbarrier
    bool parity : 1;   // of the phase, instead of a state
    bool suspends : 1; // the warp, which executes it again when others have run, instead of going on
};

struct RegisterCount { // of a lane, from here on
    uint16_t count;
    bool takes; // else it gives back what is more
};

enum class BarrierUse : uint8_t { waits, counts, asks_all, asks_any, arrives };
enum class ClusterUse : uint8_t { arrives, waits };

union Detail {
    uint32_t number = 0; // in the list of Program that says the rest; of a Flow::multiway: of Program::tables
    Logic logic;
    Terms terms;
    Comparison comparison;
    Conversion conversion;
    Float8Conversion float8;
    Pack pack;
    BarrierUse barrier;
    ClusterUse cluster;
    uint32_t groups_left; // that a wait leaves under way
    uint32_t alignment;   // of the stack
    bool upper_half;      // of a clock
    Poll poll;
    RegisterCount registers;
    bool counted;    // of an arrival after copies: the phase expects it already
    bool transposed; // of ldmatrix and stmatrix
    bool by_mode;    // of prmt: the selector is a mode's
};
static_assert(sizeof(Detail) == sizeof(uint32_t));

} // namespace sim
