#include "gpu/cutlass/product.h"

#include <cutlass/gemm/device/gemm.h>
#include <cutlass/version.h>

#include <cstring>

#define GEMMSCOPE_TEXT_OF(number) #number
#define GEMMSCOPE_TEXT(macro) GEMMSCOPE_TEXT_OF(macro)

// Of those that CUTLASS's own library of kernels offers for these tiles, 5 and 4, the one that it lists first; the warps
// (4 x 2 of them) and the order of the blocks (8 tiles wide) are that library's, too.
#define GEMMSCOPE_STAGES 5

namespace {

template <int BM, int BN, int WM, int WN>
const char* multiply(int m, int n, int k, float alpha, const float* a, int lda, const float* b, int ldb, float beta,
                     float* c, int ldc, cudaStream_t stream) {
    using RowMajor = cutlass::layout::RowMajor;
    using OneByOne = cutlass::epilogue::thread::LinearCombination<float, 1, float, float>; // as rows begin anywhere
    using Gemm = cutlass::gemm::device::Gemm<
        float, RowMajor, float, RowMajor, float, RowMajor, float, cutlass::arch::OpClassSimt, cutlass::arch::Sm80,
        cutlass::gemm::GemmShape<BM, BN, 8>, cutlass::gemm::GemmShape<WM, WN, 8>, cutlass::gemm::GemmShape<1, 1, 1>, OneByOne,
        cutlass::gemm::threadblock::GemmIdentityThreadblockSwizzle<8>, GEMMSCOPE_STAGES>;
    Gemm gemm; // without split-K it needs no workspace
    const cutlass::Status status =
        gemm({{m, n, k}, {a, lda}, {b, ldb}, {c, ldc}, {c, ldc}, {alpha, beta}}, nullptr, stream);
    if (status == cutlass::Status::kSuccess) return nullptr;
    cudaFuncAttributes attributes; // CUDA's reason, which CUTLASS drops: no code for this GPU, or too old a driver
    const cudaError_t reason = cudaFuncGetAttributes(&attributes, cutlass::Kernel<typename Gemm::GemmKernel>);
    return reason == cudaSuccess ? cutlass::cutlassGetStatusString(status) : cudaGetErrorString(reason);
}

} // namespace

extern "C" {

const char* gemmscope_cutlass_version() {
    return GEMMSCOPE_TEXT(CUTLASS_MAJOR) "." GEMMSCOPE_TEXT(CUTLASS_MINOR) "." GEMMSCOPE_TEXT(
        CUTLASS_PATCH) ", " GEMMSCOPE_TEXT(GEMMSCOPE_STAGES) " stages";
}

const char* gemmscope_cutlass_cuda() {
    return GEMMSCOPE_TEXT(__CUDACC_VER_MAJOR__) "." GEMMSCOPE_TEXT(__CUDACC_VER_MINOR__);
}

const char* gemmscope_cutlass_sgemm(const char* tile, int m, int n, int k, float alpha, const float* a, int lda,
                                    const float* b, int ldb, float beta, float* c, int ldc, void* stream) {
    const auto with = [&](auto multiply) {
        return multiply(m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, static_cast<cudaStream_t>(stream));
    };
    if (std::strcmp(tile, "128x128") == 0) return with(multiply<128, 128, 32, 64>);
    if (std::strcmp(tile, "256x128") == 0) return with(multiply<256, 128, 64, 64>);
    return "it has no such tile";
}
}
