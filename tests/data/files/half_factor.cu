// A factor of half precision as a parameter.
// trace: --block 64 --arg f16=-0.5 --arg bf16=2 --arg in:f16[64] --arg out:f16[64]
// expect: scale 2 3 =-1
#include <cuda_bf16.h>
#include <cuda_fp16.h>

__global__ void half_factor(half factor, __nv_bfloat16 twice, const half* in, half* out) {
  out[threadIdx.x] = __float2half(__half2float(factor) * __bfloat162float(twice) * __half2float(in[threadIdx.x]));
}
