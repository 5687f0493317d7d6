// The blocks that fulfil conditions on forms of their index (bounds.h). Most forms are of one coordinate each, so each coordinate is looked
// at once and not each block; and most are linear in it, so they are followed step by step.
#pragma once

#include "sim/kinds/bounds.h"

namespace sim {

class Likeness {
public:
    // Kernels without clusters have clusters of one block.
    Likeness(const FormTable& table, base::Dim3 grid, base::Dim3 cluster, base::Dim3 like);
    // Of the block at this place in its cluster.
    void require(Form, const Bounds&, base::Dim3 place);

    // Calls f(number of the first cluster of a row, columns) for the clusters that are like the one that is compared with.
    template <class F>
    void each_row(F f);

private:
    struct Condition {
        Form form = no_form;
        Bounds bounds;
        base::Dim3 place;
        int axis = -1; // of which alone; -1: of several
        bool linear = false;
        int64_t step = 0; // then: from column to column, or along its axis
    };
    int64_t difference(const Condition&, base::Dim3 cluster) const; // from the cluster that is compared with
    base::Dim3 block(base::Dim3 cluster, base::Dim3 place) const;
    void exclude(const Condition&);
    void find_columns();
    bool narrow(const Condition&, base::Dim3 row);

    const FormTable& table_;
    const base::Dim3 shape_, clusters_, like_;
    std::vector<Condition> single_, mixed_;
    std::vector<bool> allowed_[3];
    std::vector<uint32_t> columns_, row_; // allowed ones; those of a row
};

template <class F>
void Likeness::each_row(F f) {
    find_columns();
    base::Dim3 at{0, 0, 0};
    for (at.z = 0; at.z < clusters_.z; ++at.z)
        for (at.y = 0; allowed_[2][at.z] && at.y < clusters_.y; ++at.y) {
            if (!allowed_[1][at.y]) continue;
            row_ = columns_;
            if (std::all_of(mixed_.begin(), mixed_.end(), [&](const Condition& c) { return narrow(c, at); }))
                f(base::index_of(at, clusters_), row_);
        }
}

} // namespace sim
