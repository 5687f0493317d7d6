#include "session/ceiling.h"

#include <algorithm>

namespace session {

using analysis::Unit;

Unit unit_of(catalog::OperandType operands, bool tensor_cores) {
    switch (operands) {
    case catalog::OperandType::f32: return tensor_cores ? Unit::tensor_3xtf32 : Unit::fp32;
    case catalog::OperandType::tf32: return Unit::tensor_tf32;
    case catalog::OperandType::bf16: return Unit::tensor_bf16;
    case catalog::OperandType::f64: return tensor_cores ? Unit::tensor_fp64 : Unit::fp64;
    case catalog::OperandType::b1: return tensor_cores ? Unit::tensor_b1 : Unit::popc;
    }
    return Unit::fp32;
}

Unit unit_of(const measure::Series& series, const catalog::Catalog& catalog, const analysis::Device& device) {
    if (measure::is_cublas(series)) {
        const catalog::OperandType operands = catalog::cublas_operands(series.operands);
        return unit_of(operands, operands == catalog::OperandType::f64 && device.per_clock(Unit::tensor_fp64) > 0);
    }
    const auto kernel = catalog.find(series.kernel);
    return unit_of(series.operands, kernel && kernel->tensor_cores);
}

base::Sentence wrong_units(const Gemm& gemm, const trace::Listing& code) {
    const bool used = std::any_of(code.instructions.begin(), code.instructions.end(),
                                  [](const auto& instruction) { return instruction.unit == trace::Unit::tensor_core; });
    if (!catalog::multiplied_either_way(gemm.operands) || used == gemm.tensor_cores) return {};
    return used ? base::say("tensor cores multiply, but the file does not say `tensor_cores = true`: its speed is "
                            "compared with the peak of other units")
                : base::say("the file says `tensor_cores = true`, but none multiplies: its speed is compared with the "
                            "peak of other units");
}

Ceiling ceiling(Unit unit, const analysis::Device& device, const measure::Peaks* measured) {
    Ceiling found{unit, device.gflops(unit)};
    if (measured && unit == Unit::fp32) found.measured_gflops = measured->fma_gflops;
    if (measured && unit == Unit::fp64) found.measured_gflops = measured->fp64_gflops;
    return found;
}

} // namespace session
