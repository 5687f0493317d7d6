#include "session/ceiling.h"

#include <cctype>
#include <string_view>

namespace session {
namespace {

using analysis::Unit;

// mma.sync, wgmma.mma_async, nvcuda::wmma: tensor cores go by no other name. (A regular expression would be one line, and four
// seconds of compile time.)
bool names_tensor_cores(const catalog::Kernel& kernel) {
    const std::string_view text = kernel.source;
    const auto in_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
    for (size_t at = text.find("mma"); at != text.npos; at = text.find("mma", at + 1)) {
        size_t start = at;
        while (start > 0 && in_word(text[start - 1])) --start;
        const std::string_view before = text.substr(start, at - start), after = text.substr(at + 3);
        const bool named = before.empty() || before == "w" || before == "wg";
        if (named && (after.starts_with('.') || after.starts_with('_') || after.starts_with("::"))) return true;
    }
    return false;
}

} // namespace

Unit unit_of(catalog::OperandType operands, bool tensor_cores) {
    switch (operands) {
    case catalog::OperandType::f32: break;
    case catalog::OperandType::tf32: return Unit::tensor_tf32;
    case catalog::OperandType::bf16: return Unit::tensor_bf16;
    case catalog::OperandType::f64: return tensor_cores ? Unit::tensor_fp64 : Unit::fp64;
    case catalog::OperandType::b1: return tensor_cores ? Unit::tensor_b1 : Unit::popc;
    }
    return Unit::fp32;
}

Unit unit_of(const measure::Series& series, const catalog::Catalog& catalog, const analysis::Device& device) {
    if (measure::is_cublas(series))
        return unit_of(catalog::cublas_operands(series.operands), device.per_clock(Unit::tensor_fp64) > 0);
    const auto kernel = catalog.find(series.kernel);
    return unit_of(series.operands, kernel && names_tensor_cores(*kernel));
}

Ceiling ceiling(Unit unit, const analysis::Device& device, const measure::Peaks* measured) {
    Ceiling found{unit, device.gflops(unit)};
    if (measured && unit == Unit::fp32) found.measured_gflops = measured->fma_gflops;
    if (measured && unit == Unit::fp64) found.measured_gflops = measured->fp64_gflops;
    return found;
}

} // namespace session
