// What the lanes of a store write.
#pragma once

#include "sim/checks/report.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace sim {

// What one lane writes, all elements. False: it is not known.
bool stored_bytes(const Warp&, const Operation&, int lane, std::byte (&bytes)[64]);
// What all lanes write, lane by lane; in `room` where the rows do not hold it so. nullptr: it is not known.
using StoredRoom = std::array<uint32_t, 16 * trace::warp_size>; // 64 bytes of each lane
const uint32_t* stored_words(const Warp&, const Operation&, StoredRoom& room);

// Finds lanes of one store that write different values to the same place: which one stays is not defined.
void check_overlaps(const BlockContext&, Report&, const Warp&, const Operation&, const Access&, uint32_t lanes, Space);

} // namespace sim
