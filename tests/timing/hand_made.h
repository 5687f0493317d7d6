// Code and streams written by hand, and the run that keeps what every run must.
#pragma once

#include "timing/multiprocessor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <vector>

namespace hand_made {

using timing::Code;
using timing::Does;
using timing::Issue;
using timing::Machine;
using timing::Op;
using timing::Pipe;
using timing::Step;
using timing::Stream;
using timing::Wait;

// Whose code is always there.
inline Machine machine_without_code_fetches() {
    Machine m;
    m.code_near_interval = m.code_far_interval = 0;
    return m;
}

inline Op op(uint8_t stall, Pipe pipe = Pipe::none, Does does = Does::compute) {
    Op o;
    o.pipe = pipe;
    o.does = does;
    o.stall = stall;
    return o;
}
inline Op writes(Op o, uint8_t scoreboard) {
    o.write_barrier = scoreboard;
    return o;
}
inline Op waits(Op o, std::initializer_list<int> scoreboards) {
    for (const int one : scoreboards) o.wait_mask = static_cast<uint8_t>(o.wait_mask | 1 << one);
    return o;
}
inline Op wait_count(uint8_t scoreboard, uint8_t left, uint8_t stall = 1) {
    Op o = op(stall, Pipe::none, Does::wait_count);
    o.counted_scoreboard = scoreboard;
    o.left = left;
    return o;
}
inline Op reads(Op o, std::initializer_list<Op::Read> all) {
    for (const Op::Read& r : all) o.reads[o.read_count++] = r;
    return o;
}
inline Op barrier(uint8_t number = 0, uint16_t warps = 0, bool arrives_only = false) {
    Op o = op(1, Pipe::none, Does::barrier);
    o.barrier = number;
    o.barrier_warps = warps;
    o.arrives_only = arrives_only;
    return o;
}

inline timing::Access in_shared(int wavefronts, int ideal = 1) {
    timing::Access a;
    a.wavefronts = static_cast<uint16_t>(wavefronts);
    a.ideal = static_cast<uint16_t>(ideal);
    return a;
}

// Gives each step the number of an event.
class Streams {
public:
    Stream stream;

    Streams& warp(const std::vector<uint32_t>& pcs) {
        auto& steps = stream.warps.emplace_back();
        auto& events = stream.events.emplace_back();
        for (const uint32_t pc : pcs) steps.push_back({.pc = pc}), events.push_back(events_++);
        return *this;
    }
    Streams& no_warp() { return warp({}); } // whose scheduler has one less
    // The accesses of all steps whose instruction is at `pc`.
    Streams& access(uint32_t pc, timing::Access a, const std::vector<timing::Line>& lines = {}) {
        a.first_line = static_cast<uint32_t>(stream.lines.size());
        a.lines = static_cast<uint16_t>(lines.size());
        for (const timing::Line& l : lines) a.sectors = static_cast<uint16_t>(a.sectors + std::popcount(l.sectors));
        stream.lines.insert(stream.lines.end(), lines.begin(), lines.end());
        for (auto& steps : stream.warps)
            for (Step& s : steps)
                if (s.pc == pc) s.access = static_cast<uint32_t>(stream.accesses.size());
        stream.accesses.push_back(a);
        return *this;
    }

private:
    uint32_t events_ = 0;
};

inline std::vector<uint32_t> straight(size_t instructions) {
    std::vector<uint32_t> pcs(instructions);
    for (size_t n = 0; n < pcs.size(); ++n) pcs[n] = static_cast<uint32_t>(n);
    return pcs;
}
inline std::vector<uint32_t> looped(size_t instructions, size_t turns) {
    std::vector<uint32_t> pcs;
    for (size_t turn = 0; turn < turns; ++turn)
        for (size_t n = 0; n < instructions; ++n) pcs.push_back(static_cast<uint32_t>(n));
    return pcs;
}

inline uint64_t total(const timing::Lost& lost) {
    uint64_t cycles = 0;
    for (const uint64_t one : lost.cycles) cycles += one;
    return cycles;
}
inline timing::Lost all_of(const timing::Run& run) {
    timing::Lost sum;
    for (const timing::Lost& one : run.lost)
        for (size_t n = 0; n < sum.cycles.size(); ++n) sum.cycles[n] += one.cycles[n];
    return sum;
}

// What holds of every run: each warp's issues ascend, each cycle of a warp up to its last issue is counted once, by its reason, and a
// scheduler issues once a cycle.
inline void expect_accounted(const timing::Run& run, const Stream& stream) {
    uint64_t cycles = 0, steps = 0;
    std::array<std::vector<uint64_t>, 4> issued;
    for (size_t w = 0; w < stream.warps.size(); ++w) {
        const auto& warp = stream.warps[w];
        for (size_t n = 0; n < warp.size(); ++n) {
            const Issue& i = run.issues[stream.events[w][n]];
            const uint64_t before = n == 0 ? 0 : run.issues[stream.events[w][n - 1]].cycle + 1;
            ASSERT_GE(i.cycle, before) << "warp " << w << " step " << n;
            EXPECT_EQ(i.waited, i.cycle - before) << "warp " << w << " step " << n;
            uint64_t parts = 0, most = 0;
            for (uint32_t p = i.first_part; p < i.first_part + i.parts; ++p) {
                parts += run.parts.at(p).cycles;
                most = std::max<uint64_t>(most, run.parts[p].cycles);
            }
            EXPECT_EQ(parts, i.waited) << "warp " << w << " step " << n;
            EXPECT_EQ(most, i.why_cycles);
            issued[w % issued.size()].push_back(i.cycle);
        }
        steps += warp.size();
        if (!warp.empty()) cycles += run.issues[stream.events[w].back()].cycle + 1;
    }
    EXPECT_EQ(total(all_of(run)), cycles);
    EXPECT_EQ(all_of(run)[Wait::selected], steps);
    EXPECT_EQ(run.instructions, steps);
    for (auto& all : issued) {
        std::sort(all.begin(), all.end());
        EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end()) << "two issues of one scheduler in one cycle";
    }
}

inline bool equal(const Issue& a, const Issue& b) {
    return a.cycle == b.cycle && a.waited == b.waited && a.why == b.why && a.why_cycles == b.why_cycles &&
           a.producer == b.producer;
}

// Of one block, whose warps all issue their last step.
inline timing::Run run(const std::vector<Op>& ops, const Stream& stream, timing::WhatIf what_if = {},
                       const Machine& m = machine_without_code_fetches(),
                       timing::Behind behind = {.l1_bytes = 128 * 1024}) {
    const Code code{ops};
    const Stream* const blocks[] = {&stream};
    const timing::Setup setup{m, code, behind, what_if, true};
    const timing::Run first = timing::simulate(setup, blocks), second = timing::simulate(setup, blocks);
    EXPECT_EQ(first.cycles, second.cycles);
    EXPECT_TRUE(
        std::equal(first.issues.begin(), first.issues.end(), second.issues.begin(), second.issues.end(), equal));
    expect_accounted(first, stream);
    return first;
}

inline std::vector<uint64_t> cycles_of(const timing::Run& run) {
    std::vector<uint64_t> cycles;
    for (const Issue& i : run.issues) cycles.push_back(i.cycle);
    return cycles;
}

} // namespace hand_made
