// A tile without the barrier behind its use: the warp itself is in step, other warps read what it has replaced.
// grid 4 block 256
// argument u32[1024] counting
// argument u32[1024] zero
// finds shared_race 14
// finds shared_race 16
__global__ void k(const unsigned* in, unsigned* out) {
    __shared__ unsigned tile[16][16];
    const unsigned x = threadIdx.x % 16, y = threadIdx.x / 16, n = 32;
    unsigned sum = 0;
    for (unsigned t = 0; t < n / 16; ++t) {
        tile[y][x] = in[(t * 16 + y) * n + blockIdx.x % 2 * 16 + x];
        __syncthreads();
        sum += tile[0][x];
        for (unsigned k = 1; k < 16; ++k)
            sum = sum * 3 + tile[k][x];
    }
    out[(blockIdx.x / 2 * 16 + y) * n + blockIdx.x % 2 * 16 + x] = sum;
}
