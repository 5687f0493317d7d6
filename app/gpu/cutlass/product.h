// What libgemmscope_cutlass.so offers: CUTLASS's FP32 products without tensor cores. A library of its own, because
// nvcc and CUTLASS's headers, of which most machines have neither, are needed to build it. No CUDA in this interface.
#pragma once

extern "C" {

// "4.2.0, 5 stages": CUTLASS's version, and how many tiles of A and B its kernels have under way.
const char* gemmscope_cutlass_version();
// "13.0": of the compiler that made it.
const char* gemmscope_cutlass_cuda();

// C = alpha A B + beta C, all row-major floats in the memory of the current context's device, rows ld elements apart; A is
// m x k. C is not read where beta is 0. `tile`: of C, computed by one block, "128x128" or "256x128". Any size of at least 1
// in each dimension: offsets are of 64 bits. It is launched into `stream`, a CUstream or nullptr for the stream without a
// name, and not waited for. Returns nullptr, or why it was not launched, in a few words.
const char* gemmscope_cutlass_sgemm(const char* tile, int m, int n, int k, float alpha, const float* a, int lda,
                                    const float* b, int ldb, float beta, float* c, int ldc, void* stream);
}
