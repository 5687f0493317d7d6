// cuda_fp16.h and cuda_bf16.h.
// trace: --grid 1 --block 64 --arg in:f16[64] --arg in:bf16[64] --arg out:f32[64]
// expect: half_sum 0 1 2
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <iomanip>
#include <iostream>

__global__ void sum(const __half* a, const __nv_bfloat16* b, float* out) {
  const int i = threadIdx.x;
  out[i] = __half2float(a[i]) + __bfloat162float(b[i]);
}

static void show(const __half* values, int n) {
  for (int i = 0; i < n; ++i) std::cout << std::setprecision(4) << __half2float(values[i]) << ' ';
}

int main() {
  __half host[64];
  for (auto& h : host) h = __float2half(0.5f);
  show(host, 64);
}
