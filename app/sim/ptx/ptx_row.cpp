#include "sim/ptx/ptx_row.h"

namespace sim {
namespace {

constexpr PtxRow table[] = {
#define PTX(id, decode, widths, what, kind, role, access)                                                              \
    {ptx::Opcode::id, decode_##decode, widths, What::what, trace::Kind::kind, trace::Role::role, MemoryAccess::access},
#include "sim/ptx/opcode_table.inc"
#undef PTX
};

constexpr bool in_order() {
    size_t next = static_cast<size_t>(ptx::Opcode::unknown) + 1;
    for (const PtxRow& row : table)
        if (static_cast<size_t>(row.opcode) != next++) return false;
    return next == static_cast<size_t>(ptx::Opcode::count_);
}
static_assert(in_order(), "every row of ptx/isa_table.inc has one here, in the same order");

} // namespace

const PtxRow& row_of(ptx::Opcode opcode) { return table[static_cast<size_t>(opcode) - 1]; }

} // namespace sim
