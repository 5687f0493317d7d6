#include "analysis/loops.h"

#include "base/dominators.h"

#include <algorithm>

namespace analysis {
namespace {

using base::Dominators;

struct Graph { // blocks, and one node more that everything that leaves the kernel leads to
    uint32_t exit = 0;
    base::Edges next, previous;
};

std::vector<uint32_t> number_blocks(std::span<const Step> steps) {
    std::vector<bool> leads(steps.size() + 1);
    for (size_t i = 0; i < steps.size(); ++i) {
        const Step& s = steps[i];
        if (s.target >= 0 && s.target < static_cast<int64_t>(steps.size())) leads[static_cast<size_t>(s.target)] = true;
        if (s.ends || s.conditional) leads[i + 1] = true;
    }
    std::vector<uint32_t> block(steps.size());
    for (size_t i = 1; i < steps.size(); ++i) block[i] = block[i - 1] + (leads[i] ? 1 : 0);
    return block;
}

Graph graph_of(std::span<const Step> steps, const std::vector<uint32_t>& block) {
    Graph g;
    g.exit = block.empty() ? 0 : block.back() + 1;
    g.next.resize(g.exit + 1);
    g.previous.resize(g.exit + 1);
    const auto connect = [&](uint32_t from, uint32_t to) {
        if (std::find(g.next[from].begin(), g.next[from].end(), to) != g.next[from].end()) return;
        g.next[from].push_back(to);
        g.previous[to].push_back(from);
    };
    const auto block_at = [&](int64_t i) {
        return i < static_cast<int64_t>(steps.size()) ? block[static_cast<size_t>(i)] : g.exit;
    };
    for (size_t i = 0; i < steps.size(); ++i) {
        const auto next = static_cast<int64_t>(i) + 1;
        if (block_at(next) == block[i]) continue; // not the block's last
        const Step& s = steps[i];
        if (s.ends) connect(block[i], s.target < 0 ? g.exit : block_at(s.target));
        if (!s.ends || s.conditional) connect(block[i], block_at(next));
    }
    return g;
}

// [block]: heads of the loops around it, ascending. A loop is a jump back to a block that dominates it, and all that leads there.
std::vector<std::vector<uint32_t>> loops_around(const Graph& g, const Dominators& before) {
    std::vector<std::vector<uint32_t>> around(g.exit + 1);
    for (uint32_t head = 0; head < g.exit; ++head) {
        std::vector<uint32_t> body;
        for (uint32_t from : g.previous[head])
            if (before.dominates(head, from)) body.push_back(from);
        if (body.empty()) continue;
        around[head].push_back(head);
        while (!body.empty()) {
            const uint32_t node = body.back();
            body.pop_back();
            if (!around[node].empty() && around[node].back() == head) continue;
            around[node].push_back(head);
            for (uint32_t from : g.previous[node])
                if (before.reached(from)) body.push_back(from);
        }
    }
    return around;
}

} // namespace

Loops loops(std::span<const Step> steps) {
    Loops found;
    if (std::any_of(steps.begin(), steps.end(), [](const Step& s) { return s.indirect; })) return found;
    found.known = true;
    found.block = number_blocks(steps);
    if (steps.empty()) return found;
    const Graph g = graph_of(steps, found.block);
    found.around = loops_around(g, Dominators(g.next, g.previous, 0));
    return found;
}

Loops loops(const trace::MachineListing& code) {
    std::vector<Step> steps;
    for (const trace::MachineInstruction& i : code.instructions)
        steps.push_back({i.ends && i.conditional(), i.ends, i.indirect, i.ends ? i.target : -1});
    return loops(steps);
}

} // namespace analysis
