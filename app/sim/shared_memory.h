// The shared memory of one block with what is known of each byte and word: written or not, and by whom since the
// last barrier.
#pragma once

#include "sim/warp.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sim {

// 0: nobody.
inline uint32_t touch_tag(Touch t) { return static_cast<uint32_t>(t >> 32); }
inline uint32_t touch_pc(Touch t) { return static_cast<uint32_t>(t); }

struct SharedMemory {
    enum : uint8_t { unwritten = 0, written = 1, pending = 2 }; // pending: an async copy's target before its wait

    std::vector<std::byte> data;
    std::vector<uint8_t> state;         // per byte
    // Per 4-byte word. Two readers of different warps are enough: a third warp's write conflicts with either, and a
    // write of one of them with the other.
    std::vector<Touch> writer, reader, other_reader;
    uint32_t epoch = 1;                 // counts barriers; never 0, so that old touches need no clearing

    void reset(uint32_t bytes) {
        data.assign(bytes, std::byte{0});
        state.assign(bytes, unwritten);
        const size_t words = (bytes + 3) / 4;
        // Touches of former blocks are of older epochs.
        if (writer.size() != words || epoch > (1u << 26)) {
            writer.assign(words, 0);
            reader.assign(words, 0);
            other_reader.assign(words, 0);
            epoch = 0;
        }
        ++epoch;
    }
    SharedView view() {
        return {data.data(), state.data(), writer.data(), reader.data(), other_reader.data(), data.size(), &epoch};
    }
    uint32_t tag(uint32_t warp) const { return epoch << 5 | warp; }
};

} // namespace sim
