// One barrier for each tile is enough with two buffers.
// grid 1 block 128
// argument u32[1024] counting
// argument u32[128] zero
// finds nothing
__global__ void k(const unsigned* in, unsigned* out) {
    __shared__ unsigned s[2][128];
    const int t = threadIdx.x;
    s[0][t] = in[t];
    unsigned sum = 0;
    for (int i = 0; i < 8; ++i) {
        __syncthreads();
        if (i < 7) s[(i + 1) % 2][t] = in[(i + 1) * 128 + t];
        sum += s[i % 2][127 - t] + s[i % 2][t ^ 32];
    }
    out[t] = sum;
}
