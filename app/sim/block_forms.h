// How what a block does depends on its index. The technique is concolic execution (King 1976, "Symbolic Execution and Program Testing";
// Godefroid, Klarlund, Sen 2005, "DART"): the block's index is symbolic, everything else is concrete. Each register is a number that
// threads and loops may change, plus a linear form of the index (register = concrete + form). A block is executed once and notes between
// which values its comparisons were (Block::note_form); with the forms of what was compared these say how far a form may move for the
// same outcome: the path condition. All blocks that fulfil it execute the same instructions for the same lanes.
#pragma once

#include "base/dim3.h"
#include "sim/program.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace sim {

using Form = uint32_t;      // a number in BlockForms::forms
constexpr Form no_form = 0; // of what is the same in every block
struct Term {
    uint32_t variable = 0;
    int64_t factor = 0;     // modulo 2^64
    bool operator==(const Term&) const = default;
    auto operator<=>(const Term&) const = default;
};

__extension__ using Wide = __int128; // of differences of 64-bit numbers

// An operation that may compare, extend or choose between what has forms.
struct Watch {
    enum Kind : uint8_t {
        compare, // rows `slot` and `slot` + 1
        range,   // the same: a result that is extended, shifted to the right or put together of bits
        divide,  // row `slot`, by a number: quotient or remainder
        choose,  // the predicate in row 3 chooses between rows 1 and 2
        generic, // whether the address lies in global memory
        box,     // of a tensor copy: indices in rows 2 and following
    } kind = range;
    enum Order : uint8_t { equality, less, less_or_equal };
    Order order = less;
    uint8_t slot = 1;
    uint8_t bits[2] = {32, 32};    // of the two rows; 0: there is none
    bool is_signed = false;
    uint64_t divisor = 1;
    uint32_t operation = 0;
    Handler full = nullptr, masked = nullptr; // of the operation; in it stands one that looks first
};

// What one block was seen to do there.
struct Noted {
    struct Range { // of all lanes, each time; none: low > high
        Wide low = INT64_MAX, high = INT64_MIN;
        void add(Wide v) { low = v < low ? v : low, high = v > high ? v : high; }
        bool any() const { return low <= high; }
    };
    Range value[2];            // of the rows; of divide: of the row and of the remainder
    Range below, equal, above; // of their difference: less than nothing, nothing (of equality only) and more, with which the order begins
    bool chosen[2] = {};       // some lane took the first, the second
    bool elsewhere = false;    // a generic address that leads to no global memory
    struct Index {             // of a box
        Range at;
        int64_t last = 0;      // at which it lies in the tensor
        uint64_t step = 0;     // bytes
    } index[5];
};

// What an executed block tells: how blocks must be to do the same.
struct PathCondition {
    std::vector<Noted> noted;           // by watch
    struct Reached {                    // in one buffer; `exact`: in several
        uint64_t low = ~uint64_t{0}, end = 0, first = 0, last = 0; // addresses; of the buffer
        bool exact = false;
    };
    std::vector<Reached> reached;       // by BlockForms::accesses()
};

// How much a form may differ from its value in the block that was executed.
struct Bounds {
    int64_t low = INT64_MIN, high = INT64_MAX;
    uint64_t modulus = 1; // a power of two: by a multiple of it
    void within(Wide least, Wide most);
    void exact() { low = high = 0; }
    void multiple(uint64_t of) { modulus = of > modulus ? of : modulus; }
    bool hold(int64_t difference) const {
        return low <= difference && difference <= high && (static_cast<uint64_t>(difference) & (modulus - 1)) == 0;
    }
    bool always() const { return low == INT64_MIN && high == INT64_MAX && modulus == 1; }
};

class FormFinder;

class BlockForms { // not for several threads at a time
public:
    // Error: which instruction depends on the block in another way (on what it loads, say), so that no block can stand for another.
    static base::Result<std::shared_ptr<BlockForms>> of(const Program&, const Launch&);
    ~BlockForms();

    // The program with the operations that are watched.
    const Program& program() const { return *program_; }
    std::span<const Watch> watches() const { return watches_; }
    uint32_t watch_of(uint32_t operation) const { return watch_of_[operation]; } // of those that are watched
    std::span<const uint32_t> accesses() const { return accesses_; } // operations that reach global memory by an address with a form

    // Calls f(number of the cluster) for each cluster whose blocks do the same as those of `like`, which told this, by rank. Some that do
    // may be missing. Kernels without clusters have clusters of one block.
    template <class F>
    void each_like(base::Dim3 like, std::span<const PathCondition> told, F f);

    static constexpr uint64_t sector = 32; // bytes of global memory: what counts of an address

private:
    friend class FormFinder;
    struct Variable { // of the index: a coordinate, or what the kernel computes of the index alone
        ptx::Special special = ptx::Special::count_; // count_: computed
        RowAt row = no_row;                          // then; no_row: `form` divided by `divisor`, rounded down
        uint8_t width = 4;
        Form form = no_form;
        uint64_t divisor = 1;
        std::vector<int64_t> values;                 // of the row, by block
    };
    struct Bound { // on a form that has one
        Form form = no_form;
        Bounds bounds;
        int axis = -1; // the one coordinate that it is of
    };
    std::vector<Bound> bounds(const PathCondition&);
    int axis_of(Form) const;
    int64_t value(Form form, base::Dim3 block) const { return value(std::span<const Term>(forms_[form]), block); }
    int64_t value(std::span<const Term>, base::Dim3 block) const;
    int64_t value(const Variable&, base::Dim3 block) const;

    static int64_t minus(int64_t a, int64_t b) { return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b)); }

    std::shared_ptr<const Program> program_;
    base::Dim3 grid_;
    std::vector<Variable> variables_;
    std::vector<std::vector<Term>> forms_{{}};
    std::vector<Watch> watches_;
    std::vector<uint32_t> watch_of_, accesses_;
    std::unique_ptr<FormFinder> finder_;
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
            const int64_t here = value(b.form, block(like, place));
            base::Dim3 at = like;
            uint32_t& coordinate = b.axis == 0 ? at.x : b.axis == 1 ? at.y : at.z;
            for (coordinate = 0; coordinate < allowed[b.axis].size(); ++coordinate)
                if (allowed[b.axis][coordinate] && !b.bounds.hold(minus(value(b.form, block(at, place)), here))) allowed[b.axis][coordinate] = false;
            return true;
        });
    }
    const auto fulfils = [&](const OfRank& r, base::Dim3 at) {
        return std::all_of(r.bounds.begin(), r.bounds.end(), [&](const Bound& b) { return b.bounds.hold(minus(value(b.form, block(at, r.place)), value(b.form, block(like, r.place)))); });
    };
    base::Dim3 at;
    for (at.z = 0; at.z < clusters.z; ++at.z)
        for (at.y = 0; allowed[2][at.z] && at.y < clusters.y; ++at.y)
            for (at.x = 0; allowed[1][at.y] && at.x < clusters.x; ++at.x)
                if (allowed[0][at.x] && std::all_of(mixed.begin(), mixed.end(), [&](const OfRank& r) { return fulfils(r, at); })) f(base::index_of(at, clusters));
}

} // namespace sim
