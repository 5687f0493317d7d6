// What a GPU can do at most, by arithmetic and by measurement.
#pragma once

#include "gpu/protocol.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace session {

// The two kernels of assets/peaks.cu, ready for the worker: compiled for the device, with grids that fill it.
// Errors: no NVRTC, or assets without the file.
base::Result<gpu::PeaksRequest> peaks_request(const std::filesystem::path& assets, const gpu::Device&);

// Multiprocessors x lanes x 2 x clock, and bytes of the bus x 2 (both edges) x clock; each 0 where a factor
// is not known.
struct Arithmetic {
    int fp32_lanes = 0; // of a multiprocessor
    double fma_gflops = 0, memory_gb_s = 0;
    double fp64_gflops = 0; // of tensor cores, where they are faster
    double popc_gflops = 0; // of matrices of bits, where no tensor core counts them
};
Arithmetic arithmetic(const gpu::Device&);

// A device and what was measured on it: a file of assets/recorded/devices, and what `gemmscope device --json`
// prints.
struct DeviceRecord {
    gpu::Device device;
    std::optional<gpu::Peaks> measured;
    std::string file; // its name; empty: the device of this machine
};
std::string to_json(const DeviceRecord&); // one line
base::Result<DeviceRecord> read_device(const std::filesystem::path&);

} // namespace session
