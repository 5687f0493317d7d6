#include "sim/checks/shared_races.h"

#include "sim/checks/cluster_races.h"
#include "sim/checks/product_reads.h"
#include "sim/checks/unwritten_reads.h"
#include "sim/lanes/vectors.h"
#include "sim/run/mbarriers.h"
#include "sim/run/stores.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace sim {

// A lane of a warp runs in step with the others here, but not on every GPU: what one lane writes and another touches needs
// a __syncwarp between, or a shuffle, vote or barrier. Code that says volatile relies on the step on purpose.
bool SharedRaces::races(Touch before, const Warp& w, const Operation& op, int lane, uint32_t mask) const {
    if (!(mask_of(before) & mask) || block_.shared.before(before, w.index, static_cast<uint32_t>(lane))) return false;
    const Strength was = block_.program.strengths[pc_of(before)];
    if (both_strong(was, op.strength)) return false;
    if (warp_of(before) != w.index) return true;
    if (is_in_step(w, lane_of(before)) && met_since(before, op)) return false;
    return mask_of(before) == 15 && mask == 15 && was != Strength::is_volatile && op.strength != Strength::is_volatile;
}

// Lanes that are together now have executed everything in step so far: it works where warps do.
bool SharedRaces::is_in_step(const Warp& w, uint32_t lane) { return w.path[w.depth - 1].mask >> lane & 1; }

// In the order of the PTX.
bool SharedRaces::met_since(Touch before, const Operation& op) const {
    const std::vector<uint32_t>& meetings = block_.program.meetings;
    return !meetings.empty() && meetings[op.pc] > meetings[pc_of(before)];
}

void SharedRaces::note_conflict(Touch before, bool wrote, int lane, uint64_t at) {
    constexpr Touch lane_bits = Touch{31} << touch_lane_at, mask_bits = Touch{15} << touch_mask_at;
    const auto same = std::find_if(conflicts_.begin(), conflicts_.end(), [&](const Conflict& c) {
        return ((c.before ^ before) & ~(lane_bits | mask_bits)) == 0 && c.wrote == wrote;
    });
    Conflict& c = same != conflicts_.end() ? *same : conflicts_.emplace_back(Conflict{before, wrote, at, 0, 0});
    c.lanes |= 1u << lane;
    c.lanes_before |= 1u << lane_of(before);
}

void SharedRaces::look_for_conflicts(const Warp& w, const Operation& op, const Access& a, int lane) {
    const uint64_t at = a.at[static_cast<size_t>(lane)], end = at + a.bytes;
    std::byte value[64];
    const bool knows = a.direction == Access::store && stored_bytes(w, op, lane, value);
    for (uint64_t n = at / 4; n <= (end - 1) / 4; ++n) {
        const auto word = static_cast<uint32_t>(n);
        const uint32_t mask = bytes_of_word(n, at, end);
        const uint64_t first = std::max(at, n * 4), size = std::min(end, n * 4 + 4) - first;
        const Touch writer = block_.shared.writer[word], reader = block_.shared.reader[word],
                    other = block_.shared.other_reader[word];
        // Of two writes of the same value, or of what nobody knows, it does not matter which one stays; who reads while a copy of its own warp is under way is told
        // so elsewhere.
        const bool harmless =
            (a.direction == Access::store && !block_.run.knows_data) ||
            (knows && std::memcmp(value + (first - at), block_.shared.data.data() + first, size) == 0) ||
            (a.direction == Access::load && block_.shared.state[first] == SharedMemory::pending &&
             warp_of(writer) == w.index);
        const bool with_writer = !harmless && races(writer, w, op, lane, mask);
        if (with_writer) note_conflict(writer, true, lane, first);
        if (a.direction == Access::load) continue;
        const Touch read = races(reader, w, op, lane, mask)  ? reader
                           : races(other, w, op, lane, mask) ? other
                                                             : Touch{0};
        if (read) note_conflict(read, false, lane, first);
        if (!with_writer && !read) continue;
        unwritten_.note_race(n, w.index);
    }
}

void SharedRaces::note(const Warp& w, const Operation& op, const Access& a, int lane) {
    const uint64_t at = a.at[static_cast<size_t>(lane)], end = at + a.bytes;
    if (a.direction == Access::store && op.strength < Strength::atomic &&
        (at | a.bytes) % 4 == 0) { // nothing of who was there before stays
        constexpr uint32_t all_bytes = 15;
        std::fill_n(block_.shared.writer.data() + at / 4, a.bytes / 4,
                    block_.shared.touch(w.index, static_cast<uint32_t>(lane), all_bytes, op.pc));
        std::memset(block_.shared.state.data() + at, SharedMemory::written, a.bytes);
        return;
    }
    for (uint64_t n = at / 4; n <= (end - 1) / 4; ++n) {
        const auto word = static_cast<uint32_t>(n);
        const Touch touch = block_.shared.touch(w.index, static_cast<uint32_t>(lane), bytes_of_word(n, at, end), op.pc);
        // Atomics leave a plain write before them in sight: it is what others' atomics are in conflict with.
        const Touch writer = block_.shared.writer[word];
        const bool stays = op.strength >= Strength::atomic && warp_of(writer) == w.index &&
                           block_.shared.recent(writer) && block_.program.strengths[pc_of(writer)] == Strength::weak;
        if (a.direction == Access::load) block_.shared.note_read(touch, word);
        else if (!stays) block_.shared.note_write(touch, word);
    }
    if (a.direction != Access::load) std::memset(block_.shared.state.data() + at, SharedMemory::written, a.bytes);
}

// As check(), of whole words with which nothing is wrong. False: that is not certain, and nothing was noted.
bool SharedRaces::note_unconflicted(const Warp& w, const Operation& op, const Access& a, uint32_t lanes) {
    uint64_t ones = a.bytes;
    for (int i = 0; i < 32; ++i) ones |= lanes >> i & 1 ? a.at[static_cast<size_t>(i)] : 0;
    if (ones % 4 != 0 || a.direction == Access::atomic || op.strength >= Strength::atomic) return false;
    constexpr uint32_t all_bytes = 15;
    LaneTouches touches{.warp = w.index,
                        .lanes = lanes,
                        .by = block_.shared.touch(w.index, 0, all_bytes, op.pc),
                        .at = a.at.data(),
                        .bytes = a.bytes,
                        .loads = a.direction == Access::load};
    if (a.pattern && lanes == a.active && std::has_single_bit(a.bytes)) {
        find_runs(*a.pattern);
        touches.run = a.pattern->overlaps ? nullptr : a.pattern->run; // of several lanes the last one is noted
        touches.runs = a.pattern->overlaps ? 0 : a.pattern->runs;
        touches.low = a.low;
    }
    return block_.program.vectors->touch_lanes(block_.view, touches);
}

// Notes who reads and writes which words, and finds races and reads of what was never written.
void SharedRaces::check(const Warp& w, const Operation& op, const Access& a, uint32_t lanes) {
    if (!block_.run.options.checks) return;
    block_.shared.enter_reads();
    if (a.direction != Access::load) product_reads_.write(w, op, a, lanes);
    const bool overlapping = a.direction == Access::store && op.stores_rows && (!a.pattern || a.pattern->overlaps);
    if (!overlapping && note_unconflicted(w, op, a, lanes)) return;
    mbarriers_.check(w, op, a, lanes, mbarriers_);
    unwritten_.check(w, op, a, lanes);
    if (overlapping) check_overlaps(block_, report_, w, op, a, lanes, Space::shared);
    for (int i = 0; i < 32; ++i)
        if (lanes >> i & 1) look_for_conflicts(w, op, a, i);
    for (int i = 0; i < 32; ++i)
        if (lanes >> i & 1) note(w, op, a, i);
    for (const Conflict& c : conflicts_) report(w, op, a, c);
    conflicts_.clear();
    if (op.strength >= Strength::atomic) synchronise(w, op, a, lanes);
}

// Warps release and acquire through words of shared memory (manual, section 8.8, "Release and acquire patterns"). A fence and then an
// atomic access releases, as does one with .release. An atomic access acquires: the fence that belongs after it is not asked for.
void SharedRaces::synchronise(const Warp& w, const Operation& op, const Access& a, uint32_t lanes) {
    const auto each_word = [&](auto f) {
        for (size_t i = 0; i < trace::warp_size; ++i)
            if (lanes >> i & 1) f(a.at[i] / 4);
    };
    if (!released_.empty())
        each_word([&](uint64_t word) {
            if (const auto known = released_.find(word); known != released_.end())
                block_.shared.acquire(w.index, known->second);
        });
    if (block_.program.cluster.count() > 1) cluster_races_.synchronise(w, op, a, lanes, cluster_races_);
    if (a.direction == Access::load || !(w.fenced || op.strength == Strength::publishes)) return;
    const VectorClock mine =
        op.strength == Strength::publishes ? block_.shared.release(w.index) : block_.shared.release_at_fence(w.index);
    each_word([&](uint64_t word) { join(released_[word], mine); });
}

void SharedRaces::report(const Warp& w, const Operation& op, const Access& a, const Conflict& c) {
    const uint32_t pc = pc_of(c.before), warp = warp_of(c.before), lane = lane_of(c.before);
    const int64_t one = report_.place(op.pc);
    const int64_t two = report_.place(pc);
    const FindingKey pair{
        trace::FindingKind::shared_race, std::min(one, two),
        with_array(std::max(one, two), report_.names.shared_array(c.at))}; // the same, whichever came first
    const bool inside = warp == w.index;
    const auto severity = inside && is_in_step(w, lane) ? trace::Severity::warning : trace::Severity::error;
    if (report_.count_known(pair, severity)) return;
    trace::Finding f = report_.about(
        trace::FindingKind::shared_race, w, op, c.lanes,
        base::say(
            "lane {} of warp {} {} {}, which lane {} of {} {} {} with no {} between (byte {} of shared memory; {} by {}; {} by {})",
            __builtin_ctz(c.lanes), w.index, verb(a), report_.names.shared(op, c.at), lane,
            inside ? base::say("the same warp") : base::say("warp {}", warp),
            c.wrote ? base::say("wrote") : base::say("read"), report_.place_text(pc),
            inside ? base::say("barrier or {}", base::verbatim("__syncwarp")) : base::say("barrier"), c.at,
            report_.statement(op.pc), lanes_text(c.lanes), report_.statement(pc), lanes_text(c.lanes_before)));
    f.severity = severity;
    f.other = report_.other_access(pc, block_.index, warp, c.lanes_before);
    report_.add(pair, std::move(f));
}

} // namespace sim
