// What the simulator asks of a machine instruction: which pipe it takes and for how long, what it waits for, which registers it reads.
#pragma once

#include "sass/instruction.h"
#include "timing/machine.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace timing {

enum class Pipe : uint8_t {
    none, // nothing but the slot of its issue
    fma,  // FP32, and integers that are multiplied
    alu,
    fp64,
    tensor,
    special, // MUFU and conversions
    uniform,
    memory, // the queue to shared memory, L1, constants and shuffles
    count
};

// What it does beyond computing.
enum class Does : uint8_t {
    compute,
    shared,     // accesses shared memory
    global,     // loads global or local memory
    store,      // to global or local memory, or an atomic operation without a result
    copy_async, // LDGSTS
    commit,     // LDGDEPBAR
    wait_count, // DEPBAR.LE
    barrier,
    branch,
    exit,
    shuffle,
    constant, // LDC
    bulk_copy,
    group_product, // HGMMA
    group_arrive,  // WARPGROUP.ARRIVE: where its four warps meet
    group_wait,    // WARPGROUP.DEPBAR
    poll,          // SYNCS.PHASECHK: whether a phase of an mbarrier is over
    yield,
};

struct Op {
    Pipe pipe = Pipe::none;
    Does does = Does::compute;
    uint16_t interval = 1; // cycles that the pipe is taken
    uint8_t stall = 1;
    uint8_t write_barrier = trace::Control::none, read_barrier = trace::Control::none, wait_mask = 0;
    uint16_t latency = 0;                     // of a result that a scoreboard guards, without memory
    uint8_t counted_scoreboard = 0, left = 0; // of DEPBAR.LE
    bool past_l1 = false;                     // L2 answers it
    bool local = false;                       // memory, that it loads
    uint8_t registers = 1;                    // 32 bits of a lane that an access moves
    uint8_t sent = 1;                         // registers of its address, and of what it stores
    struct Read {                             // of registers, by an operand's place
        uint8_t place = 0;
        bool reuse = false;
        uint16_t number = 0; // of the first
        uint8_t count = 1;
    };
    std::array<Read, 3> reads{};
    uint8_t read_count = 0;
    // Where registers hold these two the stream tells them.
    uint8_t barrier = 0;        // its number
    uint16_t barrier_warps = 0; // that it waits for; 0: all of the block
    bool arrives_only = false;  // BAR.ARV
};

struct Code {
    std::vector<Op> ops; // by pc
};
Code code_of(std::span<const sass::Instruction>, const Machine&);

} // namespace timing
