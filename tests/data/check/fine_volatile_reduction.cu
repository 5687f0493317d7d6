// The last warp relies on running in step, and says so: volatile.
// grid 1 block 128
// argument u32[128] counting
// argument u32[1] zero
// finds nothing
__device__ void last_warp(volatile unsigned* s, int t) {
    s[t] += s[t + 32];
    s[t] += s[t + 16];
    s[t] += s[t + 8];
    s[t] += s[t + 4];
    s[t] += s[t + 2];
    s[t] += s[t + 1];
}
__global__ void k(const unsigned* in, unsigned* out) {
    __shared__ unsigned s[128];
    const int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    if (t < 64) s[t] += s[t + 64];
    __syncthreads();
    if (t < 32) last_warp(s, t);
    if (t == 0) *out = s[0];
}
