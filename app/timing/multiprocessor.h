// One multiprocessor in time: its resident blocks' warps on four schedulers, each instruction when ptxas's control fields, the pipes,
// the register banks, shared memory and what lies behind L1 let it go. An instruction's place in every queue is decided when it is
// issued, so the clock jumps from one issue to the next (discrete-event simulation).
//
// What is modelled, and whose finding it is: stall counts, six scoreboards, register banks and the reuse cache (Huerta et al.,
// MICRO 2025, https://doi.org/10.1145/3725843.3756041).
#pragma once

#include "timing/code.h"
#include "timing/stream.h"
#include "timing/what_if.h"

#include <array>
#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

namespace timing {

// Why a warp did not issue, by the names of Nsight Compute's warp states.
enum class Wait : uint8_t {
    selected,         // it did issue
    fixed_latency,    // "wait": the stall count of the instruction before
    short_scoreboard, // a result of shared memory, a shuffle, a special function
    long_scoreboard,  // a result of global or local memory
    barrier,
    math_pipe,     // the pipe was taken
    memory_queue,  // "MIO throttle": the queue to shared memory and the like was full
    global_queue,  // "LG throttle": the same one, of an access to global or local memory
    register_port, // "dispatch": operands of the instruction before came from one bank
    not_selected,  // the scheduler chose another warp
    branch,        // the instruction behind a taken branch was fetched
    instruction,   // "no instruction": it was not in the cache
    mbarrier,      // a poll that waited; Nsight Compute: "long scoreboard", of the branch behind it
    products,      // of a warpgroup; Nsight Compute: "barrier", at WARPGROUP.DEPBAR
    count
};
const char* name(Wait); // as Nsight Compute's metrics have it: "short_scoreboard"

// What a multiprocessor's requests find behind L1.
struct Behind {
    double l1_bytes = 0;    // of this kernel's carve-out
    double l2_times = 1;    // of the rate that it has of L2 while all multiprocessors read different lines
    double storing = 1;     // share of the multiprocessors that store at the same time
    double from_memory = 0; // share of the lines, 0 to 1, that are not in L2 yet: nobody has asked for them before
};

struct Issue { // of one event of the recorded block
    static constexpr uint32_t nobody = ~0u;
    uint64_t cycle = 0;
    uint32_t waited = 0;       // cycles since the warp's instruction before, less one
    Wait why = Wait::selected; // where most of them went
    uint32_t why_cycles = 0;
    uint32_t producer = nobody; // event that made what was waited for
    struct Part {               // of what was waited, one after the other in time
        uint32_t cycles = 0;
        uint32_t producer = nobody;
        Wait why = Wait::selected;
    };
    uint32_t first_part = 0; // in Run::parts
    uint32_t parts = 0;
};

struct Lost { // cycles of warps, by reason
    std::array<uint64_t, static_cast<size_t>(Wait::count)> cycles{};
    uint64_t& operator[](Wait w) { return cycles[static_cast<size_t>(w)]; }
    uint64_t operator[](Wait w) const { return cycles[static_cast<size_t>(w)]; }
};

// An instruction to be watched: how far the run is when one block has executed it in these shares of all times that it does, ascending.
struct Watch {
    uint32_t pc = Issue::nobody;
    std::vector<double> shares; // above 0, to 1
};
struct Progress { // so far
    uint64_t cycle = 0;
    std::vector<uint64_t> instructions; // by block
    std::vector<Lost> lost;             // as in Run
};

struct Run {
    uint64_t cycles = 0;                // until the last block has ended
    std::vector<uint64_t> block_cycles; // of each
    uint64_t instructions = 0;
    bool stuck = false;     // warps wait for what never comes: for blocks of their cluster that are not simulated, say
    std::vector<Lost> lost; // by pc, of all warps
    std::vector<Progress> marks;    // of each share of what was watched, if that was executed
    std::vector<Issue> issues;      // of the first block, by event; empty unless asked for
    std::vector<Issue::Part> parts; // of those
};

struct Setup {
    const Machine& machine;
    const Code& code;
    Behind behind;
    WhatIf what_if;
    bool record = false;
    Watch watch{};
};

// `blocks` begin together; each stands for itself, with its own addresses. A warp ends at a step that the code does not hold; an
// access that the stream does not hold costs as much as one without wavefronts and lines. A run that is stopped ends early.
Run simulate(const Setup&, std::span<const Stream* const> blocks, const std::stop_token& = {});

} // namespace timing
