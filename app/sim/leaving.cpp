// Threads that leave the kernel before a barrier, and threads that pass it by.
//
// A barrier waits for the threads of the block that have not exited (PTX ISA, bar), so `if (i >= n) return;` before it
// is fine. What is not, is to go around a barrier and on behind it. In PTX both end in the same exit; they differ in
// what the threads executed last before that.
#include "sim/block.h"
#include "sim/flow.h"

#include <algorithm>

namespace sim {
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

// The lanes of the warp that are on their way to the exit, with nothing left to do; none of the path that runs.
uint32_t Block::leaving(const Warp& w) const {
    uint32_t placed = w.path[w.depth - 1].mask, leaving = 0;
    for (int i = w.depth - 1; i-- > 0;) { // a path below holds the lanes of those above it, too
        const uint32_t here = w.path[i].mask & ~placed;
        placed |= here;
        if (here && leaves(program_.operations, w.path[i].pc)) leaving |= here;
    }
    return leaving;
}

// Lanes exit at `op`, which `path` has just executed.
void Block::note_exit(const Path& path, const Operation& op) {
    const uint32_t at = number_of(op);
    const bool jumped = path.from < program_.operations.size() && program_.operations[path.from].target == at;
    const uint32_t last = jumped ? path.from : at - (at > 0);
    if (std::find(left_after_.begin(), left_after_.end(), last) == left_after_.end()) left_after_.push_back(last);
}

// Whether threads that have exited had been behind this barrier without waiting at it.
bool Block::passed_by(const Operation& barrier) const {
    return std::any_of(left_after_.begin(), left_after_.end(), [&](uint32_t last) {
        return last == number_of(barrier) ||
               follows(program_, number_of(barrier), last); // itself: not executed under its guard
    });
}

} // namespace sim
