#include "sim/checks/product_reads.h"

#include <algorithm>

namespace sim {

using base::say;
using base::Sentence;

namespace {

bool meet(SharedRange a, SharedRange b) { return a.first < b.end && b.first < a.end; }

} // namespace

void ProductReads::reset() {
    of_.assign(of_.size(), {});
    kept_ = 0;
    block_.shared.read_by_products = {};
}

void ProductReads::begin(const Warp& w, const Operation& op, uint32_t bytes, const Operand& a, const Operand& b) {
    if (!block_.run.options.checks) return;
    OfWarp& own = of_[w.index];
    own.reads.push_back({.by = &op, .bytes = bytes, .operands = {a, b}});
    ++own.under_way;
    SharedRange& all = block_.shared.read_by_products;
    if (kept_++ == 0) all = b.within;
    for (const Operand& o : {a, b})
        if (o.matrix.count > 0) all = {std::min(all.first, o.within.first), std::max(all.end, o.within.end)};
}

bool ProductReads::end_oldest(const Warp& w) {
    OfWarp& own = of_[w.index];
    if (own.under_way == 0) return false;
    const auto ended = own.reads.end() - static_cast<std::ptrdiff_t>(own.under_way--);
    const bool told = ended->told;
    const auto drop = [&](auto read) { own.reads.erase(read), --kept_; };
    if (ended->from == 0) drop(ended);
    constexpr size_t most_kept = 128; // of a warp: more than the stages of a ring have, and few enough for caches
    while (own.reads.size() > own.under_way &&
           (own.reads.size() > own.under_way + most_kept || !block_.shared.since_barrier(own.reads.front().until)))
        drop(own.reads.begin()); // if all warps met since, they all know of the wait, too
    if (kept_ == 0) block_.shared.read_by_products = {};
    return told;
}

void ProductReads::release(const Warp& w, const Operation& op, uint32_t epoch) {
    OfWarp& own = of_[w.index];
    for (size_t n = own.reads.size() - own.under_way; n < own.reads.size(); ++n) {
        Read& read = own.reads[n];
        if (read.from == 0) read.from = epoch, read.released_by = &op;
        read.until = epoch;
    }
}

void ProductReads::write(const Warp& w, const Operation& op, const Access& a, uint32_t lanes) {
    if (kept_ == 0 || !meet(block_.shared.read_by_products, {a.low, a.high + a.bytes})) return;
    for (uint32_t i = 0; i < trace::warp_size; ++i)
        if (lanes >> i & 1) check({.by = &op, .warp = w.index, .lane = i, .bytes = {a.at[i], a.at[i] + a.bytes}});
}

// Of its own warp's products those that it has not waited for. Of another's those whose release its warp has acquired, and none that
// came after the wait; what it has not acquired is a race, and found elsewhere.
void ProductReads::check(const Write& write) {
    const auto overtakes = [&](const Warp& w, Read& read) {
        const auto at = read.told ? std::nullopt : overlap(read, write.bytes);
        if (!at) return;
        read.told = true;
        report(w, read, write, *at);
    };
    for (const Warp& w : block_.warps) {
        auto& [reads, under_way] = of_[w.index];
        if (w.index == write.warp) {
            for (size_t n = reads.size() - under_way; n < reads.size(); ++n) overtakes(w, reads[n]);
            continue;
        }
        const uint32_t known = block_.shared.known_until(write.warp, w.index);
        auto read = std::partition_point(reads.begin(), reads.end(),
                                         [&](const Read& r) { return r.from > 0 && r.until < known; });
        for (; read != reads.end() && read->from > 0 && read->from <= known; ++read) overtakes(w, *read);
    }
}

// The first byte of both.
std::optional<uint64_t> ProductReads::overlap(const Read& read, SharedRange written) {
    std::optional<uint64_t> found;
    for (const Operand& o : read.operands) {
        if (o.matrix.count == 0 || !meet(o.within, written)) continue;
        o.matrix.each_piece(read.bytes, [&](uint64_t at, uint32_t, uint32_t) {
            if (!found && meet({at, at + MatrixDescriptor::chunk}, written)) found = std::max(at, written.first);
        });
    }
    return found;
}

// Of two orders of execution the same: the finding stands at the product, the other access is what overwrites.
void ProductReads::report(const Warp& w, const Read& read, const Write& write, uint64_t at) {
    const FindingKey pair = report_.key(trace::FindingKind::unfinished_read, *read.by, report_.place(write.by->pc));
    if (report_.count_known(pair)) return;
    const bool own = w.index == write.warp;
    const Sentence place = report_.place_text(write.by->pc);
    const bool copies = write.by->what == What::bulk_copy;
    const Sentence what = copies ? say("the bulk copy {} by lane {} of warp {}", place, write.lane, write.warp)
                                 : say("the write {} by lane {} of warp {}", place, write.lane, write.warp);
    const bool at_barrier = !own && read.released_by->flow == Flow::barrier;
    const auto released_at = [&] { return report_.place_text(read.released_by->pc); };
    const Sentence when = own          ? say("{} begins, which", what)
                          : at_barrier ? say("the warp comes to the barrier {}; {}", released_at(), what)
                                       : say("the warp arrives at the mbarrier {}; {}", released_at(), what);
    const Sentence fault =
        say("a product of warp {} reads {}, and nothing has waited for it when {} may overwrite that before it is read",
            w.index, report_.names.shared(*read.by, at), when);
    const Sentence before = own ? copies ? say("copy") : say("write") : at_barrier ? say("barrier") : say("arrival");
    const Sentence cure = say("wait for the product before the {}", before);
    const Sentence evidence =
        say("byte {} of shared memory; {}; {}", at, report_.statement(read.by->pc), report_.statement(write.by->pc));
    trace::Finding f =
        report_.about(trace::FindingKind::unfinished_read, w, *read.by, ~0u, say("{}: {} ({})", fault, cure, evidence));
    f.other = report_.other_access(write.by->pc, block_.index, write.warp, 1u << write.lane);
    report_.add(pair, std::move(f));
}

} // namespace sim
