// A GPU, as records and the compiler know it.
#pragma once

#include "base/fields.h"
#include "base/result.h"

#include <cstdint>
#include <string>

namespace measure {

struct Device {
    std::string name; // "NVIDIA H200"
    std::string arch; // "sm_90": what to compile for
    int multiprocessors = 0;
    int sm_clock_mhz = 0; // highest
    int memory_clock_mhz = 0, memory_bus_bits = 0;
    uint64_t memory_bytes = 0, l2_bytes = 0;
    uint64_t shared_bytes = 0; // of a multiprocessor
    bool operator==(const Device&) const = default;
};

// As a part of other JSON: {"name": ..., "arch": ...}. Errors name the field.
base::FieldsWriter fields_of(const Device&);
base::Result<Device> device_from(base::Fields);

} // namespace measure
