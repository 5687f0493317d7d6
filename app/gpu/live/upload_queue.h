// Matrices on their way to the GPU, a piece at a time: whoever draws a frame between two pieces waits for one
// of them, not for the hundreds of megabytes that the operands and the float64 reference of a large product
// are.
#pragma once

#include "gpu/driver/device.h"

#include <cstddef>
#include <span>
#include <vector>

namespace gpu {

class UploadQueue {
public:
    static constexpr size_t piece = 16u << 20; // bytes: a few milliseconds from memory that is not pinned

    // `to` and `bytes` outlive the queue's work.
    void add(const DeviceArray& to, std::span<const std::byte> bytes) {
        if (!bytes.empty()) parts_.push_back({&to, bytes});
    }
    bool empty() const { return parts_.empty(); }
    base::Status step(); // copies the next piece

private:
    struct Part {
        const DeviceArray* to;
        std::span<const std::byte> bytes;
    };
    std::vector<Part> parts_; // the first is under way, up to `done_`
    size_t done_ = 0;
};

} // namespace gpu
