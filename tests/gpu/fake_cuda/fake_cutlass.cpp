// libgemmscope_cutlass.so on the invented GPU: a product takes 0.5 ms by tiles of 256x128, else 4 ms. Of 13 rows it writes
// nothing, and 13 columns it does not launch.
#include "gpu/cutlass/product.h"

#include <cuda.h>

#include <cstring>

extern "C" void fake_gpu_multiply(void** arguments, bool bf16, float ms); // fake_cuda.cpp

extern "C" {

const char* gemmscope_cutlass_version() { return "1.2.3, 4 stages"; }
const char* gemmscope_cutlass_cuda() { return "12.9"; }
const char* gemmscope_cutlass_sgemm(const char* tile, int m, int n, int k, float alpha, const float* a, int lda,
                                    const float* b, int ldb, float beta, float* c, int ldc, void* stream) {
    const bool large = std::strcmp(tile, "256x128") == 0;
    if (stream || (!large && std::strcmp(tile, "128x128") != 0)) return "no such tile, or stream";
    if (n == 13) return "invented reason";
    if (m == 13) return nullptr;
    auto address_a = reinterpret_cast<CUdeviceptr>(a), address_b = reinterpret_cast<CUdeviceptr>(b),
         address_c = reinterpret_cast<CUdeviceptr>(c);
    void* arguments[] = {&m, &n, &k, &alpha, &address_a, &lda, &address_b, &ldb, &beta, &address_c, &ldc};
    fake_gpu_multiply(arguments, false, large ? 0.5f : 4.0f);
    return nullptr;
}
}
