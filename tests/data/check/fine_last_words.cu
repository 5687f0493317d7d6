// Threads without work of their own leave a neutral value for the others and return: the others' barrier, ballot and
// shuffle wait for them, and find it.
// grid 2 block 128
// argument u32[2] zero
// argument i32 100
// finds nothing
__global__ void k(unsigned* out, int n) {
    __shared__ unsigned most[4];
    const int warp = threadIdx.x / 32;
    if (threadIdx.x >= n) {
        if (threadIdx.x % 32 == 31) most[warp] = 7;
        return;
    }
    unsigned mine = threadIdx.x;
    for (int step = 16; step > 0; step /= 2) {
        const unsigned other = __shfl_down_sync(~0u, mine, step);
        if (threadIdx.x + step < n && threadIdx.x % 32 + step < 32) mine = max(mine, other);
    }
    if (threadIdx.x % 32 == 0 && warp < 3) most[warp] = mine;
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = max(max(most[0], most[1]), max(most[2], most[3]));
}
