// Addresses of shared memory as instructions name it: the block's own, or with its rank above the offset (rank_unit in warp.h)
// another block's of the cluster.
#pragma once

#include "sim/lanes/warp.h"

#include <cstdint>

namespace sim {

// `bytes`: of the register, 4 or 8. An address of 8 bytes that leads elsewhere is beyond all shared memory.
inline uint64_t shared_address(const Operation& op, uint64_t in_register, uint8_t bytes, int64_t offset) {
    const uint64_t address = in_register + static_cast<uint64_t>(offset);
    if (bytes == 4) return static_cast<uint32_t>(address);
    return op.space == Space::shared && address < window_bytes ? address : address - shared_window;
}
inline uint64_t shared_address(const Warp& w, const Operation& op, RowAt at, uint8_t bytes, int64_t offset,
                               uint32_t lane) {
    return bytes == 4 ? shared_address(op, row<uint32_t>(w, at)[lane], bytes, offset)
                      : shared_address(op, row<uint64_t>(w, at)[lane], bytes, offset);
}

} // namespace sim
