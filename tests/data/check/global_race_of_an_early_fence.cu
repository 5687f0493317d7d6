// The fence stands before the store that it is to publish.
// grid 4 block 32
// argument u32[4] zero
// argument u32[1] zero
// argument u32[1] zero
// finds global_race 11
__global__ void k(unsigned* part, unsigned* done, unsigned* sum) {
    if (threadIdx.x != 0) return;
    part[blockIdx.x] = 0;
    __threadfence();
    part[blockIdx.x] = blockIdx.x + 1;
    if (atomicAdd(done, 1) == gridDim.x - 1) *sum = part[0] + part[1] + part[2] + part[3];
}
