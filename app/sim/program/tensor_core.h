// Products of small matrices as a warp computes them: where each element lies among the lanes' registers, and how the
// tensor cores round. Sources: the fragments as the PTX manual draws them (sections 9.7.14.4 and 9.7.14.5); the rounding
// as published for Hopper (Khattak and Mikaitis, "Accurate models of NVIDIA tensor cores", arXiv 2512.07004; Xie et al.,
// "MMA-Sim") and as tests/data/ptx/mma_*.ptx recorded it on an H200, bit for bit.
#pragma once

#include "ptx/isa.h"

#include <cstdint>
#include <span>
#include <vector>

namespace sim {

// One matrix spread over the registers of a warp. Elements are counted so that a dot product runs over neighbours: A by
// rows, B by columns; C and D by rows. Single bits are kept 32 together.
struct Fragment {
    ptx::Type type = ptx::Type::none;
    uint32_t registers = 0;         // of each lane
    uint32_t parts = 1;             // elements in a register
    uint32_t rows = 0, columns = 0; // of the matrix
    std::vector<uint16_t> place;    // [register][lane][part]: the element there; several places may hold the same
    uint32_t element_bits() const { return register_bits() / parts; }
    uint32_t register_bits() const { return type == ptx::Type::f64 ? 64 : 32; }
};

// A fragment as wmma.load and wmma.store find it in memory.
struct StoredFragment {
    Fragment fragment;
    bool by_columns = false;
    bool b = false; // counted by columns
};

struct MatrixProduct {
    enum class Operation : uint8_t { multiply, xor_popc, and_popc };
    uint32_t m = 0, n = 0, k = 0; // k of single bits: words
    uint32_t batch = 1;           // products side by side: 4 of m8n8k4, else 1
    uint32_t step = 16;           // products that are added at once, at most k
    Fragment a, b, c, d;
    Operation operation = Operation::multiply;
    bool saturate = false;
};

// Fragments of mma; `columns_first`: stored by columns (only m8n8k4 of f16 has both layouts).
Fragment mma_a(uint32_t m, uint32_t k, ptx::Type, bool columns_first);
Fragment mma_b(uint32_t n, uint32_t k, ptx::Type, bool rows_first);
Fragment mma_c(uint32_t m, uint32_t n, uint32_t k, ptx::Type);
// Fragments of wmma. The manual leaves their layout open; these are made of mma's. `registers` may be a multiple of what the
// matrix needs: the elements repeat, as on the hardware.
Fragment wmma_a(uint32_t m, uint32_t k, ptx::Type, uint32_t registers);
Fragment wmma_b(uint32_t n, uint32_t k, ptx::Type, uint32_t registers);
Fragment wmma_c(uint32_t m, uint32_t n, ptx::Type, uint32_t registers);

// d = a * b + c. Elements as bits, counted as Fragment says; `a` holds batch * m * k of them, `b` batch * n * k.
void multiply(const MatrixProduct&, std::span<const uint64_t> a, std::span<const uint64_t> b,
              std::span<const uint64_t> c, std::span<uint64_t> d);

} // namespace sim
