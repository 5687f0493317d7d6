// Threads beyond the size return at once; a whole block returns before its barriers.
// grid 3 block 64
// argument u32[100] counting
// argument i32 100
// finds nothing
__global__ void k(unsigned* out, int n) {
    __shared__ unsigned s[64];
    if (blockIdx.x == 2) return;
    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    const unsigned i = blockIdx.x * 64 + threadIdx.x;
    if (i >= n) return;
    out[i] += s[63 - threadIdx.x];
}
