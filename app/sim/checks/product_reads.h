// Products of warpgroups read their operands in shared memory at any time until their warp has waited for them. Who learns from the
// warp's barriers and arrivals before that wait that the operands are no longer needed overwrites them too early: that is found by what
// was released when, whichever warp is executed first.
#pragma once

#include "sim/checks/report.h"
#include "sim/lanes/access.h"
#include "sim/program/warpgroup.h"
#include "sim/run/block_context.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace sim {

class ProductReads {
public:
    struct Operand {
        MatrixPart matrix;
        SharedRange within; // all that is read of it lies here
    };

    ProductReads(BlockContext& block, Report& report) : block_(block), report_(report), of_(block.warps.size()) {}
    void reset();

    // A product of the warp begins; `bytes`: of an element.
    void begin(const Warp&, const Operation&, uint32_t bytes, const Operand& a, const Operand& b);
    // The warp has waited for its oldest product. True: what overwrote its operands is told already.
    bool end_oldest(const Warp&);
    // The warp releases, by `op`, what it did up to this epoch (BlockOrder).
    void release(const Warp&, const Operation& op, uint32_t epoch);
    // Lanes write to the block's shared memory, or begin a copy that will.
    void write(const Warp&, const Operation&, const Access&, uint32_t lanes);

private:
    struct Read { // by one product of a warp
        const Operation* by = nullptr;
        uint32_t bytes = 0; // of an element
        std::array<Operand, 2> operands;
        const Operation* released_by = nullptr; // first
        uint32_t from = 0, until = 0;           // epochs of the first and the last release before the wait; 0: none
        bool told = false;                      // a write to its operands
    };
    struct OfWarp {
        std::deque<Read> reads; // in order: neither `from` nor `until` ever falls, where they are set
        size_t under_way = 0;   // the last ones
    };
    struct Write {
        const Operation* by = nullptr;
        uint32_t warp = 0, lane = 0;
        SharedRange bytes;
    };
    BlockContext& block_;
    Report& report_;
    std::vector<OfWarp> of_; // [warp]
    size_t kept_ = 0;        // reads of all warps

    void check(const Write&);
    static std::optional<uint64_t> overlap(const Read&, SharedRange);
    void report(const Warp&, const Read&, const Write&, uint64_t at);
};

} // namespace sim
