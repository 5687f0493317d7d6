// The engine's global memory: named buffers at made-up addresses, far enough apart that running off one never
// lands in the next.
#pragma once

#include "base/result.h"
#include "sim/run/pages.h"
#include "trace/trace.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sim {

class Memory {
public:
    // Adds a zeroed buffer and returns its address (256-byte aligned, as cudaMalloc's are). The name, shape and
    // element size serve findings and pictures.
    uint64_t allocate(trace::Buffer shape);

    std::span<std::byte> bytes(uint64_t address); // of the buffer that starts at `address`
    std::span<const std::byte> bytes(uint64_t address) const;

    // The contents are complete: copies share them from now on, until they write, so that inputs of a gigabyte are made
    // once for all the runs that start from them.
    void seal();

    // The buffer that holds [address, address + size), or nullptr.
    const trace::Buffer* find(uint64_t address, uint64_t size) const;
    std::span<const trace::Buffer> buffers() const { return shapes_; }

private:
    std::vector<trace::Buffer> shapes_;
    std::vector<Pages> storage_;
};

} // namespace sim
