// Every thread fences what it has stored; after the barrier one of them counts for the block. The last block reads all.
// grid 4 block 128
// argument u32[512] zero
// argument u32[1] zero
// argument u32[128] zero
// finds nothing
__global__ void k(unsigned* part, unsigned* done, unsigned* sum) {
    __shared__ bool last;
    part[blockIdx.x * 128 + threadIdx.x] = blockIdx.x + threadIdx.x;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) last = atomicAdd(done, 1) == gridDim.x - 1;
    __syncthreads();
    if (!last) return;
    unsigned all = 0;
    for (unsigned b = 0; b < gridDim.x; ++b) all += part[b * 128 + (threadIdx.x ^ 1)];
    sum[threadIdx.x] = all;
}
