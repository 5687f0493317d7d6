#include "sim/ptx/decoder.h"

#include "sim/lanes/warp.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace sim {
namespace {

uint8_t width_of(ptx::Type t) {
    if (t == ptx::Type::pred) return 0;
    const unsigned n = ptx::bytes(t);
    return static_cast<uint8_t>(n == 1 ? 2 : n); // 8-bit registers are kept in 16 bits
}

uint64_t bits_for(const ptx::Operand& o, uint8_t width) {
    // A literal of the other precision is converted, as ptxas does.
    if (o.literal == ptx::Literal::float64 && width == 4)
        return std::bit_cast<uint32_t>(static_cast<float>(std::bit_cast<double>(o.bits)));
    if (o.literal == ptx::Literal::float32 && width == 8)
        return std::bit_cast<uint64_t>(static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(o.bits))));
    return o.bits;
}

} // namespace

// A row of its own for each variable, so that it is known where the address comes from.
RowAt Decoder::address_constant(int32_t variable, uint64_t value, uint8_t width) {
    return draft->constant({.width = width, .bits = width == 4 ? value & 0xFFFFFFFF : value, .origin = variable + 1});
}

RowAt Decoder::parameter_constant(uint32_t offset, uint32_t bytes, bool sign, uint8_t width) {
    return draft->constant({.width = width,
                            .parameter = true,
                            .offset = offset,
                            .bytes = bytes,
                            .sign = sign,
                            .origin = first_parameter_origin + offset});
}

RowAt Decoder::special(ptx::Special s, uint8_t width) {
    return s == ptx::Special::warp_size ? draft->value(32, width) : draft->special(s, width);
}

uint32_t Decoder::reserve_local(uint64_t bytes, uint32_t align) {
    program->local_bytes = (program->local_bytes + align - 1) / align * align;
    const uint32_t at = program->local_bytes;
    if (at > most_local_bytes || bytes > most_local_bytes - at)
        local_too_large = true; // the alignment alone may lead beyond
    else program->local_bytes += static_cast<uint32_t>(bytes);
    return at;
}

uint32_t Decoder::local_slot(Frame& frame, int32_t number) {
    const ptx::Variable& v = variable(number);
    return frame.memory[number] = reserve_local(v.bytes, std::max(v.align, 8u));
}

uint8_t Operands::register_width(int32_t number) const {
    return width_of(ptx::register_type(decoder.function(frame.function), number));
}

RowAt Operands::register_row(int32_t number) {
    auto [it, fresh] = frame.registers.try_emplace(number, 0);
    if (fresh) it->second = static_cast<int32_t>(decoder.draft->add_register(register_width(number)));
    return static_cast<RowAt>(it->second);
}

uint64_t Operands::variable_address(int32_t variable, bool& known) {
    known = true;
    if (auto it = decoder.address.find(variable); it != decoder.address.end()) return it->second;
    if (auto it = frame.memory.find(variable); it != frame.memory.end()) return it->second;
    const ptx::Variable& v = decoder.variable(variable);
    known = v.space == ptx::Space::local || v.space == ptx::Space::param;
    return known ? decoder.local_slot(frame, variable) : 0;
}

void Operands::read(int slot, const ptx::Operand& o, uint8_t width) {
    using enum ptx::OperandKind;
    RowAt& at = op.row[slot];
    op.width[slot] = width;
    if (o.kind == reg) {
        if (register_width(o.index) != width)
            return fail(
                base::say("{} has the wrong size here", ptx::register_name(decoder.function(frame.function), o.index)));
        if (o.negated && width != 0) return fail(base::say("only predicates can be negated"));
        if (o.negated) op.negated_predicate |= static_cast<uint8_t>(1 << slot);
        at = register_row(o.index);
    } else if (o.kind == immediate) {
        at = decoder.draft->value(bits_for(o, width), width);
    } else if (o.kind == special && width == 0 &&
               static_cast<ptx::Special>(o.index) == ptx::Special::is_explicit_cluster) {
        at = decoder.draft->value(decoder.explicit_cluster, 0);
    } else if (o.kind == function && width == 8) {
        at = decoder.draft->value(decoder.function_address(o.index), 8);
    } else if (o.kind == special && width != 0) {
        at = decoder.special(static_cast<ptx::Special>(o.index), width);
    } else if (o.kind == variable && width >= 4) {
        bool known = false;
        const uint64_t address = variable_address(o.index, known);
        if (!known) return fail(base::say("{} has no address here", decoder.variable(o.index).name));
        at = decoder.address_constant(o.index, address + static_cast<uint64_t>(o.offset), width);
    } else {
        fail(base::say("an operand is of the wrong kind"));
    }
}

void Operands::write(int slot, const ptx::Operand& o, uint8_t width) {
    op.width[slot] = width;
    if (o.kind == ptx::OperandKind::none) return; // "_"
    if (o.kind != ptx::OperandKind::reg) return fail(base::say("the result is not a register"));
    if (register_width(o.index) != width)
        return fail(
            base::say("{} has the wrong size here", ptx::register_name(decoder.function(frame.function), o.index)));
    op.row[slot] = register_row(o.index);
    written |= static_cast<uint8_t>(1 << slot);
}

void Operands::read_any(int slot, const ptx::Operand& o, uint8_t width) {
    uint8_t actual = std::max<uint8_t>(width, 2);
    if (o.kind == ptx::OperandKind::reg) actual = register_width(o.index);
    if (actual < width || actual > 8 || actual == 0)
        return fail(base::say("a register is too small or too large here"));
    read(slot, o, actual);
}

void Operands::write_any(int slot, const ptx::Operand& o, uint8_t width) {
    uint8_t actual = std::max<uint8_t>(width, 2);
    if (o.kind == ptx::OperandKind::reg) actual = register_width(o.index);
    if (actual < width || actual > 8 || actual == 0)
        return fail(base::say("a register is too small or too large here"));
    write(slot, o, actual);
}

bool Operands::read_wide(const ptx::Operand& o, size_t count, uint8_t width) {
    const bool vector = o.kind == ptx::OperandKind::vector;
    if ((vector ? o.elements.size() : 1) != count) return fail(base::say("the vector has the wrong length")), false;
    for (size_t n = 0; n < count; ++n) {
        read(0, vector ? o.elements[n] : o, width);
        wide.read.push_back(std::exchange(op.row[0], no_row));
    }
    return error.empty();
}

bool Operands::write_wide(const ptx::Operand& o, size_t count, uint8_t width) {
    const bool vector = o.kind == ptx::OperandKind::vector;
    if ((vector ? o.elements.size() : 1) != count) return fail(base::say("the vector has the wrong length")), false;
    const uint8_t before = written;
    for (size_t n = 0; n < count; ++n) {
        write(0, vector ? o.elements[n] : o, width);
        wide.written.push_back(std::exchange(op.row[0], no_row));
    }
    written = before;
    return error.empty();
}

RowAt Operands::address_row(const ptx::Operand& o, uint8_t& bytes, int64_t& offset) {
    offset = o.offset;
    if (o.elements.empty()) {
        fail(base::say("the address is empty"));
        return no_row;
    }
    const ptx::Operand& base = o.elements[0];
    if (base.kind == ptx::OperandKind::reg) {
        bytes = register_width(base.index);
        if (bytes != 4 && bytes != 8) fail(base::say("the address is in a register that is too small"));
        return register_row(base.index);
    }
    bytes = 8;
    if (base.kind == ptx::OperandKind::immediate) return decoder.draft->value(base.bits, 8);
    if (base.kind == ptx::OperandKind::variable) {
        bool known = false;
        const uint64_t address = variable_address(base.index, known);
        if (!known) fail(base::say("{} has no address here", decoder.variable(base.index).name));
        return decoder.address_constant(base.index, address, 8);
    }
    fail(base::say("the address is neither register, variable nor number"));
    return no_row;
}

} // namespace sim
