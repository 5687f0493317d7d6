// Machine instructions of warpgroups: their products, and the registers that they give each other.
#include "sim/sass/lowering.h"

#include <algorithm>
#include <charconv>

namespace sim {

using ptx::Opcode;
using ptx::Type;

// WARPGROUP.ARRIVE orders what is written to registers before products; DEPBAR waits for groups of them.
void Lowering::order_products() {
    if (!i_->has("DEPBAR")) return do_nothing();
    Operation& op = append(What::wait_products, 0);
    op.full = op.masked = wait_products;
    op.detail.groups_left = static_cast<uint32_t>(at(1).value);
}

// TRY_ALLOC says whether it got them, and is asked again if it did not: the engine lets it wait.
void Lowering::set_registers() {
    const bool takes = i_->has("TRY_ALLOC");
    Operation& op = append(What::set_registers, 0);
    if (takes) write_predicate(op, 0, at(0));
    op.detail.registers = {.count = static_cast<uint16_t>(i_->operands.back().value), .takes = takes};
    op.flow = Flow::poll;
    op.full = op.masked = sim::set_registers;
}

namespace {

// Of "64x128x16".
struct ProductShape {
    uint32_t n = 0, k = 0;
};
ProductShape shape_of(std::string_view text) {
    ProductShape s;
    const char* const end = text.data() + text.size();
    constexpr size_t rows = 3; // "64x"
    const auto [after, error] = std::from_chars(text.data() + std::min(rows, text.size()), end, s.n);
    if (error == std::errc() && after != end) std::from_chars(after + 1, end, s.k);
    return s;
}

} // namespace

// d, descriptors of A and B, c, whether it is added, scoreboard; A may lie in registers, of which the first is told. The descriptors stand
// in four uniform registers, whether A's is needed or not. The scoreboard closes a group.
void Lowering::multiply_in_warpgroup() {
    const bool in_registers = at(1).kind == Kind::register_;
    const Operand &d = at(0), &described = at(in_registers ? 2 : 1), &c = at(in_registers ? 3 : 2),
                  &adds = at(in_registers ? 4 : 3);
    const Type type = i_->has("TF32") ? Type::tf32 : i_->has("BF16") ? Type::bf16 : Type::f16;
    const ProductShape shape = shape_of(i_->modifiers[0]);
    const bool nothing_added = c.number == sass::zero_register;
    if (!i_->has("F32") || shape.n == 0 || shape.k != (type == Type::tf32 ? 8 : 16) ||
        d.number == sass::zero_register || (!nothing_added && c.number != d.number))
        return cannot();
    WarpgroupProduct w;
    MatrixProduct& p = w.product;
    p.m = 16, p.n = shape.n, p.k = shape.k; // one warp's quarter
    p.a = mma_a(p.m, p.k, type, false);
    p.b.type = type;
    p.c = p.d = mma_c(p.m, p.n, p.k, Type::f32);
    w.a_in_registers = in_registers;
    w.a_negated = in_registers && at(1).negated;
    w.a_transposed = described.suffix.find("tnspA") != std::string_view::npos;
    w.b_transposed = described.suffix.find("tnspB") != std::string_view::npos;
    const RowAt a = in_registers ? no_row : matrix_descriptor(described.number);
    const RowAt b = matrix_descriptor(static_cast<uint16_t>(described.number + 2));
    Operation& op = append(What::multiply_in_warpgroup, 0);
    if (!in_registers) op.row[0] = a, op.width[0] = 8;
    op.row[1] = b, op.width[1] = 8;
    if (nothing_added) op.row[2] = constant(0, 0);
    else read_predicate(op, 2, adds);
    WideRows rows;
    for (uint32_t n = 0; n < p.d.registers; ++n)
        rows.written.push_back(register_row(general, static_cast<uint16_t>(d.number + n)));
    for (uint32_t n = 0; in_registers && n < p.a.registers; ++n)
        rows.read.push_back(register_row(general, static_cast<uint16_t>(at(1).number + n)));
    for (const auto* list : {&rows.written, &rows.read})
        for (const RowAt at : *list) draft_.registers[at >> 1].kept = true;
    op.wide = static_cast<uint32_t>(program_.wide.size());
    program_.wide.push_back(std::move(rows));
    op.detail.number = static_cast<uint32_t>(program_.warpgroup_products.size());
    program_.warpgroup_products.push_back(std::move(w));
    op.full = op.masked = sim::multiply_in_warpgroup;
    if (i_->operands.back().kind != Kind::scoreboard) return;
    Operation& commit = append(What::commit_products, 0);
    commit.full = commit.masked = commit_products;
}

// Its first field counts shared memory as machine code does, in 16 bytes.
RowAt Lowering::matrix_descriptor(uint16_t first) {
    const RowAt low = new_register(4);
    compute(What::subtract, Opcode::sub, Type::u32, {}, {low, 4},
            {{register_row(uniform, first), 4},
             {constant(static_cast<uint64_t>(shared_base(banks_.sm)) / MatrixDescriptor::chunk, 4), 4}});
    return joined(low, register_row(uniform, static_cast<uint16_t>(first + 1)));
}

} // namespace sim
