// A bulk copy that is under way (manual, section 9.7.9.25.4).
#pragma once

#include "sim/checks/happens_before.h"
#include "sim/program/operation.h"
#include "trace/tensor_map.h"
#include "trace/trace.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace sim {

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
    uint32_t thread = 0; // whose groups it belongs to
    uint64_t to = 0, from = 0, bytes = 0;
    std::optional<TensorBox> box;       // in global memory, where `to` or `from` says nothing then
    uint64_t barrier = 0;               // in shared memory, of a copy to shared memory
    uint32_t group = 0;                 // of its commits, of a copy to global memory
    std::array<std::byte, 16> stored{}; // from registers
    uint32_t epoch = 0;                 // of the block that began it
    uint32_t rank = 0;                  // of that block
    // Of a copy to another block: the epoch of that one before which its accesses were known, and what is released to it.
    uint32_t known = 0;
    ClusterClock released{};
};

} // namespace sim
