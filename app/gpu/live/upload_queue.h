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
    static constexpr size_t piece =
        4u << 20; // floats; 16 MiB, a few milliseconds from memory that is not pinned

    // `to` and `values` outlive the queue's work. Stored as `element`: f32 or bf16.
    void add(const DeviceArray& to, std::span<const float> values,
             base::NumberType element = base::NumberType::f32) {
        if (!values.empty()) parts_.push_back({&to, values, element});
    }
    bool empty() const { return parts_.empty(); }
    base::Status step(); // copies the next piece

private:
    struct Part {
        const DeviceArray* to;
        std::span<const float> values;
        base::NumberType element;
    };
    std::vector<Part> parts_; // the first is under way, up to `done_`
    size_t done_ = 0;
};

} // namespace gpu
