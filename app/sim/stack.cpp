// Memory that a thread takes from its stack while it runs (manual, section 9.7.17). The stack lies in the thread's local memory; what a
// function took is given back by stackrestore only.
#include "sim/ptx_row.h"
#include "sim/warp.h"

#include <algorithm>

namespace sim {
namespace {

constexpr uint32_t stack_bytes = 32u << 10;   // per thread
constexpr uint32_t beyond_local = 0xF0000000; // given out where the stack is full: whoever uses it is out of bounds

uint64_t value_of(const Warp& w, const Operation& op, int slot, int lane) {
    return op.width[slot] == 8 ? row<uint64_t>(w, op.row[slot])[lane] : row<uint32_t>(w, op.row[slot])[lane];
}
void set_value(Warp& w, const Operation& op, int slot, int lane, uint64_t v) {
    if (op.width[slot] == 8) row<uint64_t>(w, op.row[slot])[lane] = v;
    else row<uint32_t>(w, op.row[slot])[lane] = static_cast<uint32_t>(v);
}

} // namespace

// rows: the pointer, the size, bytes used, and its alignment; offset: where the stack begins.
void allocate_stack(Warp& w, const Operation& op, uint32_t active) {
    for (int i = 0; i < 32; ++i) {
        if (!(active >> i & 1)) continue;
        const auto first = static_cast<uint64_t>(op.offset), end = first + stack_bytes;
        const uint64_t size = value_of(w, op, 1, i), at = (first + value_of(w, op, 2, i) + op.detail.alignment - 1) /
                                                          op.detail.alignment * op.detail.alignment;
        const bool fits = at <= end && size <= end - at;
        if (op.row[0] != no_row) set_value(w, op, 0, i, fits ? at : beyond_local);
        if (fits) set_value(w, op, 2, i, at + size - first);
    }
}

// rows: to, from.
void set_stack(Warp& w, const Operation& op, uint32_t active) {
    if (op.row[0] == no_row) return;
    for (int i = 0; i < 32; ++i)
        if (active >> i & 1) set_value(w, op, 0, i, value_of(w, op, 1, i));
}

base::Sentence decode_stack(Operands& o) {
    const auto& i = o.instruction;
    Decoder& d = o.decoder;
    if (i.types.size() != 1 || ptx::bytes(i.types[0]) < 4 || !o.at(0))
        return base::say("an operand or the type is missing");
    const uint8_t width = value_width(i.types[0]);
    if (d.stack_used == no_row) {
        d.stack_used = d.virtual_register(8, true);
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
