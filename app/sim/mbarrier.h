// The mbarriers of a block and the bulk copies and arrivals that wait for one (manual, sections 9.7.13.15 and 9.7.9.25.4).
#pragma once

#include "sim/operation.h"
#include "sim/block_order.h"
#include "sim/remote_shadow.h"
#include "trace/tensor_map.h"
#include "trace/trace.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

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
    uint8_t source_bytes = 8, barrier_bytes = 4, element_bytes = 1; // of addresses, and of what is combined
    uint8_t dimensions =
        0; // of a tensor copy: Operation::address is the box's in shared memory, Operation::source the map's
    int64_t barrier_offset = 0;
    Combine combine = nullptr; // nullptr: copies
};

struct Mbarrier {
    uint64_t phase = 0;                            // how many are complete
    int64_t expected = 0;                          // arrivals of a phase
    int64_t pending = 0;                           // arrivals that the phase still waits for
    int64_t transactions = 0;                      // bytes that it still waits for
    VectorClock arriving{};                   // what those who arrived in this phase had done,
    VectorClock known{};                      // and in the phases before: those who wait know it then
    ClusterClock arriving_blocks{}, known_blocks{};      // the same of blocks of the cluster
    static constexpr int64_t most = (1 << 20) - 1; // of arrivals; of bytes either way

    // As mbarrier.arrive gives it to the kernel: the phase and the arrivals still pending in it.
    uint64_t token() const { return phase << 20 | static_cast<uint64_t>(pending & most); }
    static uint64_t phase_of(uint64_t token) { return token >> 20; }
    static uint64_t pending_of(uint64_t token) { return token & most; }
    // Ends the phase if nothing is missing.
    bool complete() {
        if (pending > 0 || transactions != 0) return false;
        ++phase;
        pending = expected;
        join(known, arriving);
        join(known_blocks, arriving_blocks);
        return true;
    }
};

// The box of a tensor that begins at these indices, the innermost dimension's first. It may lie outside the
// tensor, in part or all.
struct TensorBox {
    trace::TensorMap map;
    std::array<int32_t, trace::TensorMap::most_dimensions> at{};

    std::vector<trace::BulkCopy::Row> rows() const; // as they follow each other in shared memory
};

// One cp.async.bulk, cp.reduce.async.bulk, cp.async.bulk.tensor, st.async or red.async of one lane, not done yet. It waits at the block
// whose shared memory it writes, if that is what it does.
struct BulkCopy {
    const Operation* by = nullptr;
    uint32_t warp = 0, lane = 0;
    uint64_t to = 0, from = 0, bytes = 0;
    std::optional<TensorBox> box;       // in global memory, where `to` or `from` says nothing then
    uint64_t barrier = 0;               // in shared memory, of a copy to shared memory
    uint32_t group = 0;                 // of the thread's commits, of a copy to global memory
    std::array<std::byte, 16> stored{}; // from registers
    uint32_t epoch = 0;                 // of the block that began it
    // Of a copy to another block: who began it, what that one knew of the target then (RemoteTouch), and what the target learns.
    uint32_t rank = 0, known = 0;
    ClusterClock told{};
};

// cp.async.mbarrier.arrive of some lanes: they arrive when the copies that their warp began before are done.
struct PendingArrival {
    const Operation* by = nullptr;
    uint32_t warp = 0;
    uint64_t barrier = 0;
    uint32_t lanes = 0;
    uint64_t copies = 0;       // that the warp had begun
    uint32_t epoch = 0;        // in which it was asked for,
    VectorClock clocks{}; // and what the warp had done until then
};

struct Mbarriers {
    std::map<uint64_t, Mbarrier> live; // by their offset in shared memory
    std::vector<BulkCopy> copies;
    std::map<uint32_t, uint32_t> committed; // bulk groups of each thread
    std::vector<PendingArrival> arrivals;
    uint64_t fruitless = 0; // polls since anything happened that a waiting warp may wait for
};

} // namespace sim
