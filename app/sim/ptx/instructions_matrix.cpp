// Decoding of matrix instructions (manual, sections 9.7.14 and 9.7.15).
#include "sim/ptx/ptx_row.h"

#include <algorithm>
#include <charconv>

namespace sim {
namespace {

using ptx::Modifier;
using ptx::Opcode;
using ptx::Type;

struct Shape {
    uint32_t m = 0, n = 0, k = 0;
};

bool shape_of(const ptx::Modifiers& m, Shape& out) {
    using enum Modifier;
    constexpr std::pair<Modifier, Shape> shapes[] = {
        {m8n8k4, {8, 8, 4}},       {m8n8k16, {8, 8, 16}},     {m8n8k32, {8, 8, 32}},     {m8n8k128, {8, 8, 128}},
        {m16n8k4, {16, 8, 4}},     {m16n8k8, {16, 8, 8}},     {m16n8k16, {16, 8, 16}},   {m16n8k32, {16, 8, 32}},
        {m16n8k64, {16, 8, 64}},   {m16n8k128, {16, 8, 128}}, {m16n8k256, {16, 8, 256}}, {m16n16k8, {16, 16, 8}},
        {m16n16k16, {16, 16, 16}}, {m32n8k16, {32, 8, 16}},   {m8n32k16, {8, 32, 16}}};
    for (const auto& [modifier, shape] : shapes)
        if (m.has(modifier)) {
            out = shape;
            return true;
        }
    return false;
}

uint32_t factor_bits(Type t) {
    switch (t) {
    case Type::f64: return 64;
    case Type::tf32: return 32;
    case Type::f16:
    case Type::bf16: return 16;
    case Type::s4:
    case Type::u4: return 4;
    case Type::b1: return 1;
    default: return 8;
    }
}

bool is_sum_of(Type sum, Type factor) {
    switch (factor) {
    case Type::f64: return sum == Type::f64;
    case Type::f16:
    case Type::e4m3:
    case Type::e5m2: return sum == Type::f16 || sum == Type::f32;
    case Type::bf16:
    case Type::tf32: return sum == Type::f32;
    default: return sum == Type::s32;
    }
}

// The depths that mma has for 8 and 16 rows, in bits of A's row; m8n8k4 of f16 has its own layout.
bool mma_has(const Shape& s, Type factor) {
    const uint32_t bits = s.k * factor_bits(factor);
    if (s.n != 8 || s.m > 16) return false;
    if (factor == Type::f64) return s.m == 8 ? s.k == 4 : s.k <= 16;
    if (factor == Type::f16 && s.m == 8) return s.k == 4;
    if (s.m == 8) return bits == 128 && (factor_bits(factor) <= 8) && factor != Type::e4m3 && factor != Type::e5m2;
    return bits == 128 || bits == 256;
}
bool wmma_has(const Shape& s, Type factor) {
    if (factor == Type::tf32) return s.m == 16 && s.n == 16 && s.k == 8;
    if (factor == Type::f64) return s.m == 8 && s.n == 8 && s.k == 4;
    if (factor == Type::s4 || factor == Type::u4) return s.m == 8 && s.n == 8 && s.k == 32;
    if (factor == Type::b1) return s.m == 8 && s.n == 8 && s.k == 128;
    return factor != Type::e4m3 && factor != Type::e5m2 && s.k == 16 && s.m * s.n == 256;
}

uint32_t depth(const Shape& s, Type t) { return t == Type::b1 ? s.k / 32 : s.k; }

size_t length_of(const ptx::Operand& o) { return o.kind == ptx::OperandKind::vector ? o.elements.size() : 1; }

bool is_integer(Type t) { return t == Type::s8 || t == Type::u8 || t == Type::s4 || t == Type::u4; }

// Types of a product as written: d, a, b, c; wmma of f16 leaves a and b away.
base::Sentence product_types(const ptx::Instruction& i, MatrixProduct& p) {
    const auto& t = i.types;
    if (i.opcode == Opcode::wmma_mma && t.size() == 2) {
        p.d.type = t[0], p.c.type = t[1];
        p.a.type = p.b.type = Type::f16;
    } else if (t.size() == 4) {
        p.d.type = t[0], p.a.type = t[1], p.b.type = t[2], p.c.type = t[3];
    } else {
        return base::say("the types of the matrices are missing");
    }
    const bool fp8 = p.a.type == Type::e4m3 || p.a.type == Type::e5m2;
    const bool mixed =
        fp8 ? p.b.type == Type::e4m3 || p.b.type == Type::e5m2
            : is_integer(p.a.type) && is_integer(p.b.type) && factor_bits(p.a.type) == factor_bits(p.b.type);
    if (p.a.type != p.b.type && !mixed) return base::say("A and B have types that do not go together");
    if (!is_sum_of(p.d.type, p.a.type) || !is_sum_of(p.c.type, p.a.type))
        return base::say("C or D has a type that does not go with A's");
    return {};
}

// The registers of a fragment must hold its matrix; those of A and B may hold it several times, as some of f16 do.
bool holds(size_t registers, uint32_t elements, uint32_t bits, bool factor) {
    const size_t needed = std::max<size_t>(1, elements * bits / 32 / std::max(32u, bits));
    return factor ? registers > 0 && registers % needed == 0 && registers <= 8 : registers == needed;
}
bool holds_factor(const ptx::Operand& o, uint32_t elements, Type t) {
    return holds(length_of(o), elements, t == Type::b1 ? 32 : factor_bits(t), true);
}
bool holds_sum(const ptx::Operand& o, uint32_t elements, Type t) {
    return holds(length_of(o), elements, ptx::bytes(t) * 8, false);
}

} // namespace

base::Sentence decode_product(Operands& o) {
    const auto& i = o.instruction;
    const auto& m = i.modifiers;
    MatrixProduct p;
    Shape s;
    if (base::Sentence why = product_types(i, p); !why.empty()) return why;
    if (!shape_of(m, s)) return base::say("the shape is missing");
    const bool wmma = i.opcode == Opcode::wmma_mma;
    if (!(wmma ? wmma_has(s, p.a.type) : mma_has(s, p.a.type)))
        return base::say("there is no such shape of these types");
    const ptx::Operand *d = o.at(0), *a = o.at(1), *b = o.at(2), *c = o.at(3);
    if (!d || !a || !b || !c) return base::say("an operand is missing");
    p.m = s.m, p.n = s.n, p.k = depth(s, p.a.type);
    if (p.a.type == Type::tf32) p.step = wmma ? 4 : 8;
    p.saturate = m.has(Modifier::satfinite);
    if (m.has(Modifier::popc))
        p.operation = m.has(Modifier::xor_) ? MatrixProduct::Operation::xor_popc : MatrixProduct::Operation::and_popc;
    if ((p.a.type == Type::b1) != m.has(Modifier::popc)) return base::say("single bits and .popc belong together");
    const bool quarters = !wmma && s.m == 8 && p.a.type == Type::f16;
    p.batch = quarters ? 4 : 1;
    if (wmma) {
        if (!holds_factor(*a, p.m * p.k, p.a.type) || !holds_factor(*b, p.n * p.k, p.b.type) ||
            !holds_sum(*c, p.m * p.n, p.c.type) || !holds_sum(*d, p.m * p.n, p.d.type))
            return base::say("the vector has the wrong length");
        p.a = wmma_a(p.m, p.k, p.a.type, static_cast<uint32_t>(length_of(*a)));
        p.b = wmma_b(p.n, p.k, p.b.type, static_cast<uint32_t>(length_of(*b)));
        p.c = wmma_c(p.m, p.n, p.c.type, static_cast<uint32_t>(length_of(*c)));
        p.d = wmma_c(p.m, p.n, p.d.type, static_cast<uint32_t>(length_of(*d)));
    } else {
        // As written: .row.col, or of m8n8k4 any two, which the set of modifiers cannot tell apart.
        const std::string& text = i.mnemonic;
        const auto written = [&](const char* layouts) { return text.find(layouts) != std::string::npos; };
        p.a = mma_a(p.m, p.k, p.a.type, written(".col.row.") || written(".col.col."));
        p.b = mma_b(p.n, p.k, p.b.type, written(".row.row.") || written(".col.row."));
        p.c = mma_c(p.m, p.n, p.k, p.c.type);
        p.d = mma_c(p.m, p.n, p.k, p.d.type);
    }
    for (const Fragment* f : {&p.a, &p.b, &p.c, &p.d}) { // as many registers as were written
        const auto outside = [&](uint16_t place) { return place >= f->rows * f->columns; };
        if (std::any_of(f->place.begin(), f->place.end(), outside))
            return base::say("a fragment has the wrong number of registers");
    }
    const auto width = [](const Fragment& f) { return static_cast<uint8_t>(f.register_bits() / 8); };
    if (!o.write_wide(*d, p.d.registers, width(p.d)) || !o.read_wide(*a, p.a.registers, width(p.a)) ||
        !o.read_wide(*b, p.b.registers, width(p.b)) || !o.read_wide(*c, p.c.registers, width(p.c)))
        return o.error;
    o.op.detail.number = static_cast<uint32_t>(o.decoder.program->products.size());
    o.decoder.program->products.push_back(std::move(p));
    o.op.full = o.op.masked = multiply_matrices;
    return {};
}

namespace {

// The N of ".m64n128k8"; 0: there is no such shape with that depth.
uint32_t warpgroup_columns(const std::string& mnemonic, uint32_t depth) {
    const size_t at = mnemonic.find(".m64n");
    uint32_t n = 0, k = 0;
    if (at == std::string::npos) return 0;
    const char *p = mnemonic.data() + at + 5, *end = mnemonic.data() + mnemonic.size();
    const auto [after, error] = std::from_chars(p, end, n);
    if (error != std::errc() || after == end || *after != 'k') return 0;
    const auto [last, wrong] = std::from_chars(after + 1, end, k);
    const bool ends = wrong == std::errc() && (last == end || *last == '.');
    return ends && n % 8 == 0 && n <= 256 && k == depth ? n : 0;
}

bool sign_of(const ptx::Operand* o, bool& negated) { // 1 or -1
    if (!o || o->kind != ptx::OperandKind::immediate || (o->bits != 1 && o->bits != ~uint64_t{0})) return false;
    negated = o->bits != 1;
    return true;
}

} // namespace

// d, a or its descriptor, b's descriptor, whether it adds, the signs of a and b, of 16-bit types whether a
// (in shared memory) and b are transposed
base::Sentence decode_warpgroup_product(Operands& o) {
    const auto& i = o.instruction;
    WarpgroupProduct w;
    MatrixProduct& p = w.product;
    if (i.types.size() != 3 || i.types[0] != Type::f32 || i.types[1] != i.types[2])
        return base::say("only sums in f32 of factors of one type are executed");
    const Type type = i.types[1];
    if (type != Type::tf32 && type != Type::f16 && type != Type::bf16)
        return base::say("only factors of tf32, f16 and bf16 are executed");
    // All of a product is one sum, 8 terms of tf32 or 16 of 16 bits, cut off and rounded as mma's on Hopper: that is known
    // of mma. Of wgmma it is assumed until tests/data/ptx/wgmma_*.ptx hold a GPU's values.
    p.m = 16, p.k = type == Type::tf32 ? 8 : 16;
    p.n = warpgroup_columns(i.mnemonic, p.k);
    if (p.n == 0) return base::say("there is no such shape of these types");
    const ptx::Operand &d = *o.at(0), &a = *o.at(1), &b = *o.at(2), &adds = *o.at(3);
    w.a_in_registers = a.kind == ptx::OperandKind::vector;
    if (!sign_of(o.at(4), w.a_negated) || !sign_of(o.at(5), w.b_negated))
        return base::say("the signs of A and B are 1 or -1");
    const size_t transpositions = type == Type::tf32 ? 0 : w.a_in_registers ? 1 : 2;
    if (i.operands.size() != 6 + transpositions)
        return base::say("there is not one transposition for each matrix of 16-bit types in shared memory");
    for (size_t n = 0; n < transpositions; ++n) {
        const ptx::Operand& t = *o.at(6 + n);
        if (t.kind != ptx::OperandKind::immediate || t.bits > 1) return base::say("a transposition is 0 or 1");
        (n + 1 == transpositions ? w.b_transposed : w.a_transposed) = t.bits == 1;
    }
    p.a = mma_a(p.m, p.k, type, false);
    p.b.type = type;
    p.c = p.d = mma_c(p.m, p.n, p.k, Type::f32);
    if (!o.write_wide(d, p.d.registers, 4)) return o.error;
    if (w.a_in_registers ? !o.read_wide(a, p.a.registers, 4) : (o.read(0, a, 8), !o.error.empty())) return o.error;
    o.read(1, b, 8);
    o.read(2, adds, 0);
    if (!o.error.empty()) return o.error;
    for (const auto* list : {&o.wide.written, &o.wide.read})
        for (const RowAt at : *list) {
            if (at == no_row) return base::say("an accumulator is missing");
            if (!(at & 1)) o.decoder.draft->registers[at >> 1].kept = true;
        }
    o.op.detail.number = static_cast<uint32_t>(o.decoder.program->warpgroup_products.size());
    o.decoder.program->warpgroup_products.push_back(std::move(w));
    o.op.full = o.op.masked = multiply_in_warpgroup;
    return {};
}

base::Sentence decode_product_wait(Operands& o) {
    const auto* n = o.at(0);
    if (!n || n->kind != ptx::OperandKind::immediate) return base::say("the number of groups is not a constant");
    o.op.detail.groups_left = static_cast<uint32_t>(std::min<uint64_t>(n->bits, ~0u));
    o.op.full = o.op.masked = wait_products;
    return {};
}

base::Sentence decode_fragment(Operands& o) { // wmma.load, wmma.store
    const auto& i = o.instruction;
    const auto& m = i.modifiers;
    const bool loads = i.opcode != Opcode::wmma_store_d;
    const ptx::Operand *data = o.at(loads ? 0 : 1), *address = o.at(loads ? 1 : 0), *stride = o.at(2);
    Shape s;
    if (!data || !address || i.types.size() != 1 || !shape_of(m, s))
        return base::say("an operand, the type or the shape is missing");
    const Type type = i.types[0];
    const auto registers = static_cast<uint32_t>(length_of(*data));
    StoredFragment f{.fragment = {}, .by_columns = m.has(Modifier::col), .b = i.opcode == Opcode::wmma_load_b};
    const bool a = i.opcode == Opcode::wmma_load_a;
    if ((a || f.b) && !wmma_has(s, type)) return base::say("there is no such shape of this type");
    const uint32_t k = depth(s, type), elements = a ? s.m * k : f.b ? s.n * k : s.m * s.n;
    if (!(a || f.b ? holds_factor(*data, elements, type) : holds_sum(*data, elements, type)))
        return base::say("the vector has the wrong length");
    f.fragment = a     ? wmma_a(s.m, k, type, registers)
                 : f.b ? wmma_b(s.n, k, type, registers)
                       : wmma_c(s.m, s.n, type, registers);
    if (f.fragment.element_bits() < 8 && f.by_columns != f.b) return base::say("4-bit elements lie along K");
    const auto width = static_cast<uint8_t>(f.fragment.register_bits() / 8);
    if (!(loads ? o.write_wide(*data, registers, width) : o.read_wide(*data, registers, width))) return o.error;
    const uint32_t natural = (f.by_columns ? f.fragment.rows : f.fragment.columns) * (type == Type::b1 ? 32 : 1);
    if (stride) o.read(1, *stride, 4);
    else o.op.row[1] = o.decoder.draft->value(natural, 4);
    o.op.bytes = 4;
    o.op.space = space_of(m);
    o.op.address = o.address_row(*address, o.op.address_bytes, o.op.offset);
    o.op.detail.number = static_cast<uint32_t>(o.decoder.program->fragments.size());
    o.decoder.program->fragments.push_back(std::move(f));
    o.op.full = o.op.masked = loads ? load_fragment : store_fragment;
    return o.error;
}

base::Sentence decode_matrix_rows(Operands& o) { // ldmatrix, stmatrix
    const auto& i = o.instruction;
    const bool loads = i.opcode == Opcode::ldmatrix_sync;
    const ptx::Operand *data = o.at(loads ? 0 : 1), *address = o.at(loads ? 1 : 0);
    if (!data || !address) return base::say("an operand is missing");
    const auto& m = i.modifiers;
    const size_t count = m.has(Modifier::x4) ? 4 : m.has(Modifier::x2) ? 2 : 1;
    if (length_of(*data) != count) return base::say("the vector has the wrong length");
    if (!m.has(Modifier::m8n8) || i.types != std::vector{Type::b16})
        return base::say("only matrices of 8 by 8 halfwords are executed");
    for (size_t n = 0; n < count; ++n) {
        const ptx::Operand& element = data->kind == ptx::OperandKind::vector ? data->elements[n] : *data;
        if (loads) o.write(static_cast<int>(n), element, 4);
        else o.read(static_cast<int>(n), element, 4);
    }
    o.op.elements = static_cast<uint8_t>(count);
    o.op.bytes = 16;
    o.op.detail.transposed = m.has(Modifier::trans);
    o.op.space = space_of(m);
    o.op.address = o.address_row(*address, o.op.address_bytes, o.op.offset);
    o.op.full = o.op.masked = loads ? load_matrix : store_matrix;
    return o.error;
}

base::Sentence decode_transposition(Operands& o) { // movmatrix
    const ptx::Operand *d = o.at(0), *a = o.at(1);
    if (!d || !a) return base::say("an operand is missing");
    o.write(0, *d, 4);
    o.read(1, *a, 4);
    o.op.full = o.op.masked = transpose_matrix;
    return o.error;
}

base::Sentence decode_product_commit(Operands& o) {
    o.op.full = o.op.masked = commit_products;
    return {};
}

} // namespace sim
