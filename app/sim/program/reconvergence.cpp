// Where lanes that a branch has parted meet again, and which of them go first.
#include "sim/program/passes.h"

namespace sim {

void find_reconvergence(Assembly& a) {
    std::vector<Operation>& operations = a.program.operations;
    const Graph& g = a.graph;
    const base::Dominators after(g.previous, g.next, g.exit());
    for (uint32_t n = 0; n < operations.size(); ++n) {
        if (operations[n].flow != Flow::branch && operations[n].flow != Flow::multiway) continue;
        if (const auto said = a.draft.meet.find(n); said != a.draft.meet.end()) {
            operations[n].reconverge = said->second;
            continue;
        }
        const uint32_t block = g.block_of[n]; // of an endless loop's there is no way to the exit: they meet there
        operations[n].reconverge = g.first[after.reached(block) ? after.parent(block) : g.exit()];
    }
}

namespace {

// Whether lanes that come to it wait for other threads.
bool waits(const Operation& op) {
    return row_of(op.what).meets_lanes || op.flow == Flow::barrier || op.flow == Flow::cluster || op.flow == Flow::poll;
}

} // namespace

void order_branches(Assembly& a) {
    std::vector<Operation>& operations = a.program.operations;
    const Graph& g = a.graph;
    std::vector<bool> block_waits(g.next.size(), false);
    for (uint32_t n = 0; n < operations.size(); ++n)
        if (waits(operations[n])) block_waits[g.block_of[n]] = true;
    uint64_t patience = 1 << 22; // blocks to look at, whatever somebody generates
    const auto waits_before = [&](uint32_t from, uint32_t meet) {
        std::vector<bool> seen(g.next.size(), false);
        std::vector<uint32_t> open{from};
        seen[from] = seen[meet] = true;
        while (!open.empty()) {
            const uint32_t at = open.back();
            open.pop_back();
            if (block_waits[at] || patience == 0) return true;
            --patience;
            for (const uint32_t next : g.next[at]) {
                if (seen[next]) continue;
                seen[next] = true;
                open.push_back(next);
            }
        }
        return false;
    };
    for (uint32_t n = 0; n < operations.size(); ++n) {
        Operation& op = operations[n];
        if (op.flow != Flow::branch || op.guard == no_row || op.target == op.reconverge || n + 1 == op.reconverge)
            continue;
        if (a.draft.meet.contains(n)) { // the hardware goes on with those that do not branch
            op.falls_first = true;
            continue;
        }
        const uint32_t meet = g.block_of[op.reconverge];
        op.falls_first = waits_before(g.block_of[op.target], meet) && !waits_before(g.block_of[n + 1], meet);
    }
}

} // namespace sim
