// A sum over the warps by shuffles, and over the block through one word for each warp.
// grid 1 block 256
// argument u32[256] counting
// argument u32[1] zero
// finds nothing
__global__ void k(const unsigned* in, unsigned* out) {
    __shared__ unsigned part[8];
    unsigned v = in[threadIdx.x];
    for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffff, v, d);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x < 32) {
        v = threadIdx.x < 8 ? part[threadIdx.x] : 0;
        for (int d = 4; d > 0; d /= 2) v += __shfl_xor_sync(0xffffffff, v, d);
        if (threadIdx.x == 0) *out = v;
    }
}
