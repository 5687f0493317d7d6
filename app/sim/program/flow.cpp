#include "sim/program/flow.h"

#include <algorithm>

namespace sim {

Graph graph_of(const std::vector<Operation>& operations, const std::vector<std::vector<uint32_t>>& tables) {
    const auto size = static_cast<uint32_t>(operations.size());
    std::vector<bool> leader(size + 1, false);
    std::vector<uint32_t> to;
    leader[0] = true;
    for (uint32_t n = 0; n < size; ++n) {
        if (operations[n].flow != Flow::branch && operations[n].flow != Flow::multiway &&
            operations[n].flow != Flow::exit)
            continue;
        leader[n + 1] = true;
        successors(operations, tables, n, to);
        for (uint32_t t : to) leader[t] = true;
    }
    Graph g;
    g.block_of.resize(size + 1);
    for (uint32_t n = 0; n < size; ++n) {
        if (leader[n]) g.first.push_back(n);
        g.block_of[n] = static_cast<uint32_t>(g.first.size() - 1);
    }
    g.block_of[size] = static_cast<uint32_t>(g.first.size());
    g.first.push_back(size);
    g.next.resize(g.first.size());
    g.previous.resize(g.first.size());
    for (uint32_t b = 0; b + 1 < g.first.size(); ++b) {
        successors(operations, tables, g.first[b + 1] - 1, to);
        for (uint32_t t : to) {
            if (std::find(g.next[b].begin(), g.next[b].end(), g.block_of[t]) != g.next[b].end()) continue;
            g.next[b].push_back(g.block_of[t]);
            g.previous[g.block_of[t]].push_back(b);
        }
    }
    return g;
}

void successors(const std::vector<Operation>& operations, const std::vector<std::vector<uint32_t>>& tables, uint32_t n,
                std::vector<uint32_t>& out) {
    const Operation& op = operations[n];
    out.clear();
    if (op.flow == Flow::branch) out.push_back(op.target);
    if (op.flow == Flow::multiway)
        out.insert(out.end(), tables[op.detail.number].begin(), tables[op.detail.number].end());
    if (op.flow == Flow::exit) out.push_back(static_cast<uint32_t>(operations.size()));
    const bool falls =
        op.guard != no_row || (op.flow != Flow::branch && op.flow != Flow::multiway && op.flow != Flow::exit);
    if (falls) out.push_back(op.flow == Flow::multiway ? op.target : n + 1);
}

} // namespace sim
