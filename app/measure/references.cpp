#include "measure/references.h"

#include <algorithm>
#include <array>

namespace measure {

using catalog::OperandType;

std::span<const ReferenceSeries> reference_series() {
    using enum ReferenceSeries::Measured;
    static constexpr std::array all{
        ReferenceSeries{"cublas_fp32", "cuBLAS", OperandType::f32, beside_kernels},
        ReferenceSeries{"cublas_tf32", "cuBLAS", OperandType::tf32, beside_kernels},
        ReferenceSeries{"cublas_bf16", "cuBLAS", OperandType::bf16, beside_kernels},
        ReferenceSeries{"cublas_fp64", "cuBLAS", OperandType::f64, beside_kernels},
        ReferenceSeries{"cublasxt_fp32", "cublasXt", OperandType::f32, between_host_memory},
        ReferenceSeries{"cutlass_128x128", "CUTLASS 128x128", OperandType::f32, on_device},
        ReferenceSeries{"cutlass_256x128", "CUTLASS 256x128", OperandType::f32, on_device},
        ReferenceSeries{"openblas_fp32", "OpenBLAS", OperandType::f32, on_cpu},
        ReferenceSeries{"openblas_fp64", "OpenBLAS", OperandType::f64, on_cpu},
    };
    return all;
}

const ReferenceSeries* reference_series(std::string_view id) {
    const auto all = reference_series();
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.id == id; });
    return found == all.end() ? nullptr : &*found;
}

std::vector<const ReferenceSeries*> references_named(std::string_view name) {
    std::vector<const ReferenceSeries*> named;
    for (const ReferenceSeries& one : reference_series())
        if (one.id == name || one.id.substr(0, one.id.find('_')) == name) named.push_back(&one);
    return named;
}

} // namespace measure
