// What instructions that multiply matrices compute.
#include "sim/program/passes.h"

namespace sim {
namespace {

// Of a warp: two for each multiply-add; of single bits k counts words.
uint32_t flop_of(const MatrixProduct& p) {
    return 2 * p.batch * p.m * p.n * p.k * (p.a.type == ptx::Type::b1 ? 32 : 1);
}

} // namespace

void count_flop(Assembly& a) {
    for (const Operation& op : a.program.operations) {
        uint32_t& flop = a.listing.instructions[op.pc].flop;
        if (op.what == What::multiply_matrices) flop = flop_of(a.program.products[op.detail.number]);
        if (op.what == What::multiply_in_warpgroup)
            flop = flop_of(a.program.warpgroup_products[op.detail.number].product); // a warp's quarter
    }
}

} // namespace sim
