// A tensor map as the CPU engine has it: a tensor in global memory and the boxes of it that
// cp.async.bulk.tensor copies (manual, section 5.5). How hardware encodes its 128 bytes is not public; ours
// are this struct's. Whoever fills a kernel's arguments writes one, the engine reads it.
#pragma once

#include "base/sentence.h"

#include <cstdint>
#include <string>
#include <type_traits>

namespace trace {

struct alignas(64) TensorMap {
    static constexpr uint64_t ours = 0x70616D20726F736E; // "nsor map"
    static constexpr int most_dimensions = 5;

    uint64_t mark = ours;
    uint64_t address = 0;                // in global memory
    uint64_t size[most_dimensions] = {}; // elements; the innermost dimension first, here and below
    uint64_t stride[most_dimensions - 1] =
        {};                             // bytes from one index to the next, of the second dimension and those after it
    uint16_t box[most_dimensions] = {}; // elements
    uint8_t dimensions = 0;
    uint8_t element_bytes = 0;
    uint8_t swizzle = 0; // bytes: 0 (none), 32, 64 or 128
    uint8_t to_tf32 = 0; // 1: elements are floats, and arrive in shared memory rounded to TF32
    uint8_t unused[26] = {};

    uint32_t row_bytes() const { return uint32_t{box[0]} * element_bytes; } // of a box, in shared memory
    uint64_t rows() const;                                                  // of a box, in all dimensions
    uint64_t box_bytes() const { return rows() * row_bytes(); }
};
static_assert(sizeof(TensorMap) == 128 && std::has_unique_object_representations_v<TensorMap>);

// What makes it no tensor map that can be copied through, "it is no tensor map: ..."; empty: nothing. The
// limits are those of cuTensorMapEncodeTiled (CUDA Driver API); the rows of a swizzled box must fill the
// swizzle's bytes, because how shorter ones lie in shared memory is not documented.
base::Sentence fault_of(const TensorMap&);

// Where the 16 bytes at `at` in shared memory lie once they are swizzled over `bytes`: the number of the 16
// bytes among the swizzle's is combined with that of the 128 bytes (CUDA C++ Programming Guide, "TMA
// swizzle").
constexpr uint64_t swizzled(uint64_t at, uint32_t bytes) { return bytes == 0 ? at : at ^ (at >> 3 & (bytes - 16)); }

} // namespace trace
