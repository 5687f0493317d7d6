// grid 1 block 64
// argument u32[64] counting
// argument u32[2] zero
// finds nothing
__global__ void k(const unsigned* in, unsigned* out) {
    __shared__ unsigned s[64];
    unsigned* mine = s + threadIdx.x / 32 * 32;
    const int lane = threadIdx.x % 32;
    mine[lane] = in[threadIdx.x];
    __syncwarp();
    for (int d = 16; d > 0; d /= 2) {
        if (lane < d) mine[lane] += mine[lane + d];
        __syncwarp();
    }
    if (lane == 0) out[threadIdx.x / 32] = mine[0];
}
