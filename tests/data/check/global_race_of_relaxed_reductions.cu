// red.relaxed publishes nothing.
// grid 3 block 32
// argument u32[8] zero
// argument u32[1] zero
// argument u32[1] zero
// finds global_race 10
__global__ void k(unsigned* part, unsigned* done, unsigned* sum) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x + 1 < gridDim.x) {
        part[blockIdx.x] = blockIdx.x + 1;
        asm volatile("red.relaxed.gpu.global.add.u32 [%0], 1;" ::"l"(done) : "memory");
        return;
    }
    unsigned seen;
    do asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(done) : "memory");
    while (seen + 1 < gridDim.x);
    *sum = part[0] + part[1];
}
