// The decoded form of a kernel: fixed-size operations with their handlers. Small on purpose: the lane handlers
// include it, which are compiled several times for different processors.
#pragma once

#include "ptx/isa.h"
#include "sim/program/details.h"

#include <cstddef>
#include <cstdint>

namespace sim {

struct Warp;
struct Operation;

// Executes one operation for the lanes in `active` (never 0). `full` handlers are called only when all 32 are.
using Handler = void (*)(Warp&, const Operation&, uint32_t active);

enum class What : uint8_t {
#define WHAT(name, made, lanes) name,
#include "sim/program/what_table.inc"
#undef WHAT
};

enum class Flow : uint8_t {
    next,
    branch,   // to `target` for active lanes
    multiway, // to targets[row[0]'s value], or to the function whose address row[0] holds
    exit,     // of the active lanes
    barrier,
    cluster, // at the barrier of the cluster
    poll,    // may find that it has to wait for other warps: Warp::polling
    unknown, // a statement that the engine does not execute
    trap,    // ends the active lanes: trap itself, or a failed assert
};

enum class Space : uint8_t { generic, global, shared, local, parameter };

// What the memory model calls strong: such accesses do not race with each other.
enum class Strength : uint8_t {
    weak,
    is_volatile,
    atomic,    // and relaxed or acquiring loads and stores
    publishes, // with .release or .acq_rel
};

// Where a row lies: byte offset in the warp's register file, or, with the lowest bit set, in the constants' file.
// A row is 32 lanes of 2, 4, 8 or 16 bytes; a predicate's row is a bit mask in 4 bytes.
using RowAt = uint32_t;
constexpr RowAt no_row = ~RowAt{0};

struct alignas(64) Operation {
    // One cache line that all of them need.
    Handler full = nullptr, masked = nullptr;
    RowAt row[8] = {no_row, no_row, no_row, no_row, no_row, no_row, no_row, no_row}; // d, a, b, c ...; of memory: data
    RowAt guard = no_row;
    RowAt address = no_row; // of a memory access
    Flow flow = Flow::next;
    bool guard_negated = false;
    uint8_t negated_predicate = 0; // bit n: the predicate in row[n] is read negated
    uint8_t elements = 1;          // of a vector access
    Space space = Space::generic;
    uint8_t address_bytes = 8;
    bool follows =
        false; // the same register gave another operation its addresses just before, and was not written since
    Strength strength = Strength::weak;

    // What memory accesses need.
    int64_t offset = 0;           // added to the address
    int64_t beyond = 0;           // added to the address of the first operation of this pattern; see `follows`
    uint32_t pc = 0;              // in the listing
    uint32_t memory_number = 0;   // of the accesses of the program, counted
    uint32_t pattern = 0;         // of the Patterns of the program
    RowAt address_upper = no_row; // the upper half of a load's or store's address that two registers hold
    uint8_t bytes = 0;            // of one element in memory; of an async copy: of the whole
    bool stores_rows = false;     // a store of row[0], row[1] ..., one element each
    uint8_t width[8] = {};        // bytes of a lane in each row; 0: predicate
    bool reaches_cluster = false; // shared memory of other blocks, too

    // What few need.
    uint32_t target = 0;      // of a branch; of a multiway: of the lanes that its guard keeps from it
    uint32_t reconverge = 0;  // where the lanes of a branch meet again; the program's size: at the exit
    bool falls_first = false; // of a branch: the lanes that it does not take run before those that it takes
    int8_t enters = 0;        // of a branch: functions; -1: it returns from one
    What what = What::nothing;
    uint32_t tracked = 0; // of Program::tracked
    uint32_t wide = 0;    // of Program::wide
    Detail detail = {};
    int32_t shared_array = -1; // of Program::shared_variables, that the address was made from; -1: not known
    RowAt source = no_row;     // of an async copy: the global address
    int64_t source_offset = 0;
    uint32_t watched = 0; // of Program::watched
};

// What a handler is chosen by.
struct Choice {
    ptx::Opcode opcode{};
    ptx::Modifiers modifiers;
    ptx::Type type = ptx::Type::none, source_type = ptx::Type::none; // first and last suffix
    uint8_t width[8] = {};                                           // of the rows, as in Operation
    uint8_t written = 1, read = 1;                                   // elements of the vectors of a mov
    bool halves = false;   // two rows, the lower half first, for what has one otherwise
    bool modified = false; // a cvt that does more than convert, a prmt by a mode
};

struct Handlers {
    Handler full = nullptr, masked = nullptr; // both nullptr: not executed by the engine
};

// The handlers that make kernels fast, one set per instruction set of the processor, and the rest.
Handlers select_baseline(const Choice&);
Handlers select_avx2(const Choice&);
Handlers select_avx512(const Choice&);
Handlers select_rare(const Choice&);
// One element of memory combined with another, atomically, as atom and red do it; nullptr: not executed by the engine.
using Combine = void (*)(std::byte* cell, const std::byte* operand);
Combine select_combine(const Choice&);
using Select = Handlers (*)(const Choice&);
struct Vectors; // vectors.h
struct Lanes {
    const char* name; // "avx512"
    Select select;
    const Vectors* vectors;
};
Lanes best_lanes();

} // namespace sim
