// Every block adds, and the last one in the grid then stores, whoever has added meanwhile.
// grid 4 block 32
// argument u32[4] zero
// finds global_race 7
__global__ void k(unsigned* sum) {
    if (threadIdx.x != 0) return;
    atomicAdd(sum, blockIdx.x + 1);
    if (blockIdx.x == gridDim.x - 1) *sum = 0;
}
