#include "session/ceiling.h"

#include <regex>

namespace session {
namespace {

using analysis::Unit;

// mma.sync, wgmma.mma_async, nvcuda::wmma: tensor cores go by no other name.
bool names_tensor_cores(const catalog::Kernel& kernel) {
    static const std::regex instruction(R"(\bw?g?mma(\.|_|::))");
    return std::regex_search(kernel.source, instruction);
}

} // namespace

Unit unit_of(catalog::OperandType operands, bool tensor_cores) {
    switch (operands) {
    case catalog::OperandType::f32:
        break;
    case catalog::OperandType::tf32:
        return Unit::tensor_tf32;
    case catalog::OperandType::bf16:
        return Unit::tensor_bf16;
    case catalog::OperandType::f64:
        return tensor_cores ? Unit::tensor_fp64 : Unit::fp64;
    case catalog::OperandType::b1:
        return tensor_cores ? Unit::tensor_b1 : Unit::popc;
    }
    return Unit::fp32;
}

Unit unit_of(const gpu::Series& series, const catalog::Catalog& catalog, const analysis::Device& device) {
    if (gpu::is_cublas(series))
        return unit_of(catalog::cublas_operands(series.operands), device.per_clock(Unit::tensor_fp64) > 0);
    const auto kernel = catalog.find(series.kernel);
    return unit_of(series.operands, kernel && names_tensor_cores(*kernel));
}

Ceiling ceiling(Unit unit, const analysis::Device& device, const gpu::Peaks* measured) {
    Ceiling found{unit, device.gflops(unit)};
    if (measured && unit == Unit::fp32) found.measured_gflops = measured->fma_gflops;
    if (measured && unit == Unit::fp64) found.measured_gflops = measured->fp64_gflops;
    return found;
}

} // namespace session
