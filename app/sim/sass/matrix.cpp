// Products of matrices, and how their fragments come from shared memory and go there. What lies where among the lanes is as PTX's mma,
// ldmatrix and stmatrix have it: ptxas makes one of these of each.
#include "sim/sass/lowering.h"

#include <algorithm>

namespace sim {

using ptx::Opcode;
using ptx::Type;

namespace {

struct Shape {
    std::string_view word;
    uint32_t m, n, k;
};
constexpr Shape shapes[] = {{"1684", 16, 8, 4},     {"1688", 16, 8, 8},     {"16816", 16, 8, 16},  {"16832", 16, 8, 32},
                            {"16864", 16, 8, 64},   {"8816", 8, 8, 16},     {"8832", 8, 8, 32},    {"88128", 8, 8, 128},
                            {"168128", 16, 8, 128}, {"168256", 16, 8, 256}, {"884", 8, 8, 4},      {"8x8x4", 8, 8, 4},
                            {"16x8x4", 16, 8, 4},   {"16x8x8", 16, 8, 8},   {"16x8x16", 16, 8, 16}};

constexpr std::pair<std::string_view, Type> integer_types[] = {
    {"U8", Type::u8}, {"S8", Type::s8}, {"U4", Type::u4}, {"S4", Type::s4}};

// Types of A, B and the sums; false: a modifier says something else.
bool set_types(const sass::Instruction& i, MatrixProduct& p) {
    Type sum = i.opcode == "DMMA" ? Type::f64 : Type::s32;
    Type factors[2] = {Type::f16, Type::f16};
    if (i.opcode == "DMMA") factors[0] = factors[1] = Type::f64;
    if (i.opcode == "BMMA") factors[0] = factors[1] = Type::b1;
    int known = 0;
    for (const std::string_view m : i.modifiers) {
        const auto* integer = std::find_if(std::begin(integer_types), std::end(integer_types),
                                           [&](const auto& t) { return t.first == m; });
        if (integer != std::end(integer_types) && known < 2) factors[known++] = integer->second;
        else if (m == "F32") sum = Type::f32;
        else if (m == "F16") sum = Type::f16;
        else if (m == "BF16") factors[0] = factors[1] = Type::bf16;
        else if (m == "TF32") factors[0] = factors[1] = Type::tf32;
        else if (m == "SAT") p.saturate = true;
        else if (m == "AND") p.operation = MatrixProduct::Operation::and_popc;
        else if (m == "XOR") p.operation = MatrixProduct::Operation::xor_popc;
        else if (m == "SP") return false;
    }
    p.a.type = factors[0], p.b.type = factors[1];
    p.c.type = p.d.type = sum;
    return true;
}

// As many registers of the machine as `o` has.
bool fills(const Fragment& f, const sass::Operand& o) { return f.registers * f.register_bits() / 32 == o.registers; }

} // namespace

// HMMA, IMMA, BMMA, DMMA: d, a, b, c.
void Lowering::multiply_matrices() {
    MatrixProduct p;
    const auto* shape =
        std::find_if(std::begin(shapes), std::end(shapes), [&](const Shape& s) { return i_->has(s.word); });
    if (shape == std::end(shapes) || !set_types(*i_, p)) return cannot();
    p.m = shape->m, p.n = shape->n;
    p.k = p.a.type == Type::b1 ? shape->k / 32 : shape->k;
    p.step = std::min(p.a.type == Type::tf32 ? 8u : 16u, p.k);
    p.a = mma_a(p.m, p.k, p.a.type, false);
    p.b = mma_b(p.n, p.k, p.b.type, false);
    p.c = p.d = mma_c(p.m, p.n, p.k, p.c.type);
    if (!fills(p.d, at(0)) || !fills(p.a, at(1)) || !fills(p.b, at(2)) || !fills(p.c, at(3))) return cannot();
    WideRows wide;
    const uint32_t each = p.d.register_bits() / 32;
    for (const auto& [f, operand] : {std::pair{&p.a, 1}, std::pair{&p.b, 2}, std::pair{&p.c, 3}})
        for (uint32_t r = 0; r < f->registers; ++r) {
            const Operand& o = at(static_cast<size_t>(operand));
            wide.read.push_back(each == 2 ? joined(second_of(o, 2 * r), second_of(o, 2 * r + 1)) : second_of(o, r));
        }
    for (uint32_t r = 0; r < p.d.registers; ++r)
        wide.written.push_back(each == 2 ? new_register(8) : written(at(0), r));
    Operation& op = append(What::multiply_matrices, 0);
    op.full = op.masked = sim::multiply_matrices;
    op.detail.number = static_cast<uint32_t>(program_.products.size());
    op.wide = static_cast<uint32_t>(program_.wide.size());
    const std::vector<RowAt> sums = wide.written;
    program_.wide.push_back(std::move(wide));
    program_.products.push_back(std::move(p));
    for (uint32_t r = 0; each == 2 && r < sums.size(); ++r)
        split(sums[r], written(at(0), 2 * r), written(at(0), 2 * r + 1));
}

// LDSM d, address; STSM address, d: one register of each matrix.
void Lowering::access_matrices() {
    const bool loads = i_->opcode == "LDSM";
    if (!only({"16", "M88", "MT88", "2", "4"})) return cannot();
    const Operand &data = at(loads ? 0 : 1), &place = at(loads ? 1 : 0);
    Operation where;
    where.space = Space::shared;
    const RowAt row = address(place, where);
    Operation& op = append(loads ? What::load_matrix : What::store_matrix,
                           loads ? static_cast<uint8_t>((1u << data.registers) - 1) : 0);
    op.full = op.masked = loads ? load_matrix : store_matrix;
    op.address = row, op.offset = where.offset, op.address_bytes = where.address_bytes;
    op.space = Space::shared;
    op.bytes = matrix_row_bytes;
    op.elements = data.registers;
    op.detail.transposed = i_->has("MT88");
    for (uint32_t n = 0; n < data.registers; ++n) {
        op.row[n] = loads ? written(data, n) : second_of(data, n);
        op.width[n] = 4;
    }
}

void Lowering::transpose_matrix() { // MOVM d, a
    if (!only({"16", "MT88"})) return cannot();
    const RowAt a = plain(at(1));
    Operation& op = append(What::transpose_matrix, 1);
    op.full = op.masked = sim::transpose_matrix;
    op.row[0] = written(at(0)), op.row[1] = a;
    op.width[0] = op.width[1] = 4;
}

} // namespace sim
