// Decoding of instructions that take memory from the stack (manual, section 9.7.17).
#include "sim/ptx/ptx_row.h"

#include <algorithm>

namespace sim {

base::Sentence decode_stack(Operands& o) {
    const auto& i = o.instruction;
    Decoder& d = o.decoder;
    if (i.types.size() != 1 || ptx::bytes(i.types[0]) < 4 || !o.at(0))
        return base::say("an operand or the type is missing");
    const uint8_t width = value_width(i.types[0]);
    if (d.stack_used == no_row) {
        d.stack_used = d.draft->add_register(8, true);
        d.stack_at = static_cast<int64_t>(d.reserve_local(stack_bytes, 16));
    }
    const auto use_stack = [&](int slot, bool writes) {
        o.op.row[slot] = d.stack_used;
        o.op.width[slot] = 8;
        if (writes) o.written |= static_cast<uint8_t>(1 << slot);
    };
    o.op.full = o.op.masked = i.opcode == ptx::Opcode::alloca_ ? allocate_stack : set_stack;
    if (i.opcode == ptx::Opcode::stacksave) {
        o.write(0, *o.at(0), width);
        use_stack(1, false);
    } else if (i.opcode == ptx::Opcode::stackrestore) {
        use_stack(0, true);
        o.read(1, *o.at(0), width);
    } else {
        const ptx::Operand* alignment = o.at(2);
        if (alignment &&
            (alignment->kind != ptx::OperandKind::immediate || alignment->bits == 0 || alignment->bits > 1 << 12))
            return base::say("this alignment is not executed");
        o.op.detail.alignment = alignment ? std::max<uint32_t>(static_cast<uint32_t>(alignment->bits), 8) : 8;
        o.op.offset = d.stack_at;
        o.write(0, *o.at(0), width);
        o.read(1, *o.at(1), width);
        use_stack(2, true);
    }
    return o.error;
}

} // namespace sim
