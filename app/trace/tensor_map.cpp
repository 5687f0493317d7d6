#include "trace/tensor_map.h"

namespace trace {

uint64_t TensorMap::rows() const {
    uint64_t count = 1;
    for (int d = 1; d < dimensions; ++d) count *= box[d];
    return count;
}

base::Sentence fault_of(const TensorMap& map) {
    if (map.mark != TensorMap::ours) return base::say("it is not a tensor map");
    const int n = map.dimensions, bytes = map.element_bytes;
    if (n < 1 || n > TensorMap::most_dimensions)
        return base::say("a tensor has 1 to {} dimensions, not {}", TensorMap::most_dimensions, n);
    if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8)
        return base::say("an element has 1, 2, 4 or 8 bytes, not {}", bytes);
    if (map.to_tf32 > 1 || (map.to_tf32 == 1 && bytes != 4))
        return base::say("elements that are rounded to TF32 have 4 bytes, not {}", bytes);
    if (map.address % 16 != 0) return base::say("the tensor's address is not a multiple of 16");
    for (int d = 0; d < n; ++d) {
        if (map.box[d] < 1 || map.box[d] > 256)
            return base::say("a box has 1 to 256 elements in each dimension, not {}", map.box[d]);
        if (map.size[d] < 1 || map.size[d] > uint64_t{1} << 32) return base::say("a dimension has 1 to 2^32 elements");
        if (d > 0 && (map.stride[d - 1] % 16 != 0 || map.stride[d - 1] >> 40 != 0))
            return base::say("a stride is a multiple of 16 bytes below 2^40");
    }
    if (map.row_bytes() % 16 != 0)
        return base::say("the rows of a box are a multiple of 16 bytes, not {}", map.row_bytes());
    if (map.swizzle != 0 && map.swizzle != 32 && map.swizzle != 64 && map.swizzle != 128)
        return base::say("a swizzle is over 32, 64 or 128 bytes");
    if (map.swizzle != 0 && map.row_bytes() != map.swizzle)
        return base::say("boxes swizzled over {} bytes have rows of as many, not {}", map.swizzle, map.row_bytes());
    constexpr uint64_t most_bytes = 256u << 10; // more than any GPU's shared memory
    if (map.box_bytes() > most_bytes) return base::say("a box of {} bytes fits no shared memory", map.box_bytes());
    return {};
}

} // namespace trace
