// The nodes of a graph through which every way from its root leads.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace base {

using Edges = std::vector<std::vector<uint32_t>>; // [node]: its neighbours one way

// Nodes reached from `root`, each after those that it leads to (but for ways back).
std::vector<uint32_t> post_order(const Edges& next, uint32_t root);

// A tree with the root on top, each node below the last node through which every way to it leads. With the edges turned round
// and the exit as root these are the post-dominators.
class Dominators {
public:
    static constexpr uint32_t none = std::numeric_limits<uint32_t>::max();

    Dominators(const Edges& next, const Edges& previous, uint32_t root);

    bool reached(uint32_t node) const { return parent_[node] != none; }
    uint32_t parent(uint32_t node) const {
        return parent_[node] == node ? none : parent_[node];
    } // none: the root, or not reached
    bool dominates(uint32_t a, uint32_t b) const {
        return reached(a) && reached(b) && first_[a] <= first_[b] && last_[b] <= last_[a];
    }

private:
    uint32_t common(uint32_t a, uint32_t b) const;
    void number();

    std::vector<uint32_t> parent_, order_;
    std::vector<uint32_t> first_,
        last_; // an ancestor's interval holds its descendants'; last_ is the rank in the post order until numbered
};

} // namespace base
