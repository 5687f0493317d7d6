// Products of a warpgroup (manual, section 9.7.15): four warps, each of which computes 16 of the 64 rows.
// They are asynchronous: the accumulators are written when the warp waits for their group, and nobody may
// write to what they read before that.
#pragma once

#include "sim/checks/product_reads.h"
#include "sim/checks/report.h"
#include "sim/program/warpgroup.h"
#include "sim/run/block_context.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sim {

class SharedRaces;

class Products {
public:
    Products(BlockContext&, Report&, SharedRaces&, ProductReads&);
    void reset();

    // Instructions.
    void begin(const Warp&, const Operation&, uint32_t active);
    void commit(const Warp& w) { ++of(w).committed; }
    void wait(const Warp&, uint32_t still_pending); // groups
    // An operation of Program::accumulator_uses: checks whether its registers belong to a product, and executes it.
    void execute_other(Warp&, const Operation&, uint32_t active);
    // The warp exits.
    void abandon(const Warp&);

    // Rows of A or columns of B, as a product found them when it began.
    struct Operand {
        ProductReads::Operand in_memory;
        std::vector<uint64_t> elements; // [row or column][k]
    };

    struct Pending { // of one warp
        const Operation* by = nullptr;
        uint32_t group = 0; // of the warp's commits
        bool adds = true;   // to the accumulators; else they are written anew
        Operand a, b;
    };

private:
    struct OfWarp {
        std::vector<Pending> pending; // in order
        uint32_t committed = 0;       // groups
    };
    BlockContext& block_;
    Report& report_;
    SharedRaces& shared_races_;
    ProductReads& product_reads_;
    std::vector<OfWarp> products_; // [warp]

    OfWarp& of(const Warp& w) { return products_[w.index]; }
    void finish(const Warp&, size_t count); // the first ones of those pending
    void finish(const Warp&, Pending&);
    bool read_operand(const Warp&, const Operation&, uint32_t bytes, Operand&); // bytes: of an element
    void check_unchanged(const Warp&, const Operation&, uint32_t bytes, const Operand&);
};

} // namespace sim
