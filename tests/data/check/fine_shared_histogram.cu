// grid 2 block 64
// argument u32[128] counting
// argument u32[16] zero
// finds nothing
__global__ void k(const unsigned* in, unsigned* out) {
    __shared__ unsigned bins[16];
    if (threadIdx.x < 16) bins[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bins[in[blockIdx.x * 64 + threadIdx.x] * 7 % 16], 1);
    __syncthreads();
    if (threadIdx.x < 16) atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}
