// How what a block does depends on its index. The technique is concolic execution (King 1976, "Symbolic Execution and Program Testing";
// Godefroid, Klarlund, Sen 2005, "DART"): the block's index is symbolic, everything else is concrete. Each register is a number that
// threads and loops may change, plus a linear form of the index (register = concrete + form). A block is executed once and notes between
// which values its comparisons were (Block::note_form); with the forms of what was compared these say how far a form may move for the
// same outcome: the path condition. All blocks that fulfil it execute the same instructions for the same lanes.
#pragma once

#include "base/result.h"
#include "sim/bounds.h"

#include <algorithm>
#include <memory>

namespace sim {

class BlockForms { // not for several threads at a time
public:
    // Error: which instruction depends on the block in another way (on what it loads, say), so that no block can stand for another.
    static base::Result<std::shared_ptr<BlockForms>> of(const Program&, const Launch&);
    BlockForms(std::shared_ptr<const Program> with_own_rows, const Launch&);

    // What is executed of the program, and watched.
    const Program& program() const { return *program_; }
    const Dependences& dependences() const { return dependences_; }

    // Calls f(number of the cluster) for each cluster whose blocks do the same as those of `like`, which told this, by rank. Some that do
    // may be missing. Kernels without clusters have clusters of one block.
    template <class F>
    void each_like(base::Dim3 like, std::span<const PathCondition> told, F f);

private:
    struct Bound { // on a form that has one
        Form form = no_form;
        Bounds bounds;
        int axis = -1; // FormTable::axis_of
    };
    std::vector<Bound> bounds(const PathCondition&);
    static int64_t minus(int64_t a, int64_t b) { return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b)); }

    const std::shared_ptr<const Program> own_;
    const base::Dim3 grid_;
    const Code code_;
    FormTable table_;
    UniformValues uniform_;
    RegisterForms forms_;
    Slice slice_;
    Dependences dependences_;
    std::shared_ptr<const Program> program_;
};

// Most kernels' forms are of one coordinate each, so each coordinate is looked at once and not each block.
template <class F>
void BlockForms::each_like(base::Dim3 like, std::span<const PathCondition> told, F f) {
    struct OfRank {
        base::Dim3 place;
        std::vector<Bound> bounds;
    };
    const base::Dim3 shape = program_->cluster, clusters{grid_.x / shape.x, grid_.y / shape.y, grid_.z / shape.z};
    const auto block = [&](base::Dim3 cluster, base::Dim3 place) { return base::Dim3{cluster.x * shape.x + place.x, cluster.y * shape.y + place.y, cluster.z * shape.z + place.z}; };
    std::vector<bool> allowed[3] = {std::vector<bool>(clusters.x, true), std::vector<bool>(clusters.y, true), std::vector<bool>(clusters.z, true)};
    std::vector<OfRank> mixed;
    for (size_t rank = 0; rank < told.size(); ++rank) {
        mixed.push_back({base::position(rank, shape), bounds(told[rank])});
        const base::Dim3 place = mixed.back().place;
        std::erase_if(mixed.back().bounds, [&](const Bound& b) {
            if (b.axis < 0) return false;
            const int64_t here = table_.value(b.form, block(like, place));
            base::Dim3 at = like;
            uint32_t& coordinate = b.axis == 0 ? at.x : b.axis == 1 ? at.y : at.z;
            for (coordinate = 0; coordinate < allowed[b.axis].size(); ++coordinate)
                if (allowed[b.axis][coordinate] && !b.bounds.hold(minus(table_.value(b.form, block(at, place)), here))) allowed[b.axis][coordinate] = false;
            return true;
        });
    }
    const auto fulfils = [&](const OfRank& r, base::Dim3 at) {
        return std::all_of(r.bounds.begin(), r.bounds.end(), [&](const Bound& b) { return b.bounds.hold(minus(table_.value(b.form, block(at, r.place)), table_.value(b.form, block(like, r.place)))); });
    };
    std::vector<uint32_t> columns;
    for (uint32_t x = 0; x < clusters.x; ++x)
        if (allowed[0][x]) columns.push_back(x);
    std::erase_if(mixed, [](const OfRank& r) { return r.bounds.empty(); });
    for (uint32_t z = 0; z < clusters.z; ++z)
        for (uint32_t y = 0; allowed[2][z] && y < clusters.y; ++y) {
            if (!allowed[1][y]) continue;
            const uint64_t row = base::index_of({0, y, z}, clusters);
            for (const uint32_t x : columns)
                if (mixed.empty() || std::all_of(mixed.begin(), mixed.end(), [&](const OfRank& r) { return fulfils(r, {x, y, z}); })) f(row + x);
        }
}

} // namespace sim
