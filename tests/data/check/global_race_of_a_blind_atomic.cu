// Block 1 adds to the counter that block 0 published by, but never looks at what it got: it knows nothing of block 0's store.
// grid 2 block 32
// argument u32[1] zero
// argument u32[1] zero
// finds global_race 8
__global__ void k(unsigned* data, unsigned* count) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) *data = 7;
    __threadfence();
    atomicAdd(count, 1);
    if (blockIdx.x == 1) *data += 1;
}
