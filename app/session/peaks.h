// What a GPU can do at most, by arithmetic and by measurement.
#pragma once

#include "analysis/intensity.h"
#include "gpu/protocol.h"

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace session {

// The kernels of assets/peaks.cu, ready for the worker: compiled for the device, with grids that fill it.
// Errors: no NVRTC, or assets without the file.
base::Result<gpu::PeaksRequest> peaks_request(const std::filesystem::path& assets, const measure::Device&,
                                              std::stop_token = {});

// What it does by arithmetic: its own multiprocessors, clock (the highest) and memory (bytes of the bus x 2,
// both edges, x clock), with what a multiprocessor of its architecture does in a clock. 0 where a factor is
// not known.
analysis::Device arithmetic(const measure::Device&);

// A device and what was measured on it: a file of assets/recorded/devices, and what `gemmscope device --json`
// prints.
struct DeviceRecord {
    measure::Device device;
    std::optional<measure::Peaks> measured;
    std::string file; // its name; empty: the device of this machine
};
std::string to_json(const DeviceRecord&); // one line
base::Result<DeviceRecord> read_device(const std::filesystem::path&);

} // namespace session
