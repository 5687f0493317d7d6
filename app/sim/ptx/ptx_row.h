// What each PTX instruction is to the engine, as opcode_table.inc says. Internal to app/sim.
#pragma once

#include "sim/ptx/decoder.h"

namespace sim {

enum class MemoryAccess : uint8_t { none, data, copy, bulk, rows, fragment };

struct PtxRow {
    ptx::Opcode opcode;
    base::Sentence (*decode)(Operands&); // empty, or why it cannot be executed
    std::string_view widths;             // of what is decoded alike
    What what;
    trace::Kind kind;
    trace::Role role;
    MemoryAccess access;
};
const PtxRow& row_of(ptx::Opcode); // not for Opcode::unknown

#define PTX(id, decode, widths, what, kind, role, access) base::Sentence decode_##decode(Operands&);
#include "sim/ptx/opcode_table.inc"
#undef PTX

} // namespace sim
