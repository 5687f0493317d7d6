// Reads of shared memory whose value nobody has waited for when their thread says that it has read, and that a bulk copy then overtakes, as
// a run finds them; overtaken_reads.cpp says what they are and where to look.
#include "sim/block.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace sim {

void watch_reads(Warp& w, const Operation& op, uint32_t active) { w.block->watch_reads(w, op, active); }

void Block::watch_reads(Warp& w, const Operation& op, uint32_t active) {
    const Watched& watched = program_.watched[op.watched];
    if (run_.options.checks) {
        HeldRead* const held = held_reads_.data() + w.index * program_.watched_registers; // by its registers
        for (uint32_t r : watched.uses) use_read(w, held[r]);
        for (uint32_t r : watched.sets) // waits before it overwrites
            if (watched.moved.empty() && held[r].read != Watched::none &&
                held[r].number == read_of(w, held[r].read).number)
                read_of(w, held[r].read).under_way = false;
        HeldRead result;
        for (uint32_t r : watched.moved)
            if (held[r].read != Watched::none) result = held[r];
        if (watched.begins != Watched::none)
            result = {watched.begins, begin_read(w, op, watched, active & watched.lanes)};
        for (uint32_t r : watched.sets) held[r] = result;
        if (watched.fences) fence_reads(w);
    }
    (active == ~0u ? watched.full : watched.masked)(w, op, active);
}

uint64_t Block::begin_read(const Warp& w, const Operation& op, const Watched& watched, uint32_t lanes) {
    Read& read = read_of(w, watched.begins);
    read.by = &op;
    ++read.number;
    read.lanes = lanes;
    read.bytes = watched.bytes;
    read.under_way = read.unused = true;
    std::memcpy(read.address.data(), row<std::byte>(w, op.address), trace::warp_size * op.address_bytes);
    return read.number;
}

uint64_t Block::read_at(const Read& read, uint32_t lane) const {
    uint64_t address = 0;
    const uint8_t bytes = read.by->address_bytes;
    std::memcpy(&address, read.address.data() + lane * bytes, bytes); // least significant byte first
    return own_offset(shared_address(*read.by, address, bytes, read.by->offset));
}

// fence.proxy.async: of its own reads, and of those that it was told of.
void Block::fence_reads(const Warp& w) {
    for (uint32_t r = 0; r < program_.watched_reads; ++r) read_of(w, r).under_way = false;
    for (const Warp& other : warps_) {
        const uint32_t known = shared_.known_until(w.index, other.index);
        for (ToldRead& told : told_reads_[other.index])
            if (told.from > 0 && told.from <= known) told.fenced_by |= 1u << w.index;
    }
}

// The warp waits for the value; if that was overwritten meanwhile, it may be the wrong one.
void Block::use_read(const Warp& w, const HeldRead& held) {
    if (held.read == Watched::none) return;
    Read& read = read_of(w, held.read);
    if (held.number == read.number) {
        read.under_way = false;
        if (!std::exchange(read.unused, false)) return;
    }
    for (ToldRead& told : told_reads_[w.index]) {
        if (told.read.by != read.by || told.read.number != held.number || !std::exchange(told.read.unused, false))
            continue;
        if (told.copy) overtaken(w, told);
    }
}

Block::ToldRead* Block::told(const Warp& w, const Read& read) {
    auto& all = told_reads_[w.index];
    const auto same = std::find_if(all.begin(), all.end(), [&](const ToldRead& t) {
        return t.read.by == read.by && t.read.number == read.number;
    });
    return same == all.end() ? nullptr : &*same;
}

Block::ToldRead& Block::tell_read(const Warp& w, const Read& read, const Operation& by) {
    constexpr size_t most = 64; // of a warp: more than a ring has stages
    auto& all = told_reads_[w.index];
    if (all.size() == most) all.pop_front();
    return all.emplace_back(ToldRead{.read = read, .by = &by});
}

// By `op` the warp says, in this epoch, that it is done with what it has read.
void Block::tell_reads(const Warp& w, const Operation& op, uint32_t epoch) {
    for (uint32_t r = 0; r < program_.watched_reads; ++r) {
        const Read& read = read_of(w, r);
        if (!read.under_way || read.lanes == 0) continue;
        ToldRead* known = told(w, read);
        if (!known) known = &tell_read(w, read, op);
        if (known->from == 0) known->from = epoch;
        known->until = epoch;
    }
}

// The lanes whose bytes the copy overwrites.
uint32_t Block::overlap(const Read& read, const BulkCopy& c) const {
    uint32_t overwritten = 0;
    for (uint32_t i = 0; i < trace::warp_size; ++i) {
        if (!(read.lanes >> i & 1)) continue;
        const uint64_t at = read_at(read, i); // may be no place in the block's shared memory
        if (at < c.to + c.bytes && at + read.bytes > c.to) overwritten |= 1u << i;
    }
    return overwritten;
}

// A bulk copy begins. What its thread was told of must have been read; what it was not told of is a race, and found elsewhere.
void Block::overtake_reads(const BulkCopy& c) {
    if (program_.watched_reads == 0) return;
    const auto overtake = [&](const Warp& w, ToldRead& read, uint32_t overwritten) {
        read.overwritten = overwritten;
        read.copy = c.by;
        read.copy_warp = c.warp;
        read.copy_lane = c.lane;
        if (!read.read.unused) overtaken(w, read);
    };
    for (const Warp& w : warps_) {
        const uint32_t known = shared_.known_until(c.warp, w.index);
        for (ToldRead& t : told_reads_[w.index]) {
            if (w.index == c.warp || t.copy || t.fenced_by >> c.warp & 1 || known < t.from || known > t.until) continue;
            if (const uint32_t lanes = overlap(t.read, c)) overtake(w, t, lanes);
        }
    }
    const Warp& own = warps_[c.warp]; // it knows by the order of its instructions
    for (uint32_t r = 0; r < program_.watched_reads; ++r) {
        const Read& read = read_of(own, r);
        const uint32_t lanes = read.under_way ? overlap(read, c) : 0;
        ToldRead* const known = lanes ? told(own, read) : nullptr;
        if (lanes && !(known && known->copy)) overtake(own, known ? *known : tell_read(own, read, *c.by), lanes);
    }
}

// Of two orders of execution the same: the finding stands at the read, the other access is the copy.
void Block::overtaken(const Warp& w, const ToldRead& t) {
    const Operation& op = *t.read.by;
    const int64_t copy = report.place(t.copy->pc);
    const FindingKey pair = report.key(trace::FindingKind::unfinished_read, op, copy);
    if (report.count_known(pair)) return;
    const auto lane = static_cast<uint32_t>(__builtin_ctz(t.overwritten));
    const uint64_t at = read_at(t.read, lane);
    const bool begins = t.by == t.copy, at_barrier = t.by->flow == Flow::barrier;
    const base::Sentence copy_name =
        base::say("the bulk copy {} by lane {} of warp {}", report.place_text(t.copy->pc), t.copy_lane, t.copy_warp);
    const base::Sentence when = begins ? base::say("{} begins, which", copy_name)
                          : at_barrier
                              ? base::say("the warp comes to the barrier {}; {}", report.place_text(t.by->pc), copy_name)
                              : base::say("the warp arrives at the mbarrier {}; {}", report.place_text(t.by->pc), copy_name);
    const base::Sentence fault = base::say(
        "lane {} of warp {} reads {}, and nothing has waited for the value when {} may overwrite it before it is read",
        lane, w.index, report.names.shared(op, at), when);
    const base::Sentence cure =
        base::say("use the value first, or put fence.proxy.async before the {}", begins       ? base::say("copy")
                                                                           : at_barrier ? base::say("barrier")
                                                                                        : base::say("arrival"));
    const base::Sentence evidence = base::say("byte {} of shared memory; {} by {}; {}", at, report.statement(op.pc),
                                  lanes_text(t.overwritten), report.statement(t.copy->pc));
    trace::Finding f =
        report.about(trace::FindingKind::unfinished_read, w, op, t.overwritten, base::say("{}: {} ({})", fault, cure, evidence));
    f.other = report.other_access(t.copy->pc, index_, t.copy_warp, 1u << t.copy_lane);
    report.add(pair, std::move(f));
}

} // namespace sim
