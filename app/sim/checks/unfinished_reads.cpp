#include "sim/checks/unfinished_reads.h"

#include "sim/checks/product_reads.h"
#include "sim/run/block.h"
#include "sim/run/shared_address.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace sim {

using base::say;
using base::Sentence;

void watch_reads(Warp& w, const Operation& op, uint32_t active) { w.block->unfinished_reads.execute(w, op, active); }

UnfinishedReads::UnfinishedReads(const BlockContext& block, Report& report, ProductReads& products)
    : block_(block), report_(report), product_reads_(products),
      reads_(block.warps.size() * block.program.watched_reads),
      held_(block.warps.size() * block.program.watched_registers), released_(block.warps.size()) {}

uint64_t UnfinishedReads::bytes(const Program& p, uint64_t warps) {
    return warps * (p.watched_reads * sizeof(Read) + p.watched_registers * sizeof(HeldRead));
}

void UnfinishedReads::reset() {
    std::fill(reads_.begin(), reads_.end(), Read{});
    std::fill(held_.begin(), held_.end(), HeldRead{});
    for (auto& reads : released_) reads.clear();
}

void UnfinishedReads::execute(Warp& w, const Operation& op, uint32_t active) {
    const Watched& watched = block_.program.watched[op.watched];
    if (block_.run.options.checks) {
        HeldRead* const held = held_.data() + w.index * block_.program.watched_registers; // by its registers
        for (uint32_t r : watched.uses) use(w, held[r]);
        for (uint32_t r : watched.sets) // waits before it overwrites
            if (watched.moved.empty() && held[r].read != Watched::none &&
                held[r].number == read_of(w, held[r].read).number)
                read_of(w, held[r].read).under_way = false;
        HeldRead result;
        for (uint32_t r : watched.moved)
            if (held[r].read != Watched::none) result = held[r];
        if (watched.begins != Watched::none) result = {watched.begins, begin(w, op, watched, active & watched.lanes)};
        for (uint32_t r : watched.sets) held[r] = result;
        if (watched.fences) fence(w);
    }
    (active == ~0u ? watched.full : watched.masked)(w, op, active);
}

uint64_t UnfinishedReads::begin(const Warp& w, const Operation& op, const Watched& watched, uint32_t lanes) {
    Read& read = read_of(w, watched.begins);
    read.by = &op;
    ++read.number;
    read.lanes = lanes;
    read.bytes = watched.bytes;
    read.under_way = read.unused = true;
    std::memcpy(read.address.data(), row<std::byte>(w, op.address), trace::warp_size * op.address_bytes);
    return read.number;
}

uint64_t UnfinishedReads::read_at(const Read& read, uint32_t lane) const {
    uint64_t address = 0;
    const uint8_t bytes = read.by->address_bytes;
    std::memcpy(&address, read.address.data() + lane * bytes, bytes); // least significant byte first
    return block_.own_offset(shared_address(*read.by, address, bytes, read.by->offset));
}

// fence.proxy.async: of the warp's own reads, and of those that it acquired.
void UnfinishedReads::fence(const Warp& w) {
    for (uint32_t r = 0; r < block_.program.watched_reads; ++r) read_of(w, r).under_way = false;
    for (const Warp& other : block_.warps) {
        const uint32_t known = block_.shared.known_until(w.index, other.index);
        for (ReleasedRead& r : released_[other.index])
            if (r.from > 0 && r.from <= known) r.fenced_by |= 1u << w.index;
    }
}

// The warp waits for the value; if that was overwritten meanwhile, it may be the wrong one.
void UnfinishedReads::use(const Warp& w, const HeldRead& held) {
    if (held.read == Watched::none) return;
    Read& read = read_of(w, held.read);
    if (held.number == read.number) {
        read.under_way = false;
        if (!std::exchange(read.unused, false)) return;
    }
    for (ReleasedRead& r : released_[w.index]) {
        if (r.read.by != read.by || r.read.number != held.number || !std::exchange(r.read.unused, false)) continue;
        if (r.copy) report(w, r);
    }
}

UnfinishedReads::ReleasedRead* UnfinishedReads::released(const Warp& w, const Read& read) {
    auto& all = released_[w.index];
    const auto same = std::find_if(all.begin(), all.end(), [&](const ReleasedRead& r) {
        return r.read.by == read.by && r.read.number == read.number;
    });
    return same == all.end() ? nullptr : &*same;
}

UnfinishedReads::ReleasedRead& UnfinishedReads::note_release(const Warp& w, const Read& read, const Operation& by) {
    constexpr size_t most = 64; // of a warp: more than a ring has stages
    auto& all = released_[w.index];
    if (all.size() == most) all.pop_front();
    return all.emplace_back(ReleasedRead{.read = read, .by = &by});
}

void UnfinishedReads::release(const Warp& w, const Operation& op, uint32_t epoch) {
    product_reads_.release(w, op, epoch);
    for (uint32_t n = 0; n < block_.program.watched_reads; ++n) {
        const Read& read = read_of(w, n);
        if (!read.under_way || read.lanes == 0) continue;
        ReleasedRead* known = released(w, read);
        if (!known) known = &note_release(w, read, op);
        if (known->from == 0) known->from = epoch;
        known->until = epoch;
    }
}

// The lanes whose bytes the copy overwrites.
uint32_t UnfinishedReads::overlap(const Read& read, const BulkCopy& c) const {
    uint32_t overwritten = 0;
    for (uint32_t i = 0; i < trace::warp_size; ++i) {
        if (!(read.lanes >> i & 1)) continue;
        const uint64_t at = read_at(read, i); // may be no place in the block's shared memory
        if (at < c.to + c.bytes && at + read.bytes > c.to) overwritten |= 1u << i;
    }
    return overwritten;
}

void UnfinishedReads::begin_copy(const BulkCopy& c) {
    if (block_.program.watched_reads == 0) return;
    const auto overtake = [&](const Warp& w, ReleasedRead& r, uint32_t overwritten) {
        r.overwritten = overwritten;
        r.copy = c.by;
        r.copy_warp = c.warp;
        r.copy_lane = c.lane;
        if (!r.read.unused) report(w, r);
    };
    for (const Warp& w : block_.warps) {
        const uint32_t known = block_.shared.known_until(c.warp, w.index);
        for (ReleasedRead& r : released_[w.index]) {
            if (w.index == c.warp || r.copy || r.fenced_by >> c.warp & 1 || known < r.from || known > r.until) continue;
            if (const uint32_t lanes = overlap(r.read, c)) overtake(w, r, lanes);
        }
    }
    const Warp& own = block_.warps[c.warp]; // it knows by the order of its instructions
    for (uint32_t n = 0; n < block_.program.watched_reads; ++n) {
        const Read& read = read_of(own, n);
        const uint32_t lanes = read.under_way ? overlap(read, c) : 0;
        ReleasedRead* const known = lanes ? released(own, read) : nullptr;
        if (lanes && !(known && known->copy)) overtake(own, known ? *known : note_release(own, read, *c.by), lanes);
    }
}

// Of two orders of execution the same: the finding stands at the read, the other access is the copy.
void UnfinishedReads::report(const Warp& w, const ReleasedRead& r) {
    const Operation& op = *r.read.by;
    const FindingKey pair = report_.key(trace::FindingKind::unfinished_read, op, report_.place(r.copy->pc));
    if (report_.count_known(pair)) return;
    const auto lane = static_cast<uint32_t>(__builtin_ctz(r.overwritten));
    const uint64_t at = read_at(r.read, lane);
    const bool begins = r.by == r.copy, at_barrier = r.by->flow == Flow::barrier;
    const Sentence copy =
        say("the bulk copy {} by lane {} of warp {}", report_.place_text(r.copy->pc), r.copy_lane, r.copy_warp);
    const Sentence when = begins ? say("{} begins, which", copy)
                          : at_barrier
                              ? say("the warp comes to the barrier {}; {}", report_.place_text(r.by->pc), copy)
                              : say("the warp arrives at the mbarrier {}; {}", report_.place_text(r.by->pc), copy);
    const Sentence fault = say(
        "lane {} of warp {} reads {}, and nothing has waited for the value when {} may overwrite it before it is read",
        lane, w.index, report_.names.shared(op, at), when);
    const Sentence cure =
        say("use the value first, or put fence.proxy.async before the {}", begins       ? say("copy")
                                                                           : at_barrier ? say("barrier")
                                                                                        : say("arrival"));
    const Sentence evidence = say("byte {} of shared memory; {} by {}; {}", at, report_.statement(op.pc),
                                  lanes_text(r.overwritten), report_.statement(r.copy->pc));
    trace::Finding f = report_.about(trace::FindingKind::unfinished_read, w, op, r.overwritten,
                                     say("{}: {} ({})", fault, cure, evidence));
    f.other = report_.other_access(r.copy->pc, block_.index, r.copy_warp, 1u << r.copy_lane);
    report_.add(pair, std::move(f));
}

} // namespace sim
