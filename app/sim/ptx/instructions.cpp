// One PTX instruction to one operation: which operand goes to which row, how wide, and with which handler.
#include "sim/ptx/ptx_row.h"

#include "sim/lanes/directed.h"
#include "sim/lanes/warp.h"

namespace sim {
namespace {

using ptx::Modifier;
using ptx::Opcode;
using ptx::Type;

ptx::Modifiers modifiers_of(const Operands& o) { return o.instruction.modifiers; }

} // namespace

uint8_t value_width(Type t) { return static_cast<uint8_t>(t == Type::pred ? 0 : std::max(2u, ptx::bytes(t))); }

Choice choice_of(const Operands& o) {
    Choice c{.opcode = o.instruction.opcode, .modifiers = modifiers_of(o)};
    const auto& types = o.instruction.types;
    if (!types.empty()) {
        c.type = types.front();
        c.source_type = types.size() > 1 ? types[1] : types.front();
    }
    std::copy(std::begin(o.op.width), std::end(o.op.width), std::begin(c.width));
    return c;
}

base::Sentence take_handlers(Operands& o, const Choice& c) {
    if (!o.error.empty()) return o.error;
    Handlers h = o.decoder.lanes.select(c);
    if (!h.full) h = select_rare(c);
    if (!h.full) return base::say("the engine does not execute {}", o.instruction.mnemonic);
    o.op.full = h.full;
    o.op.masked = h.masked;
    return {};
}

namespace {

uint8_t width_of(char letter, const ptx::Instruction& i) { // as in opcode_table.inc
    const bool wide = letter == 'W' && i.modifiers.has(Modifier::wide);
    if (letter != 'w' && letter != 'W') return static_cast<uint8_t>(letter - '0');
    return static_cast<uint8_t>(value_width(i.types[0]) * (wide ? 2 : 1));
}

// d, a, b, c with the widths of the instruction's row; operands beyond are ignored.
base::Sentence plain(Operands& o) {
    const auto& i = o.instruction;
    int slot = 0;
    for (const char letter : row_of(i.opcode).widths) {
        const ptx::Operand* operand = o.at(static_cast<size_t>(slot));
        if (!operand) return base::say("an operand is missing");
        const uint8_t width = width_of(letter, i);
        if (slot == 0) o.write(0, *operand, width);
        else o.read(slot, *operand, width);
        ++slot;
    }
    Choice c = choice_of(o);
    c.modified = i.opcode == Opcode::prmt && o.op.detail.by_mode;
    return take_handlers(o, c);
}

// Results d|p at rows 0 and 1, sources from row 2.
base::Sentence paired(Operands& o, uint8_t first, std::initializer_list<int> sources) {
    const ptx::Operand* d = o.at(0);
    if (!d) return base::say("an operand is missing");
    const bool pair = d->kind == ptx::OperandKind::pair;
    o.write(0, pair ? d->elements[0] : *d, first);
    if (pair) o.write(1, d->elements[1], 0);
    int slot = 2;
    for (int w : sources) {
        const ptx::Operand* operand = o.at(static_cast<size_t>(slot - 1));
        if (!operand) return base::say("an operand is missing");
        o.read(slot++, *operand, static_cast<uint8_t>(w));
    }
    return take_handlers(o, choice_of(o));
}

} // namespace

base::Sentence decode_plain(Operands& o) {
    return o.instruction.types.empty() ? base::say("the type is missing") : plain(o);
}

base::Sentence decode_compare(Operands& o) { // setp, set
    const auto& i = o.instruction;
    const auto& m = i.modifiers;
    if (i.types.empty() || (i.opcode == Opcode::set && i.types.size() < 2)) return base::say("a type is missing");
    const Type source = i.types.back();
    const uint8_t w = value_width(source);
    Comparison how{};
    how.with = m.has(Modifier::and_)   ? Comparison::and_with
               : m.has(Modifier::or_)  ? Comparison::or_with
               : m.has(Modifier::xor_) ? Comparison::xor_with
                                       : Comparison::alone;
    const uint8_t result = i.opcode == Opcode::setp ? 0 : value_width(i.types[0]);
    if (i.opcode == Opcode::set) {
        if (result > 4) return base::say("set writes 16 or 32 bits");
        const Type to = i.types[0];
        how.one = to == Type::f32                          ? Comparison::f32
                  : to == Type::f16 || to == Type::f16x2   ? Comparison::f16
                  : to == Type::bf16 || to == Type::bf16x2 ? Comparison::bf16
                                                           : Comparison::all_bits;
    }
    o.op.detail.comparison = how;
    if (const auto* c = o.at(3)) o.read(4, *c, 0);
    if ((o.op.row[4] != no_row) != (how.with != Comparison::alone))
        return base::say("the third operand and .and, .or, .xor belong together");
    const ptx::Operand *d = o.at(0), *a = o.at(1), *b = o.at(2);
    if (!d || !a || !b) return base::say("an operand is missing");
    const bool pair = d->kind == ptx::OperandKind::pair;
    o.write(0, pair ? d->elements[0] : *d, result);
    if (pair) o.write(1, d->elements[1], 0);
    o.read(2, *a, w);
    o.read(3, *b, w);
    Choice c = choice_of(o);
    c.source_type = source;
    return take_handlers(o, c);
}

namespace {

base::Sentence move_vector(Operands& o, bool unpacks) {
    const ptx::Operand& vector = *o.at(unpacks ? 0 : 1);
    const ptx::Operand& whole = *o.at(unpacks ? 1 : 0);
    const uint8_t w = value_width(o.instruction.types[0]);
    const size_t parts = vector.elements.size();
    if (parts != 2 && parts != 4) return base::say("a vector of 2 or 4 is needed");
    if (w > 8 && parts != 2) return base::say("128 bits are moved in two halves");
    const bool bytes = parts == ptx::bytes(o.instruction.types[0]);
    const auto part = static_cast<uint8_t>(bytes ? 2 : w / parts); // registers of a byte have 16 bits
    for (size_t n = 0; n < parts; ++n) {
        if (unpacks) o.write(static_cast<int>(n), vector.elements[n], part);
        else o.read(static_cast<int>(n + 1), vector.elements[n], part);
    }
    if (unpacks) o.read(static_cast<int>(parts), whole, w);
    else o.write(0, whole, w);
    Choice c = choice_of(o);
    (unpacks ? c.written : c.read) = static_cast<uint8_t>(parts);
    return take_handlers(o, c);
}

bool is_clock(ptx::Special s) {
    using enum ptx::Special;
    return s == ptx::Special::clock || s == clock_hi || s == clock64 || s == globaltimer || s == globaltimer_lo ||
           s == globaltimer_hi;
}

} // namespace

base::Sentence decode_move(Operands& o) {
    const ptx::Operand *d = o.at(0), *a = o.at(1);
    if (!d || !a || o.instruction.types.empty()) return base::say("an operand is missing");
    if (d->kind == ptx::OperandKind::vector) return move_vector(o, true);
    if (a->kind == ptx::OperandKind::vector) return move_vector(o, false);
    const uint8_t w = value_width(o.instruction.types[0]);
    if (a->kind == ptx::OperandKind::special && is_clock(static_cast<ptx::Special>(a->index))) {
        if (w < 4) return base::say("a clock has 32 or 64 bits");
        const auto which = static_cast<ptx::Special>(a->index);
        o.write(0, *d, w);
        o.op.detail.upper_half = which == ptx::Special::clock_hi || which == ptx::Special::globaltimer_hi;
        o.op.what = What::clock;
        o.op.full = o.op.masked = read_clock;
        return o.error;
    }
    o.write(0, *d, w);
    o.read(1, *a, w);
    return take_handlers(o, choice_of(o));
}

namespace {

Conversion conversion_of(const ptx::Instruction& i) {
    const auto& m = i.modifiers;
    Conversion c{};
    if (m.has(Modifier::rz) || m.has(Modifier::rzi)) c.rounding = Rounding::zero;
    if (m.has(Modifier::rm) || m.has(Modifier::rmi)) c.rounding = Rounding::down;
    if (m.has(Modifier::rp) || m.has(Modifier::rpi)) c.rounding = Rounding::up;
    c.away = m.has(Modifier::rna);
    c.integral = m.has(Modifier::rni) || m.has(Modifier::rzi) || m.has(Modifier::rmi) || m.has(Modifier::rpi);
    c.sat = m.has(Modifier::sat);
    c.ftz = m.has(Modifier::ftz);
    c.relu = m.has(Modifier::relu);
    c.finite = m.has(Modifier::satfinite);
    return c;
}

bool is_pair_of_float8(Type t) { return t == Type::e4m3x2 || t == Type::e5m2x2; }

base::Sentence convert_eight_bits(Operands& o) {
    const auto& i = o.instruction;
    const bool to = is_pair_of_float8(i.types[0]);
    const Type format = to ? i.types[0] : i.types[1], other = to ? i.types[1] : i.types[0];
    const ptx::Operand *d = o.at(0), *a = o.at(1), *b = o.at(2);
    if (!(other == Type::f16x2 || (to && other == Type::f32)) || !d || !a || (b != nullptr) != (other == Type::f32))
        return base::say("this conversion is not executed");
    o.op.detail.float8 = {.e5m2 = format == Type::e5m2x2,
                          .relu = i.modifiers.has(Modifier::relu),
                          .to_halves = !to,
                          .from_halves = other == Type::f16x2};
    o.write(0, *d, to ? 2 : 4);
    o.read(1, *a, to ? 4 : 2);
    if (b) o.read(2, *b, 4);
    o.op.full = o.op.masked = convert_float8;
    return o.error;
}

} // namespace

base::Sentence decode_convert_pack(Operands& o) { // cvt.pack.sat.convert_type.source_type{.b32}
    const auto& i = o.instruction;
    const ptx::Operand *d = o.at(0), *a = o.at(1), *b = o.at(2), *c = o.at(3);
    if (!d || !a || !b || i.types.size() < 2 || i.types[1] != Type::s32)
        return base::say("this conversion is not executed");
    const uint32_t bits = ptx::bytes(i.types[0]) * 8;
    if (bits != (c ? 8u : 16u)) return base::say("this conversion is not executed");
    o.op.detail.pack = {.bits = static_cast<uint8_t>(bits), .is_signed = ptx::is_signed(i.types[0])};
    o.write(0, *d, 4);
    o.read(1, *a, 4);
    o.read(2, *b, 4);
    if (c) o.read(3, *c, 4);
    o.op.full = o.op.masked = convert_and_pack;
    return o.error;
}

base::Sentence decode_convert(Operands& o) {
    const auto& i = o.instruction;
    if (i.types.size() != 2) return base::say("two types are needed");
    if (is_pair_of_float8(i.types[0]) || is_pair_of_float8(i.types[1])) return convert_eight_bits(o);
    o.op.detail.conversion = conversion_of(i);
    const ptx::Operand *d = o.at(0), *a = o.at(1), *b = o.at(2);
    if (!d || !a) return base::say("an operand is missing");
    const bool two = i.types[0] == Type::f16x2 || i.types[0] == Type::bf16x2;
    if (two != (b != nullptr) || ((two || i.types[0] == Type::tf32) && i.types[1] != Type::f32))
        return base::say("this conversion is not executed");
    if (two || i.types[0] == Type::tf32) {
        o.write(0, *d, 4);
        o.read(1, *a, 4);
        if (b) o.read(2, *b, 4);
    } else {
        o.write_any(0, *d, static_cast<uint8_t>(ptx::bytes(i.types[0])));
        o.read_any(1, *a, static_cast<uint8_t>(ptx::bytes(i.types[1])));
    }
    Choice c = choice_of(o);
    c.modified = o.op.detail.conversion != Conversion{};
    return take_handlers(o, c);
}

Space space_of(const ptx::Modifiers& m) {
    if (m.has(Modifier::global) || m.has(Modifier::const_)) return Space::global;
    if (m.has(Modifier::shared) || m.has(Modifier::shared_cta) || m.has(Modifier::shared_cluster)) return Space::shared;
    if (m.has(Modifier::local)) return Space::local;
    if (m.has(Modifier::param) || m.has(Modifier::param_entry) || m.has(Modifier::param_func)) return Space::parameter;
    return Space::generic;
}

uint8_t vector_elements(const ptx::Modifiers& m) {
    return m.has(Modifier::v8) ? 8 : m.has(Modifier::v4) ? 4 : m.has(Modifier::v2) ? 2 : 1;
}

namespace {

// Loads of kernel parameters from known addresses are moves from constants.
base::Sentence parameter_move(Operands& o, uint32_t offset, Type type) {
    const ptx::Operand& d = *o.at(0);
    const uint32_t size = ptx::bytes(type);
    const uint32_t n = o.op.elements;
    if (n > 4 || size > 8) return base::say("parameters of 128 bits and vectors of 8 are not executed");
    for (uint32_t e = 0; e < n; ++e) {
        const ptx::Operand& element = d.kind == ptx::OperandKind::vector ? d.elements[e] : d;
        o.write_any(static_cast<int>(e), element, static_cast<uint8_t>(size));
        if (!o.error.empty()) return o.error;
        const auto slot = n == 1 ? 1 : 4 + e;
        o.op.row[slot] = o.decoder.parameter_constant(offset + e * size, size, ptx::is_signed(type), o.op.width[e]);
        o.op.width[slot] = o.op.width[e];
    }
    o.op.what = What::load_parameter;
    Choice c = choice_of(o);
    c.opcode = Opcode::mov;
    c.written = c.read = static_cast<uint8_t>(n);
    return take_handlers(o, c);
}

} // namespace

base::Sentence decode_access(Operands& o) { // ld, ldu, st
    const auto& i = o.instruction;
    const bool loads = i.opcode != Opcode::st;
    const ptx::Operand *data = o.at(loads ? 0 : 1), *address = o.at(loads ? 1 : 0);
    if (!data || !address || i.types.size() != 1) return base::say("an operand or the type is missing");
    const Type type = i.types[0];
    const uint32_t size = ptx::bytes(type);
    o.op.bytes = static_cast<uint8_t>(size);
    o.op.elements = vector_elements(i.modifiers);
    o.op.stores_rows = !loads;
    const bool vector = data->kind == ptx::OperandKind::vector;
    if (vector ? data->elements.size() != o.op.elements : o.op.elements != 1)
        return base::say("the vector has the wrong length");
    o.op.space = space_of(i.modifiers);
    if (o.op.space == Space::parameter && !address->elements.empty() &&
        address->elements[0].kind == ptx::OperandKind::variable) {
        const int32_t v = address->elements[0].index;
        const auto kernels = o.decoder.address.find(v);
        if (kernels == o.decoder.address.end()) {
            o.op.space = Space::local; // of a call: kept in the thread's local memory
        } else {
            const uint64_t at = kernels->second + static_cast<uint64_t>(address->offset) - parameter_window;
            if (!loads) return base::say("a kernel cannot write its parameters");
            const uint64_t bytes = uint64_t{size} * o.op.elements, all = o.decoder.program->parameter_bytes;
            if (bytes > all || at > all - bytes) // not at + bytes > all: before the first parameter that wraps to 0
                return base::say("the load of {} bytes at offset {} lies outside the kernel's {} bytes of parameters",
                                 bytes, static_cast<int64_t>(at), all);
            return parameter_move(o, static_cast<uint32_t>(at), type);
        }
    }
    for (uint8_t e = 0; e < o.op.elements; ++e) {
        const ptx::Operand& element = vector ? data->elements[e] : *data;
        if (size > 8 && loads) o.write(e, element, static_cast<uint8_t>(size));
        else if (size > 8) o.read(e, element, static_cast<uint8_t>(size));
        else if (loads) o.write_any(e, element, static_cast<uint8_t>(size));
        else o.read_any(e, element, static_cast<uint8_t>(size));
        if (o.error.empty() && o.op.width[e] != o.op.width[0])
            o.fail(base::say("the vector's registers differ in size"));
    }
    o.op.address = o.address_row(*address, o.op.address_bytes, o.op.offset);
    return take_handlers(o, choice_of(o));
}

base::Sentence decode_atomic(Operands& o) {
    const auto& i = o.instruction;
    const size_t first = i.opcode == Opcode::atom ? 1 : 0;
    if (i.types.size() != 1 || !o.at(first) || !o.at(first + 1)) return base::say("an operand or the type is missing");
    const uint8_t w = value_width(i.types[0]);
    o.op.bytes = w;
    o.op.space = space_of(i.modifiers);
    o.op.address = o.address_row(*o.at(first), o.op.address_bytes, o.op.offset);
    o.op.elements = vector_elements(i.modifiers);
    if (o.op.elements > 1) {
        if (!(first == 0 || o.write_wide(*o.at(0), o.op.elements, w)) ||
            !o.read_wide(*o.at(first + 1), o.op.elements, w))
            return o.error;
        Choice c = choice_of(o);
        c.read = o.op.elements;
        return ptx::is_float(i.types[0]) ? take_handlers(o, c) : base::say("vectors of this type are not executed");
    }
    if (first) o.write(0, *o.at(0), w);
    o.read(static_cast<int>(first), *o.at(first + 1), w);
    if (const auto* c = o.at(first + 2)) o.read(static_cast<int>(first + 1), *c, w);
    if (i.modifiers.has(Modifier::cas) != (o.at(first + 2) != nullptr))
        return base::say("the number of operands is wrong");
    return take_handlers(o, choice_of(o));
}

base::Sentence decode_convert_address(Operands& o) { // cvta: windows of shared and local memory are added or taken off
    const auto& i = o.instruction;
    if (i.types.size() != 1) return base::say("the type is missing");
    const uint8_t w = value_width(i.types[0]);
    const Space space = space_of(i.modifiers);
    const uint64_t window = space == Space::shared ? shared_window : space == Space::local ? local_window : 0;
    const ptx::Operand *d = o.at(0), *a = o.at(1);
    if (!d || !a) return base::say("an operand is missing");
    o.op.space = space;
    if (i.modifiers.has(Modifier::to)) o.op.what = What::from_generic;
    o.write(0, *d, w);
    o.read(1, *a, w);
    Choice c = choice_of(o);
    if (window == 0) {
        c.opcode = Opcode::mov;
    } else {
        if (w != 8) return base::say("generic addresses have 64 bits");
        c.opcode = i.modifiers.has(Modifier::to) ? Opcode::sub : Opcode::add;
        o.op.row[2] = o.decoder.draft->value(window, 8);
        o.op.width[2] = 8;
    }
    return take_handlers(o, c);
}

base::Sentence decode_barrier(Operands& o) {
    using enum Opcode;
    const auto& i = o.instruction;
    o.op.flow = Flow::barrier;
    o.op.detail.barrier = BarrierUse::waits;
    const bool reduces = i.opcode == bar_red || i.opcode == barrier_red;
    size_t n = 0;
    if (reduces) {
        const bool popc = i.modifiers.has(Modifier::popc);
        o.write(0, *o.at(n++), popc ? 4 : 0);
        o.op.detail.barrier = popc                              ? BarrierUse::counts
                              : i.modifiers.has(Modifier::and_) ? BarrierUse::asks_all
                                                                : BarrierUse::asks_any;
        o.read(3, i.operands.back(), 0);
    }
    if (i.opcode == bar_arrive || i.opcode == barrier_arrive) o.op.detail.barrier = BarrierUse::arrives;
    const size_t end = i.operands.size() - (reduces ? 1 : 0);
    if (n >= end) return base::say("the barrier's number is missing");
    o.read(1, *o.at(n++), 4);
    if (n < end) o.read(2, *o.at(n++), 4);
    o.op.full = o.op.masked = no_operation;
    return o.error;
}

base::Sentence decode_warp_barrier(Operands& o) {
    if (!o.at(0)) return base::say("the mask is missing");
    o.read(1, *o.at(0), 4);
    return take_handlers(o, choice_of(o));
}

base::Sentence decode_cluster_barrier(Operands& o) {
    o.op.flow = Flow::cluster;
    o.op.detail.cluster =
        o.instruction.opcode == Opcode::barrier_cluster_wait ? ClusterUse::waits : ClusterUse::arrives;
    o.op.full = o.op.masked = no_operation;
    return {};
}

base::Sentence decode_async_copy(Operands& o) {
    const ptx::Operand *to = o.at(0), *from = o.at(1), *size = o.at(2);
    if (!to || !from || !size || size->kind != ptx::OperandKind::immediate)
        return base::say("the copy's size is not a constant");
    if (size->bits != 4 && size->bits != 8 && size->bits != 16) return base::say("a copy has 4, 8 or 16 bytes");
    o.op.bytes = static_cast<uint8_t>(size->bits);
    o.op.space = Space::shared;
    uint8_t from_bytes = 0;
    o.op.address = o.address_row(*to, o.op.address_bytes, o.op.offset);
    o.op.source = o.address_row(*from, from_bytes, o.op.source_offset);
    if (from_bytes != 8) return base::say("the copy's source is not a 64-bit address");
    if (const auto* n = o.at(3)) {
        const uint8_t width = n->kind == ptx::OperandKind::reg ? o.register_width(n->index) : 4;
        if (width == 0) o.read(1, *n, 0); // whether the source is ignored
        else if (width == 4) o.read(0, *n, 4);
        else if (width != 8)
            return base::say("the number of bytes to read has 32 bits"); // 64 are a policy of the cache
    }
    o.op.full = o.op.masked = copy_async;
    return o.error;
}

base::Sentence decode_async_wait(Operands& o) {
    o.op.detail.groups_left = all_copies;
    if (o.instruction.opcode == Opcode::cp_async_wait_group) {
        const auto* n = o.at(0);
        if (!n || n->kind != ptx::OperandKind::immediate) return base::say("the number of groups is not a constant");
        o.op.detail.groups_left = static_cast<uint32_t>(std::min<uint64_t>(n->bits, all_copies - 1));
    }
    o.op.full = o.op.masked = o.instruction.opcode == Opcode::cp_async_commit_group ? commit_async : wait_async;
    return {};
}

base::Sentence decode_is_space(Operands& o) {
    const Space space = space_of(modifiers_of(o));
    const ptx::Operand *d = o.at(0), *a = o.at(1);
    if (!d || !a) return base::say("an operand is missing");
    o.write(0, *d, 0);
    o.read(1, *a, 8);
    o.op.space = space;
    o.op.full = o.op.masked = is_in_space;
    return o.error;
}

base::Sentence decode_nothing(Operands& o) {
    o.op.full = o.op.masked = no_operation;
    return {};
}

base::Sentence decode_fence(Operands& o) {
    o.op.full = o.op.masked = fence_memory;
    return {};
}

base::Sentence decode_fence_proxy(Operands& o) {
    if (o.instruction.modifiers.has(Modifier::async)) o.op.what = What::fence_async_proxy;
    return decode_nothing(o);
}

base::Sentence decode_pair(Operands& o) { return paired(o, 4, {4, 4, 4, 4}); }

base::Sentence decode_match(Operands& o) {
    const auto& types = o.instruction.types;
    return types.empty() || value_width(types[0]) < 4 ? base::say("a type of 32 or 64 bits is needed")
                                                      : paired(o, 4, {value_width(types[0]), 4});
}

base::Sentence decode_vote(Operands& o) {
    const ptx::Operand *d = o.at(0), *p = o.at(1), *members = o.at(2);
    if (!d || !p || !members) return base::say("an operand is missing");
    o.write(0, *d, o.instruction.modifiers.has(Modifier::ballot) ? 4 : 0);
    o.read(1, *p, 0);
    o.read(2, *members, 4);
    return take_handlers(o, choice_of(o));
}

base::Sentence decode_lop3(Operands& o) {
    const auto* table = o.at(4);
    if (!table || table->kind != ptx::OperandKind::immediate) return base::say("the table is not a constant");
    const auto& m = o.instruction.modifiers;
    o.op.detail.logic = {.table = static_cast<uint8_t>(table->bits), .any = m.has(Modifier::or_)};
    if (!m.has(Modifier::and_) && !m.has(Modifier::or_)) return plain(o);
    const ptx::Operand *d = o.at(0), *q = o.at(5);
    if (!q || d->kind != ptx::OperandKind::pair) return base::say("the predicates are missing");
    o.write(0, d->elements[0], 4);
    for (int n = 1; n < 4; ++n) o.read(n, *o.at(static_cast<size_t>(n)), 4);
    o.write(4, d->elements[1], 0);
    o.read(5, *q, 0);
    return take_handlers(o, choice_of(o));
}

base::Sentence decode_map_to_block(Operands& o) {
    const ptx::Operand *d = o.at(0), *a = o.at(1), *rank = o.at(2);
    if (!d || !a || !rank || o.instruction.types.size() != 1) return base::say("an operand or the type is missing");
    const uint8_t w = value_width(o.instruction.types[0]);
    o.write(0, *d, w);
    o.read(1, *a, w);
    o.read(2, *rank, 4);
    o.op.full = o.op.masked = map_address;
    return o.error;
}

base::Sentence decode_rank_of_address(Operands& o) {
    const ptx::Operand *d = o.at(0), *a = o.at(1);
    if (!d || !a || o.instruction.types.size() != 1) return base::say("an operand or the type is missing");
    o.write(0, *d, 4);
    o.read(1, *a, value_width(o.instruction.types[0]));
    o.op.full = o.op.masked = find_rank;
    return o.error;
}

base::Sentence decode_cache_policy(Operands& o) { // a hint: 0
    const ptx::Operand* d = o.at(0);
    if (!d) return base::say("an operand is missing");
    o.write(0, *d, 8);
    o.op.row[1] = o.decoder.draft->value(0, 8);
    o.op.width[1] = 8;
    Choice c = choice_of(o);
    c.opcode = Opcode::mov;
    return take_handlers(o, c);
}

base::Sentence decode_elect(Operands& o) {
    const ptx::Operand *d = o.at(0), *members = o.at(1);
    if (!d || !members || d->kind != ptx::OperandKind::pair) return base::say("the predicate is missing");
    o.write(0, d->elements[0], 4);
    o.write(1, d->elements[1], 0);
    o.read(2, *members, 4);
    o.op.full = o.op.masked = elect_lane;
    return o.error;
}

base::Sentence decode_permute(Operands& o) {
    using enum Modifier;
    const auto& m = o.instruction.modifiers;
    o.op.detail.by_mode = m.has(f4e) || m.has(b4e) || m.has(rc8) || m.has(ecl) || m.has(ecr) || m.has(rc16);
    return plain(o);
}

void no_operation(Warp&, const Operation&, uint32_t) {}

namespace {

Effect::Order order_of(const ptx::Instruction& i) {
    using enum Modifier;
    const auto has = [&](std::initializer_list<Modifier> any_of) {
        return std::any_of(any_of.begin(), any_of.end(), [&](Modifier one) { return i.modifiers.has(one); });
    };
    if (i.types.back() == Type::pred || ptx::is_float(i.types.back()) || has({num, nan})) return Effect::none;
    if (has({eq, ne})) return Effect::equality;
    return has({le, ls, gt, hi}) ? Effect::less_or_equal : Effect::less;
}

} // namespace

Effect effect_of(const ptx::Instruction& i, uint8_t written) {
    Effect e{.written = written};
    if (i.types.empty()) return e;
    const Type result = i.types.front(), source = i.types.back();
    const auto& m = i.modifiers;
    e.integers = !ptx::is_float(result) && !ptx::is_float(source);
    e.is_signed = ptx::is_signed(source);
    e.carries = m.has(Modifier::cc);
    e.saturates = m.has(Modifier::sat);
    e.half = m.has(Modifier::wide) ? Effect::both : m.has(Modifier::hi) ? Effect::high : Effect::low;
    e.bits = static_cast<uint8_t>(ptx::bytes(result) * 8);
    e.source_bits = static_cast<uint8_t>(ptx::bytes(source) * 8);
    if (i.opcode == Opcode::setp) e.order = order_of(i);
    return e;
}

base::Sentence decode_instruction(Operands& o) {
    const PtxRow& row = row_of(o.instruction.opcode);
    o.op.what = row.what;
    return row.decode(o);
}

} // namespace sim
