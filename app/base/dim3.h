// Three sizes or coordinates, x fastest, as CUDA counts threads and blocks.
#pragma once

#include <cstdint>

namespace base {

struct Dim3 {
    uint32_t x = 1, y = 1, z = 1;

    uint64_t count() const { return uint64_t{x} * y * z; }
    bool operator==(const Dim3&) const = default;
};

// The position of `index` (x fastest) in a box of `size`.
inline Dim3 position(uint64_t index, Dim3 size) {
    return {static_cast<uint32_t>(index % size.x), static_cast<uint32_t>(index / size.x % size.y),
            static_cast<uint32_t>(index / size.x / size.y)};
}

// The inverse of position().
inline uint64_t index_of(Dim3 at, Dim3 size) { return at.x + uint64_t{size.x} * (at.y + uint64_t{size.y} * at.z); }

} // namespace base
