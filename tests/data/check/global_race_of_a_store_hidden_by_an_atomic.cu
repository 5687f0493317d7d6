// The first block stores zero and then adds, as all do: the others may have added before.
// grid 4 block 32
// argument u32[128] counting
// argument u32[1] zero
// finds global_race 7
__global__ void k(const unsigned* in, unsigned* sum) {
    if (blockIdx.x == 0 && threadIdx.x == 0) *sum = 0;
    unsigned mine = in[blockIdx.x * 32 + threadIdx.x];
    for (int d = 16; d > 0; d /= 2) mine += __shfl_down_sync(~0u, mine, d);
    if (threadIdx.x == 0) atomicAdd(sum, mine);
}
