// mma.h: one 16 x 16 x 16 product by a warp.
// trace: --grid 1 --block 32 --arg in:f16[16x16] --arg in:f16[16x16] --arg out:f32[16x16]
// expect: gemm 16 16 16 0 1 2
#include <mma.h>
#include <cuda_fp16.h>
#include <cstdio>
#include <cstdlib>
using namespace nvcuda;

#define CUDA_RT_CALL(call) { cudaError_t s = call; if (cudaSuccess != s) { fprintf(stderr, "%d\n", s); exit(s); } }

__global__ void wmma_kernel(half* a, half* b, float* c) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fc, 0.0f);
  wmma::load_matrix_sync(fa, a, 16);
  wmma::load_matrix_sync(fb, b, 16);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}

int main() {
  half* a;
  CUDA_RT_CALL(cudaMalloc(&a, 512));
  wmma_kernel<<<1, 32>>>(a, a, nullptr);
  CUDA_RT_CALL(cudaDeviceSynchronize());
}
