// A double buffer written one tile early: into the half that is being read.
// grid 1 block 64
// argument u32[256] counting
// argument u32[64] zero
// finds shared_race 14
__global__ void k(const unsigned* in, unsigned* out) {
    __shared__ unsigned s[2][64];
    const int t = threadIdx.x;
    s[0][t] = in[t];
    s[1][t] = in[64 + t];
    unsigned sum = 0;
    for (int i = 0; i < 4; ++i) {
        __syncthreads();
        sum += s[i % 2][63 - t];
        if (i < 2) s[i % 2][t] = in[(i + 2) * 64 + t];
    }
    out[t] = sum;
}
