#include "sim/checks/unwritten_reads.h"

#include "sim/run/copies.h"

#include <utility>

namespace sim {

void UnwrittenReads::check(const Warp& w, const Operation& op, const Access& a, uint32_t lanes) {
    uint32_t unwritten = 0, pending = 0;
    const auto unsure = block_.program.unsure_elements.find(block_.number_of(op));
    const uint32_t unused = unsure == block_.program.unsure_elements.end() ? 0 : unsure->second;
    for (int i = 0; i < 32; ++i) {
        if (!(lanes >> i & 1)) continue;
        const uint8_t* state = block_.shared.state.data() + a.at[static_cast<size_t>(i)];
        for (uint32_t n = 0; n < a.bytes; ++n) {
            const bool used = unused == 0 || !(unused >> n / op.bytes & 1); // its element
            if (state[n] == SharedMemory::unwritten && a.direction != Access::store && used) unwritten |= 1u << i;
            if (state[n] == SharedMemory::pending) pending |= 1u << i;
        }
    }
    const bool copies =
        block_.program.listing->instructions[op.pc].kind == trace::Kind::async_copy && a.direction == Access::store;
    if (copies && pending) pending = copies_.copied_over(w, op, a, pending);
    if (unwritten) note_unwritten(w, op, a, unwritten);
    if (pending) report_pending(w, op, a, pending, copies);
}

void UnwrittenReads::note_unwritten(const Warp& w, const Operation& op, const Access& a, uint32_t lanes) {
    constexpr auto kind = trace::FindingKind::uninitialised_shared;
    const int lane = __builtin_ctz(lanes);
    const uint64_t at = a.at[static_cast<size_t>(lane)];
    const int64_t array = report_.names.shared_array(at);
    if (report_.gave_up() || report_.known(kind, op, array)) return;
    const base::Sentence text =
        base::say("lane {} reads {}, which nothing has written", lane, report_.names.shared(op, at));
    constexpr size_t most = 64;
    if (reads_.size() >= most) return report_.finding(kind, w, op, lanes, text, array);
    for (const Read& r : reads_)
        if (r.key == report_.key(kind, op, array)) return;
    reads_.push_back(
        {.key = report_.key(kind, op, array), .finding = report_.about(kind, w, op, lanes, text), .at = at});
}

// `copies`: the access is an asynchronous copy itself.
void UnwrittenReads::report_pending(const Warp& w, const Operation& op, const Access& a, uint32_t lanes, bool copies) {
    constexpr auto kind = trace::FindingKind::unwaited_async_copy;
    const int lane = __builtin_ctz(lanes);
    const uint64_t at = a.at[static_cast<size_t>(lane)];
    const int64_t array = report_.names.shared_array(at);
    if (report_.gave_up() || report_.known(kind, op, array)) return;
    const base::Sentence name = report_.names.shared(op, at);
    report_.finding(
        kind, w, op, lanes,
        copies ? base::say("lane {} copies to {} before the wait for the asynchronous copy that goes there already",
                           lane, name)
               : base::say("lane {} {} {} before the wait for the asynchronous copy to it", lane,
                           a.direction == Access::store ? base::say("writes") : base::say("reads"), name),
        array);
}

void UnwrittenReads::note_race(uint64_t word, uint32_t writer) {
    for (Read& r : reads_) r.raced |= r.at / 4 == word && r.finding.warp != static_cast<int>(writer);
}

// What another warp has written meanwhile was no matter of never being written, but of being read too early.
void UnwrittenReads::settle() {
    for (Read& r : reads_)
        if (!r.raced && !report_.gave_up()) report_.add(r.key, std::move(r.finding));
    reads_.clear();
}

} // namespace sim
