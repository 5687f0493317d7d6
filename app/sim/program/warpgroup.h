// Products of a warpgroup: what is fixed of wgmma.mma_async (manual, section 9.7.15).
#pragma once

#include "sim/program/operation.h"
#include "sim/program/tensor_core.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sim {

struct Warp;

struct WarpgroupProduct {
    MatrixProduct product; // of one warp: 16 of the 64 rows
    bool a_in_registers = false;
    bool a_negated = false, b_negated = false;
    bool a_transposed = false, b_transposed = false; // M and N run along memory, not K
};

// A matrix in shared memory as an operand of 64 bits describes it (manual, section 9.7.15.5.1.2.2, "Matrix
// descriptor format").
struct MatrixDescriptor {
    static constexpr uint32_t chunk = 16; // bytes that stay together in every layout

    uint64_t start = 0;               // bytes, as the two below
    uint64_t leading = 0, stride = 0; // from one group of elements to the next: see place()
    uint32_t swizzle = 0;             // bytes: 0, 32, 64 or 128
    uint32_t base_offset = 0;

    explicit MatrixDescriptor(uint64_t bits);

    // Where the 16 bytes begin that hold element (i, k), i along M or N; `each` elements fill 16 bytes.
    uint64_t place(uint32_t i, uint32_t k, uint32_t each, bool transposed) const;
};

// What one warp's product reads of such a matrix.
struct MatrixPart {
    MatrixDescriptor memory{0};
    uint32_t first = 0, count = 0; // rows of A or columns of B; 0: the operand lies in registers
    bool transposed = false;

    static uint32_t depth(uint32_t bytes) { return 2 * MatrixDescriptor::chunk / bytes; } // of a product along K
    // Calls f(place, i, k) for every 16 bytes, which begin with the element in row or column `first` + i; `bytes`: of an element.
    template <class F>
    void each_piece(uint32_t bytes, F f) const {
        const uint32_t each = MatrixDescriptor::chunk / bytes;
        for (uint32_t i = 0; i < count; i += transposed ? each : 1)
            for (uint32_t k = 0; k < depth(bytes); k += transposed ? 1 : each)
                f(memory.place(first + i, k, each, transposed), i, k);
    }
};

// An operation other than the products that reads or writes registers which belong to one while it is
// pending. Its handlers stand here; in the operation stands one that looks first.
struct AccumulatorUse {
    Handler full = nullptr, masked = nullptr;
    struct Register {
        RowAt at = no_row;
        bool written = false;
        std::string name;
    };
    std::vector<Register> registers;
};

// A fragment's elements from and to the registers of a warp (matrix.cpp); `rows`: one for each register.
void gather(const Warp&, const Fragment&, const RowAt* rows, std::vector<uint64_t>& elements);
void scatter(const Warp&, const Fragment&, const RowAt* rows, std::span<const uint64_t> elements, uint32_t active);

} // namespace sim
