// The last block sums up what the others wrote, but they publish it without a fence.
// grid 4 block 32
// argument u32[4] zero
// argument u32[1] zero
// argument u32[1] zero
// finds global_race 10
__global__ void k(unsigned* part, unsigned* done, unsigned* sum) {
    __shared__ bool last;
    if (threadIdx.x == 0) {
        part[blockIdx.x] = blockIdx.x + 1;
        last = atomicInc(done, gridDim.x) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        unsigned all = 0;
        for (int b = 0; b < gridDim.x; ++b) all += part[b];
        *sum = all;
    }
}
