#include "gpu/driver/arguments.h"

#include <array>

namespace gpu {
namespace {

using base::Error;
using base::Failure;

CUtensorMapSwizzle swizzle_of(uint32_t bytes) {
    switch (bytes) {
    case 32: return CU_TENSOR_MAP_SWIZZLE_32B;
    case 64: return CU_TENSOR_MAP_SWIZZLE_64B;
    case 128: return CU_TENSOR_MAP_SWIZZLE_128B;
    default: return CU_TENSOR_MAP_SWIZZLE_NONE;
    }
}

CUtensorMapDataType data_type(base::NumberType element) {
    switch (element) {
    case base::NumberType::bf16: return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
    case base::NumberType::f64: return CU_TENSOR_MAP_DATA_TYPE_FLOAT64;
    default: return CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
    }
}

// Where the matrix cannot be mapped, `map` stays as it is.
base::Status encode(const Driver& driver, const catalog::TensorBox& box, catalog::Matrix matrix, CUdeviceptr address,
                    CUtensorMap& map) {
    if (!catalog::can_be_mapped(matrix)) return base::Done{};
    const auto function = driver.library.function<decltype(cuTensorMapEncodeTiled)>("cuTensorMapEncodeTiled");
    if (!function)
        return Error{Failure::missing,
                     base::say("the NVIDIA driver {} has no cuTensorMapEncodeTiled, which this kernel's "
                               "tensor maps need",
                               driver.library.path()),
                     {},
                     base::say("install a driver of CUDA 12 or newer")};
    const std::array<cuuint64_t, 2> size{static_cast<cuuint64_t>(matrix.columns), static_cast<cuuint64_t>(matrix.rows)};
    const std::array<cuuint64_t, 1> stride{matrix.pitch()};
    const std::array<cuuint32_t, 2> extent{box.columns, box.rows}, step{1, 1};
    // TMA rounds as cvt.rn.tf32.f32 does: to the nearest, of two to the even one.
    const CUtensorMapDataType type = box.to_tf32 ? CU_TENSOR_MAP_DATA_TYPE_TFLOAT32 : data_type(matrix.element);
    return driver.check(function(&map, type, 2, reinterpret_cast<void*>(address), size.data(), stride.data(),
                                 extent.data(), step.data(), CU_TENSOR_MAP_INTERLEAVE_NONE,
                                 swizzle_of(box.swizzle_bytes), CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                                 CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
                        base::say("cannot make a tensor map of {} with boxes of {} x {} and a swizzle of {} bytes",
                                  box.of, box.rows, box.columns, box.swizzle_bytes));
}

} // namespace

GemmArguments::GemmArguments(const Launch& launch, CUdeviceptr a, CUdeviceptr b, CUdeviceptr c)
    : operation_(launch.operation), problem_(launch.problem), row_alignment_(launch.row_alignment),
      alpha_(launch.operands, launch.alpha), beta_(launch.operands, launch.beta), a_(a), b_(b), c_(c),
      lda_(launch.matrix('A').leading_dimension()), ldb_(launch.matrix('B').leading_dimension()),
      ldc_(launch.matrix('C').leading_dimension()) {}

base::Result<GemmArguments> GemmArguments::make(const Driver& driver, const Launch& launch, CUdeviceptr a,
                                                CUdeviceptr b, CUdeviceptr c) {
    GemmArguments arguments(launch, a, b, c);
    for (const catalog::TensorBox& box : launch.tensor_maps) {
        CUtensorMap& map = arguments.maps_.emplace_back();
        auto done =
            encode(driver, box, launch.matrix(box.of), *static_cast<CUdeviceptr*>(arguments.pointer(box.of)), map);
        if (!done) return done.error();
    }
    return arguments;
}

void* GemmArguments::pointer(char argument) {
    switch (argument) {
    case 'M': return &problem_.m;
    case 'N': return &problem_.n;
    case 'K': return &problem_.k;
    case 'a': return alpha_.pointer();
    case 'b': return beta_.pointer();
    case 'x': return &lda_;
    case 'y': return &ldb_;
    case 'z': return &ldc_;
    case 'A': return &a_;
    case 'B': return &b_;
    default: return &c_;
    }
}

std::vector<void*> GemmArguments::pointers() {
    std::vector<void*> all;
    for (const char argument : catalog::arguments_of(operation_, row_alignment_)) all.push_back(pointer(argument));
    for (CUtensorMap& map : maps_) all.push_back(&map);
    return all;
}

} // namespace gpu
