#pragma once
#include <cstdio>
#include <vector>

#define CUDA_CHECK(call)                                                                  \
  do {                                                                                    \
    cudaError_t status_ = (call);                                                         \
    if (status_ != cudaSuccess) {                                                         \
      fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(status_));     \
      std::exit(1);                                                                       \
    }                                                                                     \
  } while (0)

namespace gemm {

template <int BM, int BN, int BK, int TM, int TN>
__global__ void __launch_bounds__((BM * BN) / (TM * TN)) tiled(int M, int N, int K, const float* A, const float* B, float* C) {
  static_assert(BM * BK % ((BM * BN) / (TM * TN)) == 0, "A does not divide");
  constexpr int threads = (BM * BN) / (TM * TN);
  __shared__ float As[BK][BM], Bs[BK][BN];
  const int thread_row = threadIdx.x / (BN / TN), thread_column = threadIdx.x % (BN / TN);
  float sums[TM][TN] = {}, a[TM], b[TN];
  for (int k0 = 0; k0 < K; k0 += BK) {
    for (int i = threadIdx.x; i < BM * BK; i += threads) As[i % BK][i / BK] = A[(blockIdx.y * BM + i / BK) * K + k0 + i % BK];
    for (int i = threadIdx.x; i < BK * BN; i += threads) Bs[i / BN][i % BN] = B[(k0 + i / BN) * N + blockIdx.x * BN + i % BN];
    __syncthreads();
    for (int k = 0; k < BK; ++k) {
#pragma unroll
      for (int i = 0; i < TM; ++i) a[i] = As[k][thread_row * TM + i];
#pragma unroll
      for (int j = 0; j < TN; ++j) b[j] = Bs[k][thread_column * TN + j];
#pragma unroll
      for (int i = 0; i < TM; ++i)
#pragma unroll
        for (int j = 0; j < TN; ++j) sums[i][j] += a[i] * b[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < TM; ++i)
    for (int j = 0; j < TN; ++j) C[(blockIdx.y * BM + thread_row * TM + i) * N + blockIdx.x * BN + thread_column * TN + j] = sums[i][j];
}

inline std::vector<float> run(const std::vector<float>& a, const std::vector<float>& b, int m, int n, int k) {
  float *da, *db, *dc;
  CUDA_CHECK(cudaMalloc(&da, a.size() * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&db, b.size() * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&dc, sizeof(float) * m * n));
  tiled<64, 64, 8, 4, 4><<<dim3(n / 64, m / 64), 256>>>(m, n, k, da, db, dc);
  return {};
}

} // namespace gemm
