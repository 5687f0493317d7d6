// Threads beyond the size return before the barriers: of one warp some, of the next all. The barriers wait for the rest.
// grid 2 block 128
// argument u32[256] zero
// argument i32 168
// finds nothing
__global__ void k(unsigned* out, int n) {
    __shared__ unsigned s[128];
    const int i = blockIdx.x * 128 + threadIdx.x;
    if (i >= n) return;
    s[threadIdx.x] = i;
    __syncthreads();
    unsigned sum = 0;
    for (int round = 0; round < 3; ++round) {
        sum += s[threadIdx.x ^ 1];
        __syncthreads();
        s[threadIdx.x] = sum;
        __syncthreads();
    }
    out[i] = sum;
}
