// What is done by vector instructions but is no handler of an instruction: compiled with the lane handlers, once for every
// instruction set.
#pragma once

#include "sim/lanes/access.h"

#include <cstdint>
#include <span>

namespace sim {

// Lanes of a warp that load or store `bytes` each, whole words, at `at`; or, with `runs`, as stretches from `low` on.
struct LaneTouches {
    uint32_t warp = 0, lanes = 0;
    Touch by = 0; // with lane 0 and all bytes of a word
    const uint64_t* at = nullptr;
    uint64_t bytes = 0;
    bool loads = false;
    const Pattern::Run* run = nullptr;
    uint32_t runs = 0;
    uint64_t low = 0;
};

constexpr int global_block_at = 40, global_lane_at = 25; // in a GlobalTouch
// Words of global memory that lie together, of one page of its shadow, and what lanes `lane` and following do with them: 2^each words a lane.
struct GlobalStretch {
    uint64_t block = 0, touch = 0; // GlobalTouch: the block's number, the touch by lane 0
    uint32_t count = 0, lane = 0, each = 0;
    uint64_t *writer = nullptr, *reader = nullptr,
             *other_reader = nullptr; // GlobalTouch; the last two nullptr: nobody has read there
    uint32_t* value = nullptr;        // that was stored last
    const uint32_t* stored = nullptr; // nullptr: it is a load
};

// d = a * b + c, elements as bits in the order that Fragment says. Floats: a and b of one format, of which the lowest `dropped`
// bits are not looked at; c and d single, added up as tensor cores do it, `step` products at once.
struct FloatProduct {
    uint32_t m = 0, n = 0, k = 0, step = 0, exponent_bits = 0, fraction = 0, dropped = 0;
    const uint64_t *a = nullptr, *b = nullptr, *c = nullptr;
    uint64_t* d = nullptr;
};
struct DoubleProduct {
    uint32_t m = 0, n = 0, k = 0;
    const uint64_t *a = nullptr, *b = nullptr, *c = nullptr;
    uint64_t* d = nullptr;
};

struct Vectors {
    // Notes them. False: they may be in a race, or meet bytes that are not to be loaded or stored, and nothing was noted.
    bool (*touch_lanes)(const SharedView&, const LaneTouches&);
    // Whether each of so many bytes of shared memory, whose states these are, holds what was written there.
    bool (*all_written)(const uint8_t* state, uint64_t bytes);
    // The access of these lanes at Operation::address, with its shape.
    Access (*prepare)(Warp&, const Operation&, uint32_t active, uint32_t bytes);
    // A load or store of which nothing but where it leads is wanted: no data are moved.
    Handler reach_for_load, reach_for_store;
    // Notes them. False: others have touched some of them, and nothing was noted.
    bool (*note_global)(const GlobalStretch&);
    // False: not of this shape, or a number is infinite or none; what d holds then is nothing.
    bool (*multiply_floats)(const FloatProduct&);
    bool (*multiply_doubles)(const DoubleProduct&);
    // Of What::add_with_carries: [are there three terms and not two][are there carries in].
    Handler add_with_carries[2][2];
};

// As multiply() of tensor_core.h, by vector instructions where they can.
struct MatrixProduct;
void multiply(const Vectors&, const MatrixProduct&, std::span<const uint64_t> a, std::span<const uint64_t> b,
              std::span<const uint64_t> c, std::span<uint64_t> d);

extern const Vectors vectors_baseline, vectors_avx2, vectors_avx512;

} // namespace sim
