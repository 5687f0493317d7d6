// Both tiles are loaded on one line and used on another, without a barrier between: a race for each array.
// grid 1 block 64
// argument u32[64] counting
// argument u32[64] zero
// finds shared_race 10
// finds shared_race 10
__global__ void k(const unsigned* in, unsigned* out) {
    __shared__ unsigned As[64], Bs[64];
    const int t = threadIdx.x;
    As[t] = in[t], Bs[t] = in[63 - t];
    unsigned sum = 0;
    for (int i = 0; i < 64; ++i) sum += As[i] * Bs[(i + t) % 64];
    out[t] = sum;
}
