#include "base/dominators.h"

#include <algorithm>
#include <utility>

namespace base {

std::vector<uint32_t> post_order(const Edges& next, uint32_t root) {
    std::vector<uint32_t> order;
    std::vector<bool> seen(next.size());
    std::vector<std::pair<uint32_t, size_t>> stack{{root, 0}};
    seen[root] = true;
    while (!stack.empty()) {
        auto& [node, edge] = stack.back();
        if (edge == next[node].size()) {
            order.push_back(node);
            stack.pop_back();
        } else if (const uint32_t to = next[node][edge++]; !seen[to]) {
            seen[to] = true;
            stack.push_back({to, 0});
        }
    }
    return order;
}

// Cooper, Harvey, Kennedy: "A simple, fast dominance algorithm".
Dominators::Dominators(const Edges& next, const Edges& previous, uint32_t root)
    : parent_(next.size(), none), order_(post_order(next, root)), first_(next.size(), none), last_(next.size(), none) {
    for (uint32_t i = 0; i < order_.size(); ++i) last_[order_[i]] = i;
    parent_[root] = root;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = order_.size() - 1; i-- > 0;) {
            const uint32_t node = order_[i];
            uint32_t meet = none;
            for (uint32_t p : previous[node])
                if (parent_[p] != none) meet = meet == none ? p : common(meet, p);
            changed = changed || parent_[node] != meet;
            parent_[node] = meet;
        }
    }
    number();
}

uint32_t Dominators::common(uint32_t a, uint32_t b) const {
    while (a != b) {
        while (last_[a] < last_[b]) a = parent_[a];
        while (last_[b] < last_[a]) b = parent_[b];
    }
    return a;
}

void Dominators::number() {
    Edges children(parent_.size());
    const uint32_t root = order_.back();
    for (uint32_t node : order_)
        if (node != root) children[parent_[node]].push_back(node);
    const std::vector<uint32_t> order = post_order(children, root);
    for (uint32_t i = 0; i < order.size(); ++i) {
        const uint32_t node = order[i];
        first_[node] = last_[node] = i;
        for (uint32_t child : children[node]) first_[node] = std::min(first_[node], first_[child]);
    }
}

} // namespace base
