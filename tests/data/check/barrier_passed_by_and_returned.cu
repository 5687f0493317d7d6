// Half the threads skip the barrier, work on behind it, and return while the others still wait.
// grid 1 block 64
// argument u32[64] zero
// finds divergent_barrier 9
__global__ void k(unsigned* out) {
    __shared__ unsigned s[64];
    for (int round = 0; round < 2; ++round) {
        s[threadIdx.x] = round;
        if (threadIdx.x < 32) __syncthreads();
        out[threadIdx.x] += s[threadIdx.x];
    }
}
