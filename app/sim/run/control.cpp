#include "sim/run/control.h"

#include "sim/program/flow.h"
#include "sim/program/program.h"

#include <algorithm>
#include <bit>
#include <vector>

namespace sim {

// elect.sync (manual, section 9.7.13.14). rows: the leader, whether the lane is it, the members.
void elect_lane(Warp& w, const Operation& op, uint32_t active) {
    const uint32_t members = active & row<uint32_t>(w, op.row[2])[__builtin_ctz(active)];
    const uint32_t leader = members ? static_cast<uint32_t>(__builtin_ctz(members)) : 0;
    for (uint32_t i = 0; i < 32 && op.row[0] != no_row; ++i)
        if (active >> i & 1) row<uint32_t>(w, op.row[0])[i] = leader;
    if (op.row[1] == no_row) return;
    uint32_t* p = row<uint32_t>(w, op.row[1]);
    *p = (*p & ~active) | (members ? 1u << leader : 0);
}

namespace {

// Whether what is at `at` does nothing but exit.
bool leaves(const std::vector<Operation>& operations, uint32_t at) {
    constexpr int most_jumps = 8; // from exit to exit
    for (int i = 0; i < most_jumps && at < operations.size(); ++i) {
        const Operation& op = operations[at];
        if (op.guard != no_row || (op.flow != Flow::branch && op.flow != Flow::exit)) return false;
        if (op.flow == Flow::exit) return true;
        at = op.target;
    }
    return at >= operations.size();
}

bool follows(const Program& program, uint32_t from, uint32_t to) {
    std::vector<bool> seen(program.operations.size(), false);
    std::vector<uint32_t> open{from}, next;
    while (!open.empty()) {
        const uint32_t at = open.back();
        open.pop_back();
        successors(program.operations, program.tables, at, next);
        for (const uint32_t n : next) {
            if (n == to) return true;
            if (n >= seen.size() || seen[n]) continue;
            seen[n] = true;
            open.push_back(n);
        }
    }
    return false;
}

} // namespace

namespace {

// Whether the path ends where those meet that part now.
bool ends_at(const Path& path, uint32_t meet) { return path.reconverge == meet && path.calls_at_meet == path.calls; }

} // namespace

void Control::branch(Warp& w, const Operation& op, uint32_t taken, uint32_t mask) {
    Path& path = w.path[w.depth - 1];
    if (taken == 0 || (!block_.program.leaving.empty() && leave(w, op, taken))) return;
    if (taken == mask) {
        path.pc = op.target;
        path.from = block_.number_of(op);
        path.calls += op.enters;
        return;
    }
    recorder_.diverged(op.pc);
    const uint32_t fall = path.pc, meet = op.reconverge, from = block_.number_of(op);
    const int64_t calls = path.calls;
    // The place to meet waits below the two parts, unless it is where this path ends anyway.
    if (ends_at(path, meet) && w.depth > 1) --w.depth;
    else path.pc = meet, path.from = from;
    const Path falling{.pc = fall, .reconverge = meet, .mask = mask & ~taken, .calls = calls, .calls_at_meet = calls};
    if (block_.program.joins_pending && std::popcount(taken) >= std::popcount(mask & ~taken))
        for (int i = w.depth; i-- > 0 && w.path[i].reconverge == meet && w.path[i].calls_at_meet == calls;)
            if (w.path[i].pc == op.target && w.path[i].calls == calls && fall != meet) {
                w.path[i].mask |= taken;
                w.path[w.depth++] = falling;
                return;
            }
    if (fall != meet) w.path[w.depth++] = falling;
    if (op.target != meet)
        w.path[w.depth++] = {.pc = op.target,
                             .reconverge = meet,
                             .mask = taken,
                             .from = from,
                             .calls = calls + op.enters,
                             .calls_at_meet = calls};
    if (op.falls_first) std::swap(w.path[w.depth - 1], w.path[w.depth - 2]);
}

// Lanes that leave a region in which they have parted from others: these no longer wait for them. Below all paths of the region come the lanes
// that left, and below those the place where all meet. False: the branch is another one, or nobody waits.
bool Control::leave(Warp& w, const Operation& op, uint32_t taken) {
    const auto left = block_.program.leaving.find(block_.number_of(op));
    if (left == block_.program.leaving.end()) return false;
    const std::vector<uint32_t>& regions = left->second;
    int base = w.depth - 1; // the path that waits for all parts of the region
    while (base > 0 && std::find(regions.begin(), regions.end(), w.path[base].reconverge) != regions.end()) --base;
    if (base == w.depth - 1) return false;
    recorder_.diverged(op.pc);
    Path outer = w.path[base];
    outer.pc = op.reconverge, outer.from = Path{}.from;
    std::vector<Path> paths;
    const bool others = (outer.mask & ~taken) != 0;
    if (others && outer.pc != outer.reconverge) paths.push_back(outer);
    Path leaving = w.path[w.depth - 1];
    leaving.pc = op.target, leaving.mask = taken, leaving.from = block_.number_of(op);
    leaving.reconverge = others ? outer.pc : outer.reconverge;
    leaving.calls_at_meet = others ? outer.calls : outer.calls_at_meet;
    paths.push_back(leaving);
    for (int i = base; i < w.depth; ++i) {
        Path part = w.path[i];
        if (i == base) part.reconverge = outer.pc, part.calls_at_meet = outer.calls;
        part.mask &= ~taken;
        if (part.mask) paths.push_back(part);
    }
    std::copy(paths.begin(), paths.end(), w.path + base);
    w.depth = base + static_cast<int>(paths.size());
    return true;
}

void Control::multiway(Warp& w, const Operation& op, uint32_t active) {
    const std::vector<uint32_t>& targets = block_.program.tables[op.detail.number];
    const std::vector<uint64_t>& callees =
        block_.program.callees[op.detail.number]; // of a call: the last entry of the table is for other addresses
    uint32_t number[trace::warp_size];
    for (uint32_t i = 0; i < trace::warp_size; ++i)
        number[i] =
            op.width[0] == 8
                ? static_cast<uint32_t>(std::find(callees.begin(), callees.end(), row<uint64_t>(w, op.row[0])[i]) -
                                        callees.begin())
                : row<uint32_t>(w, op.row[0])[i];
    Path& path = w.path[w.depth - 1];
    const uint32_t stay = path.mask & ~active, fall = op.target, meet = op.reconverge;
    if (active == 0) {
        path.pc = fall;
        return;
    }
    const int64_t calls = path.calls;
    uint32_t left = active;
    Path parts[trace::warp_size];
    int count = 0;
    while (left) {
        const uint32_t n = number[__builtin_ctz(left)];
        uint32_t same = 0;
        for (int i = 0; i < 32; ++i) same |= number[i] == n ? 1u << i : 0u;
        same &= left;
        left &= ~same;
        if (n >= targets.size()) {
            report_.finding(trace::FindingKind::out_of_bounds, w, op, same,
                            base::say("the branch's number {} is beyond its {} targets; the first one is taken", n,
                                      targets.size()));
        }
        parts[count++] = {.pc = targets[n < targets.size() ? n : 0],
                          .reconverge = meet,
                          .mask = same,
                          .calls = calls + op.enters,
                          .calls_at_meet = calls};
    }
    if (count == 1 && stay == 0) {
        path.pc = parts[0].pc;
        path.calls += op.enters;
        return;
    }
    if (ends_at(path, meet) && w.depth > 1) --w.depth;
    else path.pc = meet;
    if (stay && fall != meet)
        w.path[w.depth++] = {.pc = fall, .reconverge = meet, .mask = stay, .calls = calls, .calls_at_meet = calls};
    for (int i = count; i-- > 0;)
        if (parts[i].pc != meet) w.path[w.depth++] = parts[i];
}

void Control::turn_to_other_lanes(Warp& w) {
    if (w.depth < 2) return;
    Path &top = w.path[w.depth - 1], &next = w.path[w.depth - 2];
    if (top.reconverge == next.reconverge && top.pc != top.reconverge && next.pc != next.reconverge)
        std::swap(top, next);
}

bool Control::exit(Warp& w, uint32_t active) {
    w.live &= ~active;
    for (int i = 0; i < w.depth; ++i) w.path[i].mask &= ~active;
    while (w.depth > 0 && w.path[w.depth - 1].mask == 0) --w.depth;
    return w.live == 0 || w.depth == 0;
}

// A member mask (manual, section 9.7.9.6): who executes the instruction must be in it, and whoever is in it
// must execute it.
void Control::lanes_meet(const Warp& w, const Operation& op, uint32_t lanes, uint32_t named) {
    block_.shared.lanes_meet(w.index, lanes);
    enum : int64_t { strangers = -2, missing = -3 };
    const uint32_t strange = lanes & ~named;
    if (strange && !report_.known(trace::FindingKind::divergent_barrier, op, strangers))
        report_.finding(trace::FindingKind::divergent_barrier, w, op, strange,
                        base::say("the mask {:08x} does not name all who use it here: not {}; the result is "
                                  "undefined ({})",
                                  named, lanes_text(strange), report_.statement(op.pc)),
                        strangers);
    uint32_t absent = named & w.live & ~lanes;
    if (absent) absent &= ~leaving(w);
    if (absent && !report_.known(trace::FindingKind::divergent_barrier, op, missing))
        report_.finding(trace::FindingKind::divergent_barrier, w, op, absent,
                        base::say("the mask {:08x} names lanes that do not take part: {}; the result is undefined "
                                  "({})",
                                  named, lanes_text(absent), report_.statement(op.pc)),
                        missing, trace::Severity::warning);
}

uint32_t Control::leaving(const Warp& w) const {
    uint32_t placed = w.path[w.depth - 1].mask, leaving = 0;
    for (int i = w.depth - 1; i-- > 0;) { // a path below holds the lanes of those above it, too
        const uint32_t here = w.path[i].mask & ~placed;
        placed |= here;
        if (here && leaves(block_.program.operations, w.path[i].pc)) leaving |= here;
    }
    return leaving;
}

// Lanes exit at `op`, which `path` has just executed.
void Control::note_exit(const Path& path, const Operation& op) {
    const uint32_t at = block_.number_of(op);
    const bool jumped =
        path.from < block_.program.operations.size() && block_.program.operations[path.from].target == at;
    const uint32_t last = jumped ? path.from : at - (at > 0);
    if (std::find(left_after_.begin(), left_after_.end(), last) == left_after_.end()) left_after_.push_back(last);
}

bool Control::passed_by(const Operation& barrier) const {
    return std::any_of(left_after_.begin(), left_after_.end(), [&](uint32_t last) {
        return last == block_.number_of(barrier) ||
               follows(block_.program, block_.number_of(barrier), last); // itself: not executed under its guard
    });
}

} // namespace sim
