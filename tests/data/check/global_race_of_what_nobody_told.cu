// The first block tells nobody, the second tells the third: that one knows nothing of what the first has stored.
// grid 3 block 32
// argument u32[1] zero
// argument u32[2] zero
// argument u32[1] zero
// finds global_race 15
__device__ void tell(unsigned* flag) { asm volatile("st.release.gpu.global.u32 [%0], 1;" ::"l"(flag) : "memory"); }
__device__ void wait(const unsigned* flag) {
    unsigned seen;
    do asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(seen) : "l"(flag) : "memory");
    while (seen == 0);
}
__global__ void k(unsigned* data, unsigned* flags, unsigned* out) {
    if (threadIdx.x != 0) return;
    if (blockIdx.x == 0) *data = 7;
    if (blockIdx.x == 1) tell(flags + blockIdx.x);
    if (blockIdx.x == 2) wait(flags + 1), *out = *data; // it alone: two blocks that write what they read would race there, too, or not
}
