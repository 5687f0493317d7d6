// Arithmetic intensity of a tiling and what bandwidth it asks for.
#pragma once

#include "analysis/counters.h"

#include <string>
#include <string_view>
#include <vector>

namespace analysis {

// Those that do a product's arithmetic. Of operands in FP32 and FP64 the lanes of FMAs, of bits those of
// popc; or tensor cores, of FP32 as three products of TF32.
enum class Unit { fp32, fp64, popc, tensor_tf32, tensor_3xtf32, tensor_bf16, tensor_fp64, tensor_b1 };
std::string_view name_of(Unit); // "FP32", "popc", "BF16": of tensor cores that of their operands
bool is_tensor(Unit);
// In one of per_clock(): 2 in a multiply-add, 64 in a popc, which counts 32 products; a third of 2 where three make one.
double operations(Unit);

struct TensorRates { // dense multiply-adds a clock of a multiprocessor; 0: not known, or none
    int tf32 = 0, bf16 = 0, fp64 = 0;
};

struct Device { // peaks that the comparison is against; figures with their source stand in devices()
    std::string name, arch;
    int multiprocessors = 0;
    double clock_ghz = 0;
    int fp32_lanes = 128;   // per multiprocessor
    double memory_gb_s = 0; // 1e9 bytes per second
    int fp64_lanes = 0;     // per multiprocessor
    TensorRates tensor{};
    int per_clock(Unit) const; // FMAs, popcs of a multiprocessor; 0: not known, or none
    double gflops(Unit) const; // by arithmetic: multiprocessors x per_clock x operations x clock
};
const std::vector<Device>& devices();
// One of that architecture: what its multiprocessors do in a clock, those of every device of it do. nullptr:
// none is listed.
const Device* device_of(std::string_view arch);

struct Intensity {
    double flop = 0;                  // as given
    double global_bytes = 0;          // sectors moved between L1 and L2, times 32
    double flop_per_byte = 0;         // of those bytes
    double shared_bytes_per_flop = 0; // 128 bytes for each wavefront: what shared memory was kept busy for
    double required_gb_s = 0;         // bandwidth at which the device's FP32 peak would be fed
    double available_gb_s = 0;        // the device's memory bandwidth
};
// `flop`: arithmetic operations of the run, of a product 2 m n k.
Intensity intensity(const Totals&, double flop, const Device&);

} // namespace analysis
