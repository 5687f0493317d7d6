// A kernel in a header, without a guard at the edge.
#pragma once

__global__ void copy_all(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i];
}
