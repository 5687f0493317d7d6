// Warps 0 and 1 meet at a barrier of their own; warp 2 reads what they write without meeting anybody.
// grid 1 block 96
// argument u32[96] zero
// finds shared_race 14
__global__ void k(unsigned* out) {
    __shared__ unsigned s[96];
    s[threadIdx.x] = 0;
    __syncthreads();
    if (threadIdx.x < 64) {
        s[threadIdx.x] = threadIdx.x + 1;
        asm volatile("bar.sync 1, 64;" ::: "memory");
        out[threadIdx.x] = s[63 - threadIdx.x];
    } else {
        out[threadIdx.x] = s[threadIdx.x - 64];
    }
}
