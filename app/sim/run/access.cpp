#include "sim/lanes/access.h"

#include "sim/run/block.h"

#include <algorithm>
#include <array>
#include <bit>

namespace sim {

namespace {

uint32_t begin_of(const Pattern& p, uint32_t lane) { return static_cast<uint32_t>(p.offset[lane] + p.below); }

// Whether no lane touches what another one does, as far as it is seen at once: lanes upwards, or each in a place of its own of a few thousand.
bool apart(const Pattern& p) {
    uint64_t end = 0;
    bool ascending = true;
    for (uint32_t i = 0; i < 32; ++i) {
        if (!(p.active >> i & 1)) continue;
        ascending &= begin_of(p, i) >= end;
        end = uint64_t{begin_of(p, i)} + p.bytes;
    }
    constexpr uint64_t most = 4096;
    const auto each = static_cast<uint32_t>(std::countr_zero(p.bytes));
    if (ascending || (p.ones & (p.bytes - 1)) != 0 || !std::has_single_bit(p.bytes) ||
        (p.below + p.above) >> each >= most)
        return ascending;
    std::array<uint64_t, most / 64> taken{};
    uint64_t twice = 0;
    for (uint32_t i = 0; i < 32; ++i) {
        if (!(p.active >> i & 1)) continue;
        const uint32_t place = begin_of(p, i) >> each;
        twice |= taken[place / 64] >> place % 64 & 1;
        taken[place / 64] |= uint64_t{1} << place % 64;
    }
    return twice == 0;
}

} // namespace

void find_new_runs(Pattern& p) {
    const bool all_apart = apart(p);
    p.overlaps = false;
    for (uint32_t i = 0; i < 32; ++i) {
        if (!(p.active >> i & 1)) continue;
        const uint32_t begin = begin_of(p, i);
        bool known = false;
        for (uint32_t r = 0; !all_apart && r < p.runs && !known; ++r)
            known = begin >= p.run[r].at && begin + p.bytes <= p.run[r].at + p.run[r].bytes;
        p.overlaps |= known;
        if (known) continue;
        Pattern::Run* last = p.runs > 0 ? &p.run[p.runs - 1] : nullptr;
        if (last && last->at + last->bytes == begin && last->lane + last->bytes / p.bytes == i) last->bytes += p.bytes;
        else p.run[p.runs++] = {begin, p.bytes, i};
    }
}

std::byte* resolve(Warp& w, const Operation& op, Access& a, std::byte* host[trace::warp_size]) {
    return w.block->spaces.resolve(w, op, a, host);
}

void each_atomic(Warp& w, const Operation& op, Access& a, CarryOut carry_out, void* with) {
    Block& block = *w.block;
    std::byte* host[trace::warp_size];
    std::byte* const base = resolve(w, op, a, host);
    const Segment* watched[trace::warp_size] = {};
    uint32_t lanes = 0;
    if (block.context.run.options.checks && (op.space == Space::global || op.space == Space::generic))
        for (uint32_t i = 0; i < trace::warp_size; ++i) {
            if (!(a.active >> i & 1)) continue;
            watched[i] = block.segments.find(a.at[i], a.at[i] + a.bytes);
            if (watched[i] && watched[i]->writable && watched[i]->watched >= 0) lanes |= 1u << i;
        }
    if (lanes) block.global_races.begin_atomics(w, op, a, lanes);
    PageLock lock;
    for (int i = 0; i < static_cast<int>(trace::warp_size); ++i) {
        if (!(a.active >> i & 1)) continue;
        const auto n = static_cast<size_t>(i);
        if (lanes >> i & 1) block.global_races.check_lane(w, op, a, i, *watched[n], lock);
        carry_out(with, i, base ? base + (a.at[n] - a.low) : host[n]);
    }
    lock.release();
    if (lanes) block.global_races.end(w, op);
}

void report_access(Warp& w, const Operation& op, const Access& a) {
    w.block->recorder.access(op, a, trace::Space::shared);
}

const WideRows& wide_rows(const Warp& w, const Operation& op) { return w.block->context.program.wide[op.wide]; }

std::unique_lock<std::mutex> one_at_a_time(Warp& w) { return std::unique_lock(w.block->context.run.wide_atomics); }

void enter_reads(Warp& w) { w.block->context.shared.enter_reads(); }

void lanes_meet(Warp& w, const Operation& op, uint32_t lanes, uint32_t named) {
    w.block->control.lanes_meet(w, op, lanes, named);
}

} // namespace sim
