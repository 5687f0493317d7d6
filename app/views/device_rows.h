// What a GPU is, and its peaks as the multiplications that they are: for the Device page and `gemmscope device`.
#pragma once

#include "measure/device.h"
#include "measure/peaks.h"
#include "session/peaks.h"
#include "views/strings.h"

#include <span>
#include <string>
#include <vector>

namespace views {

// Its multiprocessors and clock; its memories.
std::vector<std::string> device_facts(const Strings&, const measure::Device&);

struct DevicePeak {
    std::string name;     // "FP32"
    std::string product;  // "132 × 128 × 2 × 1980 MHz = 66.9 TFLOPS"
    std::string factors;  // what is multiplied there
    std::string measured; // empty: it was not
};
// Of some units and, last, of the memory. `measured` may be nullptr.
std::vector<DevicePeak> device_peaks(const Strings&, const measure::Device&, const measure::Peaks* measured,
                                     std::span<const analysis::Unit>);

std::string caches_text(const Strings&, const measure::Peaks&); // empty: they were not measured

} // namespace views
