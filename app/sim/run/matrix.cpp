// Matrix instructions as they run: fragments gathered from and scattered to the lanes (manual, section 9.7.14).
#include "sim/lanes/vectors.h"
#include "sim/run/block.h"

#include <algorithm>
#include <cstring>

namespace sim {
namespace {

// All lanes take part in an instruction of the warp; those that are missing keep what they have.
void check_together(Warp& w, const Operation& op, uint32_t active) {
    if (active != ~0u) w.block->report.not_together(w, op, active);
}

// Of registers of type R: what each lane holds, a part after the other, goes to its elements or comes from there.
template <class R>
void gather_from(const Warp& w, const Fragment& f, const RowAt* rows, uint64_t* elements) {
    const uint32_t bits = f.element_bits(), parts = f.parts;
    const uint64_t mask = ~uint64_t{0} >> (64 - bits);
    const uint16_t* place = f.place.data();
    for (uint32_t r = 0; r < f.registers; ++r) {
        const R* const reg = row<R>(w, rows[r]);
        if (parts == 1)
            for (uint32_t lane = 0; lane < 32; ++lane) elements[*place++] = reg[lane];
        else
            for (uint32_t lane = 0; lane < 32; ++lane)
                for (uint32_t part = 0; part < parts; ++part) elements[*place++] = reg[lane] >> (part * bits) & mask;
    }
}
template <class R>
void scatter_to(const Warp& w, const Fragment& f, const RowAt* rows, const uint64_t* elements, uint32_t active) {
    const uint32_t bits = f.element_bits(), parts = f.parts;
    for (uint32_t r = 0; r < f.registers; ++r) {
        if (rows[r] == no_row) continue;
        R* const reg = row<R>(w, rows[r]);
        const uint16_t* const place = f.place.data() + size_t{r} * 32 * parts;
        for (uint32_t lane = 0; lane < 32; ++lane) {
            uint64_t value = elements[place[lane * parts]];
            for (uint32_t part = 1; part < parts; ++part)
                value |= elements[place[lane * parts + part]] << (part * bits);
            if (active >> lane & 1) reg[lane] = static_cast<R>(value);
        }
    }
}

} // namespace

void gather(const Warp& w, const Fragment& f, const RowAt* rows, std::vector<uint64_t>& elements) {
    elements.assign(f.rows * f.columns, 0);
    (f.register_bits() == 64 ? gather_from<uint64_t> : gather_from<uint32_t>)(w, f, rows, elements.data());
}

void scatter(const Warp& w, const Fragment& f, const RowAt* rows, std::span<const uint64_t> elements, uint32_t active) {
    (f.register_bits() == 64 ? scatter_to<uint64_t> : scatter_to<uint32_t>)(w, f, rows, elements.data(), active);
}

namespace {

uint64_t address_of(const Warp& w, const Operation& op, uint32_t lane) {
    return op.address_bytes == 8
               ? row<uint64_t>(w, op.address)[lane] + static_cast<uint64_t>(op.offset)
               : static_cast<uint32_t>(row<uint32_t>(w, op.address)[lane] + static_cast<uint32_t>(op.offset));
}

// Checks and resolves an access with an address for each lane.
struct LaneAccess {
    trace::Addresses at{};
    std::byte* host[trace::warp_size] = {};

    void resolve_all(Warp& w, const Operation& op, uint32_t active, uint32_t bytes, Access::Direction direction) {
        const uint64_t first = at[static_cast<size_t>(__builtin_ctz(active))];
        for (size_t i = 0; i < at.size(); ++i)
            if (!(active >> i & 1)) at[i] = first;
        const auto [low, high] = std::minmax_element(at.begin(), at.end());
        Access a{at, *low, *high, active, bytes, direction};
        if (std::byte* base = resolve(w, op, a, host))
            for (size_t i = 0; i < at.size(); ++i) host[i] = active >> i & 1 ? base + (at[i] - a.low) : nullptr;
    }
};

// Lanes 8n to 8n + 7 give the addresses of matrix n's rows.
LaneAccess matrix_rows(Warp& w, const Operation& op, uint32_t active, Access::Direction direction) {
    LaneAccess rows;
    const uint32_t count = op.elements * 8u;
    const uint32_t lanes = active & (count == 32 ? ~0u : (1u << count) - 1);
    for (uint32_t i = 0; i < 32; ++i) rows.at[i] = address_of(w, op, i);
    if (lanes) rows.resolve_all(w, op, lanes, matrix_row_bytes, direction);
    return rows;
}

// Of the two halfwords that a lane holds, the place in the matrix.
struct Place {
    uint32_t row, column;
};
Place halfword_place(uint32_t lane, uint32_t part, bool transposed) {
    const Place p{lane / 4, lane % 4 * 2 + part};
    return transposed ? Place{p.column, p.row} : p;
}

} // namespace

void multiply_matrices(Warp& w, const Operation& op, uint32_t active) {
    check_together(w, op, active);
    if (!w.block->context.run.options.matrix_products) return;
    const MatrixProduct& p = w.block->context.program.products[op.detail.number];
    const WideRows& rows = wide_rows(w, op);
    const RowAt* a = rows.read.data();
    std::vector<uint64_t> left, right, addend, result(p.d.rows * p.d.columns);
    gather(w, p.a, a, left);
    gather(w, p.b, a + p.a.registers, right);
    gather(w, p.c, a + p.a.registers + p.b.registers, addend);
    multiply(*w.block->context.program.vectors, p, left, right, addend, result);
    scatter(w, p.d, rows.written.data(), result, active);
}

// elements: matrices.
void load_matrix(Warp& w, const Operation& op, uint32_t active) {
    check_together(w, op, active);
    const LaneAccess rows = matrix_rows(w, op, active, Access::load);
    for (uint32_t n = 0; n < op.elements; ++n) {
        if (op.row[n] == no_row) continue;
        for (uint32_t lane = 0; lane < 32; ++lane) {
            if (!(active >> lane & 1)) continue;
            uint32_t value = 0;
            for (uint32_t part = 0; part < 2; ++part) {
                const Place p = halfword_place(lane, part, op.detail.transposed);
                uint16_t half = 0;
                if (const std::byte* from = rows.host[n * 8 + p.row]) std::memcpy(&half, from + p.column * 2, 2);
                value |= static_cast<uint32_t>(half) << (16 * part);
            }
            row<uint32_t>(w, op.row[n])[lane] = value;
        }
    }
}

void store_matrix(Warp& w, const Operation& op, uint32_t active) {
    check_together(w, op, active);
    const LaneAccess rows = matrix_rows(w, op, active, Access::store);
    for (uint32_t n = 0; n < op.elements; ++n)
        for (uint32_t lane = 0; lane < 32; ++lane)
            for (uint32_t part = 0; part < 2 && active >> lane & 1; ++part) {
                const Place p = halfword_place(lane, part, op.detail.transposed);
                const auto half = static_cast<uint16_t>(row<uint32_t>(w, op.row[n])[lane] >> (16 * part));
                if (std::byte* to = rows.host[n * 8 + p.row]) std::memcpy(to + p.column * 2, &half, 2);
            }
}

void transpose_matrix(Warp& w, const Operation& op, uint32_t active) {
    check_together(w, op, active);
    const uint32_t* a = row<uint32_t>(w, op.row[1]);
    uint32_t result[32];
    for (uint32_t lane = 0; lane < 32; ++lane) {
        result[lane] = 0;
        for (uint32_t part = 0; part < 2; ++part) {
            const Place p = halfword_place(lane, part, true);
            result[lane] |= (a[p.row * 4 + p.column / 2] >> (16 * (p.column % 2)) & 0xFFFF) << (16 * part);
        }
    }
    for (uint32_t lane = 0; lane < 32; ++lane)
        if (active >> lane & 1) row<uint32_t>(w, op.row[0])[lane] = result[lane];
}

namespace {

// Where an element lies in memory, in bits from the address; `wmma.load` and `wmma.store` only.
uint64_t bit_offset(const Fragment& f, uint32_t element, bool by_columns, uint64_t stride, bool b) {
    const uint32_t inner = b ? f.rows : f.columns; // elements are counted by columns of B, by rows of the others
    const uint32_t r = b ? element % inner : element / inner, c = b ? element / inner : element % inner;
    return (by_columns ? c * stride + r : r * stride + c) * f.element_bits();
}

} // namespace

// row[1]: the stride. A register is one access where its elements are neighbours, else one each.
template <bool loads>
void move_fragment(Warp& w, const Operation& op, uint32_t active) {
    check_together(w, op, active);
    const StoredFragment& stored = w.block->context.program.fragments[op.detail.number];
    const Fragment& f = stored.fragment;
    const auto& rows = loads ? wide_rows(w, op).written : wide_rows(w, op).read;
    const uint64_t stride = row<uint32_t>(w, op.row[1])[__builtin_ctz(active)] /
                            (f.type == ptx::Type::b1 ? 32 : 1); // single bits are counted by words
    const bool whole = f.parts == 1 || (stored.by_columns == stored.b && f.place[1] == f.place[0] + 1);
    const uint32_t pieces = whole ? 1 : f.parts, bits = f.register_bits() / pieces;
    for (uint32_t r = 0; r < f.registers; ++r)
        for (uint32_t piece = 0; piece < pieces; ++piece) {
            LaneAccess access;
            for (uint32_t lane = 0; lane < 32; ++lane) {
                const uint32_t element = f.place[(r * 32 + lane) * f.parts + piece];
                access.at[lane] =
                    address_of(w, op, lane) + bit_offset(f, element, stored.by_columns, stride, stored.b) / 8;
            }
            access.resolve_all(w, op, active, bits / 8, loads ? Access::load : Access::store);
            for (uint32_t lane = 0; lane < 32; ++lane) {
                std::byte* at = access.host[lane];
                if (!at || rows[r] == no_row) continue;
                std::byte* reg = reinterpret_cast<std::byte*>(
                                     f.register_bits() == 64 ? static_cast<void*>(row<uint64_t>(w, rows[r]) + lane)
                                                             : static_cast<void*>(row<uint32_t>(w, rows[r]) + lane)) +
                                 piece * bits / 8;
                if (loads) std::memcpy(reg, at, bits / 8);
                else std::memcpy(at, reg, bits / 8);
            }
        }
}
void load_fragment(Warp& w, const Operation& op, uint32_t active) { move_fragment<true>(w, op, active); }
void store_fragment(Warp& w, const Operation& op, uint32_t active) { move_fragment<false>(w, op, active); }

} // namespace sim
