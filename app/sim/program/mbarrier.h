// What instructions do with mbarriers and bulk copies, as far as it is fixed (manual, sections 9.7.13.15 and 9.7.9.25.4).
#pragma once

#include "sim/program/operation.h"

#include <cstdint>

namespace sim {

// What an instruction does with its mbarrier.
struct MbarrierUse {
    enum What : uint8_t { initialise, invalidate, expect, complete, arrive } what = arrive;
    bool expects = false;          // bytes, before it arrives
    bool drops = false;            // and is not expected again
    bool stays_incomplete = false; // says that it is not the phase's last
};

// What is fixed of an instruction's bulk copies.
struct BulkUse {
    bool to_shared = false, from_shared = false;
    bool from_registers = false; // st.async and red.async: rows 2 and following
    bool multicast = false;      // to each block of the cluster that the mask in row 7 names
    bool of_warp = false;        // its groups are the warp's, not one thread's
    uint8_t source_bytes = 8, barrier_bytes = 4, element_bytes = 1; // of addresses, and of what is combined
    uint8_t dimensions =
        0; // of a tensor copy: Operation::address is the box's in shared memory, Operation::source the map's
    int64_t barrier_offset = 0;
    Combine combine = nullptr; // nullptr: copies
};

} // namespace sim
