// How many blocks of a kernel fit on a multiprocessor, and what stops more.
#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace analysis {

struct Multiprocessor { // limits, per compute capability; source: CUDA C++ Programming Guide, technical specifications
    std::string arch;   // "sm_90"
    int max_warps = 0, max_blocks = 0;
    uint32_t registers = 65536, register_unit = 256, max_registers_per_thread = 255;
    uint32_t shared_bytes = 0;         // largest carve-out
    uint32_t max_shared_per_block = 0; // opt-in
    uint32_t shared_unit = 0, reserved_shared_per_block = 0;
    int max_threads_per_block = 1024;
    int warp_unit = 4; // warps are allotted in multiples of this
};
// sm_70 to sm_120; an error that lists them for others.
base::Result<Multiprocessor> multiprocessor(std::string_view arch);
std::vector<std::string> architectures();

enum class Limiter { registers, shared, threads, blocks };
const char* name(Limiter);

struct Occupancy {
    int blocks = 0, warps = 0, max_warps = 0;
    Limiter limiter = Limiter::threads;
    double fraction() const { return max_warps ? double(warps) / max_warps : 0; }
};
// `shared_bytes` is static plus dynamic. A block that does not fit at all is an error that says why.
base::Result<Occupancy> occupancy(const Multiprocessor&, int threads, int registers, uint32_t shared_bytes);

} // namespace analysis
