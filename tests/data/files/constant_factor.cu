// A filter whose taps the host copies to constant memory, and a factor beside it in a namespace.
// trace: --block 64 --symbol taps=in:u32[2]%1 --symbol factor=f32=0.5 --arg in:f32[64] --arg out:f32[64]
// expect: scale 0 1 =0.5
#include <cuda_runtime.h>

__constant__ unsigned taps[2];
namespace filter {
__constant__ float factor;
}

__global__ void constant_factor(const float* in, float* out) {
  out[threadIdx.x] = filter::factor * in[(threadIdx.x + taps[0] + taps[1]) % 64];
}

void set(const unsigned* t, float f) {
  cudaMemcpyToSymbol(taps, t, sizeof taps);
  cudaMemcpyToSymbol(filter::factor, &f, sizeof f);
}
