// The libraries that kernels are compared with: series on the plot, not kernels to step through.
#pragma once

#include "catalog/operands.h"

#include <span>
#include <string_view>
#include <vector>

namespace measure {

struct ReferenceSeries {
    std::string_view id;      // of the catalogue's list, of its points and of its series: "cublas_fp32"; what
                              // stands before its '_' means all series of the library
    std::string_view library; // "cuBLAS", or "CUTLASS 256x128" of one of its kernels
    catalog::OperandType operands = catalog::OperandType::f32;
    // on_device: on the GPU, as a kernel is, beside cuBLAS; between_host_memory: on the GPU, of matrices that
    // lie in the host's memory
    enum class Measured { beside_kernels, on_device, between_host_memory, on_cpu } measured = Measured::beside_kernels;
};

std::span<const ReferenceSeries> reference_series();
const ReferenceSeries* reference_series(std::string_view id); // nullptr: there is none

// What a user means by "openblas_fp64", or by "openblas": each of that library. Empty: no reference.
std::vector<const ReferenceSeries*> references_named(std::string_view name);

} // namespace measure
