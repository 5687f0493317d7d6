// Arithmetic intensity of a tiling and what bandwidth it asks for.
#pragma once

#include "analysis/counting.h"

#include <string>
#include <string_view>
#include <vector>

namespace analysis {

// Of every multiprocessor: CUDA C++ Programming Guide, "Arithmetic Instructions".
constexpr int popc_lanes = 16;

struct Device { // peaks that the comparison is against; figures with their source stand in devices()
    std::string name, arch;
    int multiprocessors = 0;
    double clock_ghz = 0;
    int fp32_lanes = 128;          // per multiprocessor
    double memory_gb_s = 0;        // 1e9 bytes per second
    int fp64_lanes = 0;            // FMAs of doubles a clock; of the tensor cores, where these make more
    // Of matrices of bits: a popc counts 32 products, 64 operations.
    double popc_gflops() const { return 64.0 * multiprocessors * popc_lanes * clock_ghz; }
    double fp32_gflops() const { return 2.0 * multiprocessors * fp32_lanes * clock_ghz; }
    double fp64_gflops() const { return 2.0 * multiprocessors * fp64_lanes * clock_ghz; }
};
const std::vector<Device>& devices();
int fp32_lanes(std::string_view arch); // per multiprocessor; 0: no device of that architecture is listed
int fp64_lanes(std::string_view arch); // likewise

struct Intensity {
    double flop = 0;                     // 2 m n k
    double global_bytes = 0;             // sectors moved between L1 and L2, times 32
    double flop_per_byte = 0;            // of those bytes
    double shared_bytes_per_flop = 0;    // 128 bytes for each wavefront: what shared memory was kept busy for
    double required_gb_s = 0;            // bandwidth at which the device's FP32 peak would be fed
    double available_gb_s = 0;           // the device's memory bandwidth
};
Intensity intensity(const Totals&, int m, int n, int k, const Device&);

} // namespace analysis
